#include "zonecut/partition/communication_graph.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostWeight = (std::int64_t{1} << 62) - 1;

/// Puts the smaller end first and drops loops.
void orient(std::vector<CommunicationGraph::Edge>& edges) {
  for (CommunicationGraph::Edge& edge : edges) {
    if (edge.u > edge.v) std::swap(edge.u, edge.v);
  }
  std::erase_if(edges, [](const CommunicationGraph::Edge& edge) { return edge.u == edge.v; });
}

void merge_repeated(std::vector<CommunicationGraph::Edge>& edges) {
  const auto ends = [](const CommunicationGraph::Edge& edge) { return std::pair(edge.u, edge.v); };
  if (!std::ranges::is_sorted(edges, {}, ends)) std::ranges::sort(edges, {}, ends);
  std::size_t kept = 0;
  for (const CommunicationGraph::Edge& edge : edges) {
    if (kept > 0 && edges[kept - 1].u == edge.u && edges[kept - 1].v == edge.v) {
      edges[kept - 1].weight += edge.weight;
    } else {
      edges[kept++] = edge;
    }
  }
  edges.resize(kept);
}

}  // namespace

CommunicationGraph CommunicationGraph::from_edges(std::size_t vertices, std::vector<Edge> edges) {
  CommunicationGraph graph;
  for (const Edge& edge : edges) {
    ZONECUT_ENSURES(edge.u < vertices && edge.v < vertices);
    if (edge.weight < 0) {
      throw InputError("traffic",
                       fmt::format("the weight {} between vertices {} and {} is negative",
                                   edge.weight, edge.u, edge.v));
    }
    if (edge.u == edge.v) continue;
    if (edge.weight > kMostWeight - graph.total_weight_) {
      throw InputError("traffic", "all weights together do not fit 62 bits",
                       "give the bytes in a larger unit");
    }
    graph.total_weight_ += edge.weight;
  }
  orient(edges);
  merge_repeated(edges);

  graph.offsets_.assign(vertices + 1, 0);
  for (const Edge& edge : edges) {
    ++graph.offsets_[edge.u + 1];
    ++graph.offsets_[edge.v + 1];
  }
  for (std::size_t v = 0; v < vertices; ++v) graph.offsets_[v + 1] += graph.offsets_[v];
  // The edges are sorted, so each row comes out sorted as well: first its smaller neighbours.
  graph.neighbours_.resize(2 * edges.size());
  std::vector<std::size_t> end(graph.offsets_.begin(), graph.offsets_.end() - 1);
  for (const Edge& edge : edges) graph.neighbours_[end[edge.v]++] = {edge.u, edge.weight};
  for (const Edge& edge : edges) graph.neighbours_[end[edge.u]++] = {edge.v, edge.weight};
  return graph;
}

}  // namespace zonecut
