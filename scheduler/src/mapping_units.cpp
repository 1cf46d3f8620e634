#include "mapping_units.hpp"

#include <algorithm>

namespace zonecut {

ScaledGraph::ScaledGraph(const CommunicationGraph& original, std::int64_t unit)
    : original_(original), unit_(unit) {
  if (unit == 1) return;
  std::vector<CommunicationGraph::Edge> edges;
  edges.reserve(original.edges());
  for (std::uint32_t u = 0; u < original.vertices(); ++u) {
    for (const auto& [v, weight] : original.neighbours(u)) {
      if (u < v) edges.push_back({u, v, weight / unit});
    }
  }
  coarser_ = CommunicationGraph::from_edges(original.vertices(), std::move(edges));
}

ScaledGraph scale_for(const CommunicationGraph& graph, const SlotTree& tree) {
  const std::int64_t farthest = std::max<std::int64_t>(1, tree.distance.front());
  constexpr std::int64_t kMost = std::int64_t{1} << 61;
  std::int64_t unit = 1;
  while (graph.total_weight() / unit > kMost / farthest) unit *= 2;
  return {graph, unit};
}

}  // namespace zonecut
