#pragma once
// Edge colouring of bipartite multigraphs: edges that meet at a vertex get different colours, and
// no more colours are needed than edges meet anywhere (König 1916).
#include <cstdint>
#include <span>
#include <vector>

namespace zonecut {

/// Vertices of either side are numbered from 0 for themselves.
struct BipartiteEdge {
  std::uint32_t left = 0;
  std::uint32_t right = 0;
};

/// One colour below `colours` for each edge; at most `colours` edges may meet at a vertex. Edge by
/// edge, along alternating paths. O(edges · (colours + vertices)), and in practice nearer to
/// O(edges · colours).
[[nodiscard]] std::vector<std::uint32_t> edge_colours(std::span<const BipartiteEdge> edges,
                                                      std::uint32_t colours);

}  // namespace zonecut
