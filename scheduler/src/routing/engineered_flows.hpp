#pragma once
// What a controller has to route: flows between leaves, and the ways it has chosen for them.
#include <cstdint>
#include <span>
#include <vector>

#include "routing/cables.hpp"

namespace zonecut {

/// A flow between two leaves of one plane.
struct LeafFlow {
  std::uint32_t number = 0;  ///< position among those that were given
  double bytes = 0;
  const Cables::Port* from = nullptr;
  const Cables::Port* to = nullptr;
  int turn = 0;  ///< tier at which its shortest working paths turn
};

/// The cables of each flow between its leaves, as load indices: up, then down again.
class ChosenWays {
 public:
  ChosenWays(std::size_t flows, int rack_level)
      : rack_level_(static_cast<std::size_t>(rack_level)), hops_(flows * 2 * rack_level_) {}

  [[nodiscard]] std::span<std::uint32_t> of(std::size_t position, const LeafFlow& flow) {
    const std::size_t climbs = rack_level_ - static_cast<std::size_t>(flow.turn);
    return std::span(hops_).subspan(position * 2 * rack_level_, 2 * climbs);
  }

 private:
  std::size_t rack_level_;
  std::vector<std::uint32_t> hops_;
};

}  // namespace zonecut
