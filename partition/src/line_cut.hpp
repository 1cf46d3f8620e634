#pragma once
// The least weight that x vertices of any small graph cut, for every x, where few vertices lie open
// at a time: those seen already that have edges to some not seen yet. In NCCL's double binary tree
// these are about log₂ of its ranks.
#include <cstdint>
#include <span>
#include <vector>

#include "grid_traffic.hpp"

namespace zonecut {

/// By dynamic programming over the vertices in order; the state is which of the open ones are taken
/// and how many there are. O(2^open · length²); beyond 4·10⁷ steps the edges that reach furthest
/// are left out, which only lowers the result.
[[nodiscard]] std::vector<std::int64_t> least_cuts(std::size_t length, std::vector<LineEdge> edges);

}  // namespace zonecut
