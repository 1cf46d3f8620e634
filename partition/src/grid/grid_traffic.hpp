#pragma once
// The regular part of a job's traffic, found again in graph and coordinates: vertices at every
// place of a grid, and for each kind of edge the least weight it has anywhere. Edges of no kind,
// and what single edges weigh more, are left out, so that a bound on this traffic is one on the
// graph.
//
//            axis 1: data-parallel ring, expert replicas
//          ┌──────────────►
//   axis 0 │  o=o=o=o┐  ┌ o=o=o=o      === within a group of axis 0: ring or clique
//   groups │         └──┘              ─── chain: end of one group to the start of the next
//          ▼
//   axis 2: pipeline stages; every stage looks like the one before
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grid/weight_unit.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Between two places of an axis, low < high.
struct LineEdge {
  std::uint32_t low = 0;
  std::uint32_t high = 0;
  std::int64_t weight = 0;
};

struct GridTraffic {
  std::array<std::uint32_t, 3> size{1, 1, 1};
  std::array<std::int64_t, 3> step{};  ///< between neighbours along an axis
  std::array<std::int64_t, 3> wrap{};  ///< between its last and its first; 0 where it has only two
  std::int64_t clique = 0;             ///< between any two of a group of axis 0
  std::int64_t chain = 0;  ///< last of a group of axis 0 to the first of the next, around axis 1
  /// Along axis 1 every edge that all its lines have, where they are more than a ring: trees.
  std::vector<LineEdge> lines;
  std::vector<std::uint32_t> at;  ///< vertex by place, axis 0 fastest
  [[nodiscard]] std::size_t vertices() const noexcept {
    return std::size_t{size[0]} * size[1] * size[2];
  }
};

/// One grid per set of axes that apply (encoder and decoder of a multimodal model are two). A set
/// whose vertices are not a full grid has none. O(edges + vertices log vertices).
[[nodiscard]] std::vector<GridTraffic> recover_grids(const CommunicationGraph& graph,
                                                     std::span<const Coordinates> coordinates);

/// Between the places of these vertices in their list, in quarters of the unit, rounded down.
/// O(vertices of the graph + edges).
[[nodiscard]] std::vector<LineEdge> edges_among(const CommunicationGraph& graph,
                                                std::span<const std::uint32_t> vertices,
                                                WeightUnit unit);

/// Every weight in another unit, rounded down: a bound in it stays one.
[[nodiscard]] GridTraffic in_units(GridTraffic grid, WeightUnit unit);

}  // namespace zonecut
