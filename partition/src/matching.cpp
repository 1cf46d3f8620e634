// Compiled as C++17: LEMON 1.3.1 uses allocator members that C++20 took out.
#include "matching.hpp"

#include <lemon/matching.h>
#include <lemon/smart_graph.h>

#include <algorithm>
#include <tuple>

namespace zonecut {

std::vector<WeightedPair> heaviest_matching(std::uint32_t vertices,
                                            const std::vector<WeightedPair>& edges) {
  lemon::SmartGraph graph;
  graph.reserveNode(static_cast<int>(vertices));
  graph.reserveEdge(static_cast<int>(edges.size()));
  for (std::uint32_t v = 0; v < vertices; ++v) graph.addNode();
  lemon::SmartGraph::EdgeMap<std::int64_t> weight(graph);
  for (const WeightedPair& edge : edges) {
    weight[graph.addEdge(graph.nodeFromId(static_cast<int>(edge.u)),
                         graph.nodeFromId(static_cast<int>(edge.v)))] = edge.weight;
  }
  lemon::MaxWeightedMatching<lemon::SmartGraph, lemon::SmartGraph::EdgeMap<std::int64_t>> matching(
      graph, weight);
  matching.run();
  std::vector<WeightedPair> pairs;
  for (std::size_t e = 0; e < edges.size(); ++e) {
    if (matching.matching(graph.edgeFromId(static_cast<int>(e)))) pairs.push_back(edges[e]);
  }
  std::sort(pairs.begin(), pairs.end(), [](const WeightedPair& x, const WeightedPair& y) {
    return std::make_tuple(-x.weight, x.u, x.v) < std::make_tuple(-y.weight, y.u, y.v);
  });
  return pairs;
}

}  // namespace zonecut
