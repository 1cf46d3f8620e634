#include "runs.hpp"

#include <limits>
#include <utility>
#include <vector>

namespace zonecut {

CommunicationGraph between_runs(const CommunicationGraph& graph,
                                std::span<const std::uint32_t> vertices, std::size_t size) {
  constexpr std::uint32_t kOutside = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> run_of(graph.vertices(), kOutside);
  for (std::size_t i = 0; i < vertices.size(); ++i)
    run_of[vertices[i]] = static_cast<std::uint32_t>(i / size);
  std::vector<CommunicationGraph::Edge> edges;
  for (const std::uint32_t u : vertices) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v && run_of[v] != kOutside && run_of[u] != run_of[v])
        edges.push_back({run_of[u], run_of[v], weight});
    }
  }
  return CommunicationGraph::from_edges((vertices.size() + size - 1) / size, std::move(edges));
}

}  // namespace zonecut
