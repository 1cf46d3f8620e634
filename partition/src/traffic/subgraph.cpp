#include "traffic/subgraph.hpp"

namespace zonecut {

Subgraph induced(const CommunicationGraph& graph, std::span<const Coordinates> coordinates,
                 std::span<const std::uint32_t> vertices, std::vector<std::uint32_t>& place) {
  for (std::uint32_t i = 0; i < vertices.size(); ++i) place[vertices[i]] = i;
  Subgraph result;
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    for (const auto& [v, weight] : graph.neighbours(vertices[i])) {
      // What `place` holds for a vertex outside is left from another call: ask who stands there.
      const std::uint32_t j = place[v];
      if (j > i && j < vertices.size() && vertices[j] == v) edges.push_back({i, j, weight});
    }
    if (!coordinates.empty()) result.coordinates.push_back(coordinates[vertices[i]]);
  }
  result.graph = CommunicationGraph::from_edges(vertices.size(), std::move(edges));
  return result;
}

}  // namespace zonecut
