#pragma once
// The part of a communication graph between some of its vertices, renumbered in their order.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

struct Subgraph {
  CommunicationGraph graph;
  std::vector<Coordinates> coordinates;  ///< empty when there were none
};

/// `place` is scratch of one entry per vertex of `graph`, the same for every call. O(edges of the
/// vertices · log).
[[nodiscard]] Subgraph induced(const CommunicationGraph& graph,
                               std::span<const Coordinates> coordinates,
                               std::span<const std::uint32_t> vertices,
                               std::vector<std::uint32_t>& place);

}  // namespace zonecut
