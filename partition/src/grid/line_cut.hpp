#pragma once
// The least weight that x vertices of a graph cut, for every x, where parts of it have few open
// vertices (line_parts.hpp).
#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"

namespace zonecut {

/// Steps in 16 bits that a line is worth; in more bits, that much fewer.
inline constexpr std::size_t kMostLineWork = 700'000'000;

/// By dynamic programming over parts (joined_sums.hpp). O(2^open · length²); beyond `most_work`
/// steps in 16 bits the edges that reach furthest are left out, which only lowers the result.
[[nodiscard]] std::vector<std::int64_t> least_cuts(std::size_t length,
                                                   std::span<const LineEdge> edges,
                                                   std::size_t most_work = kMostLineWork);
/// Steps of that, were no edges left out. O(length + edges).
[[nodiscard]] std::size_t least_cuts_steps(std::size_t length, std::span<const LineEdge> edges);

/// The same with every edge shared out among the vertices evenly rather than between its two ends:
/// twice W·x/length less the most weight inside x vertices, W being the weight of all edges. Over
/// the pieces of a whole row this adds up to twice the cut as well. It is more where degrees
/// differ: in a tree a leaf that is a piece of its own cuts one edge, but so many pieces cut twice
/// as many.
[[nodiscard]] std::vector<std::int64_t> least_shares(std::size_t length,
                                                     std::span<const LineEdge> edges);

}  // namespace zonecut
