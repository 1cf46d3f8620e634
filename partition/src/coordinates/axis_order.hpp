#pragma once
// The order of a factor's places along its axis: all vertices at one place of the factor are
// contracted to one, and the resulting small graph is put in a row.
#include <cstdint>
#include <span>
#include <vector>

#include "coordinates/product_factors.hpp"

namespace zonecut {

struct FactorOrder {
  std::vector<std::uint32_t> place;  ///< by index of the factor
  /// Places come in groups of this size (context-parallel rings, or expert cliques, along a ring of
  /// replicas); members of neighbouring groups that exchange most have the same place within them.
  std::uint32_t group = 1;
};

[[nodiscard]] FactorOrder axis_order(const CommunicationGraph& graph, const Factor& factor,
                                     std::span<const std::uint32_t> vertices);

}  // namespace zonecut
