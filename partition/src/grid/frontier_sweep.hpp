#pragma once
// A sweep over the vertices of a small graph in order, of which few lie open at a time: seen
// already, with edges to some not seen yet. In NCCL's double binary tree of 512 ranks these are 11
// at most. Its state is which of the open vertices belong to a set.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"

namespace zonecut {

/// From the state before a vertex to the one after it.
struct FrontierStep {
  struct Way {
    std::uint32_t from = 0;  ///< state before it
    bool taken = false;      ///< the vertex belongs to the set
    std::int64_t cut = 0;    ///< weight of its edges to vertices before it on the other side
  };
  std::vector<std::uint32_t> first;  ///< by state after it, the first way there; one more
  std::vector<Way> ways;
  [[nodiscard]] std::size_t states() const { return first.size() - 1; }
  [[nodiscard]] std::span<const Way> ways_to(std::size_t state) const {
    return std::span(ways).subspan(first[state], first[state + 1] - first[state]);
  }
};

/// The ways of all steps together; the most there can be where far too many vertices lie open.
/// O(length + edges).
[[nodiscard]] std::size_t frontier_ways(std::size_t length, std::span<const LineEdge> edges);

/// The nearest ends first; edges that reach as far keep their order.
void sort_by_reach(std::span<LineEdge> edges);

/// A step for every vertex; before the first and after the last there is one state. Edges of no
/// weight count for nothing. O(ways), of which there must not be too many.
[[nodiscard]] std::vector<FrontierStep> frontier_sweep(std::size_t length,
                                                       std::span<const LineEdge> edges);

/// Whether the graph read backwards is the same.
[[nodiscard]] bool is_mirrored(std::size_t length, std::span<const LineEdge> edges);

}  // namespace zonecut
