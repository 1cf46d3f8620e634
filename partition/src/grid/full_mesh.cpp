#include "grid/full_mesh.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

namespace zonecut {

CommunicationGraph weights_above(const CommunicationGraph& graph, std::int64_t least) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v && weight > least) edges.push_back({u, v, weight - least});
    }
  }
  return CommunicationGraph::from_edges(graph.vertices(), std::move(edges));
}

std::optional<FullMesh> full_mesh(const CommunicationGraph& graph) {
  const std::size_t vertices = graph.vertices();
  if (vertices < 2 || graph.edges() != vertices * (vertices - 1) / 2) return std::nullopt;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t u = 0; u < vertices; ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) least = std::min(least, weight);
  }
  if (least == 0) return std::nullopt;
  return FullMesh{least, weights_above(graph, least)};
}

MeshCut least_mesh_cut(std::size_t vertices, std::span<const std::uint32_t> capacity) {
  std::vector<std::size_t> order(capacity.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::ranges::greater{},
                           [&](std::size_t part) { return capacity[part]; });
  MeshCut cut{0, std::vector<std::uint32_t>(capacity.size(), 0)};
  std::size_t left = vertices;
  for (const std::size_t part : order) {
    const std::size_t share = std::min<std::size_t>(left, capacity[part]);
    cut.shares[part] = static_cast<std::uint32_t>(share);
    left -= share;
    cut.edges += static_cast<std::int64_t>(share * left);
  }
  return cut;
}

}  // namespace zonecut
