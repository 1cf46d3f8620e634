#pragma once
// The places of a factor along its axis: like vertices of the whole graph drawn together to one,
// and these put in a row.
#include <cstdint>
#include <span>
#include <vector>

#include "coordinates/product_factors.hpp"

namespace zonecut {

struct AxisOrder {
  std::vector<std::uint32_t> place;  ///< by index of the factor
  /// Places come in groups of so many (context-parallel rings, expert cliques along a ring of
  /// replicas); members of neighbouring groups that face each other have like places in them.
  std::uint32_t group = 1;
};

[[nodiscard]] AxisOrder axis_order(const CommunicationGraph& graph, const Factor& factor,
                                   std::span<const std::uint32_t> vertices);

}  // namespace zonecut
