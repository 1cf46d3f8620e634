#include "coordinates/tree_order.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <utility>

#include "coordinates/colours.hpp"
#include "traffic/binary_tree.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kFewest = 8;
constexpr std::size_t kMost = 1 << 13;
constexpr int kTries = 16;

using Colours = std::vector<std::uint64_t>;
using Sorted = std::vector<std::pair<std::uint64_t, std::uint32_t>>;

CommunicationGraph double_tree(std::size_t vertices, std::int64_t weight) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::size_t rank = 0; rank < vertices; ++rank) {
    for (const auto parent : {tree_parent(rank, vertices), second_tree_parent(rank, vertices)}) {
      if (!parent) continue;
      edges.push_back(
          {static_cast<std::uint32_t>(rank), static_cast<std::uint32_t>(*parent), weight});
    }
  }
  return CommunicationGraph::from_edges(vertices, std::move(edges));
}

std::int64_t least_weight(const CommunicationGraph& graph) {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) least = std::min(least, weight);
  }
  return least;
}

/// Vertices by colour.
Sorted sorted(const Colours& colour) {
  Sorted result;
  for (std::uint32_t v = 0; v < colour.size(); ++v) result.emplace_back(colour[v], v);
  std::ranges::sort(result);
  return result;
}

class Matching {
 public:
  Matching(const CommunicationGraph& model, const CommunicationGraph& graph)
      : model_(model), graph_(graph) {}

  /// [v of the model]: the vertex of the graph.
  std::optional<std::vector<std::uint32_t>> match(const Colours& of_model,
                                                  const Colours& of_graph) {
    const auto here = sorted(of_model);
    const auto there = sorted(of_graph);
    const auto unlike = [](const auto& a, const auto& b) { return a.first != b.first; };
    for (std::size_t i = 0; i < here.size(); ++i) {
      if (unlike(here[i], there[i])) return std::nullopt;
    }
    // Most that still look alike may change places each for itself, and any order will do.
    auto found = pairs(here, there);
    const auto alike = std::ranges::adjacent_find(here, std::not_fn(unlike));
    if (found || alike == here.end()) return found;
    // Some vertex of several that look alike is the model's.
    Colours marked = of_model;
    const std::uint64_t colour = alike->first;
    marked[alike->second] = mixed(colour + 1);
    marked = refined_colours(model_, std::move(marked));
    for (auto i = static_cast<std::size_t>(alike - here.begin());
         i < there.size() && there[i].first == colour && tries_ < kTries; ++i) {
      ++tries_;
      Colours also = of_graph;
      also[there[i].second] = mixed(colour + 1);
      found = match(marked, refined_colours(graph_, std::move(also)));
      if (found) return found;
    }
    return std::nullopt;
  }

 private:
  std::optional<std::vector<std::uint32_t>> pairs(const Sorted& here, const Sorted& there) const {
    std::vector<std::uint32_t> image(here.size());
    for (std::size_t i = 0; i < here.size(); ++i) image[here[i].second] = there[i].second;
    std::vector<CommunicationGraph::Edge> edges;
    for (std::uint32_t u = 0; u < model_.vertices(); ++u) {
      for (const auto& [v, weight] : model_.neighbours(u)) {
        if (u < v) edges.push_back({image[u], image[v], weight});
      }
    }
    // Colours may agree by chance.
    if (CommunicationGraph::from_edges(image.size(), std::move(edges)) != graph_) {
      return std::nullopt;
    }
    return image;
  }

  const CommunicationGraph& model_;
  const CommunicationGraph& graph_;
  int tries_ = 0;
};

}  // namespace

std::optional<std::vector<std::uint32_t>> tree_order(const CommunicationGraph& graph) {
  const std::size_t vertices = graph.vertices();
  if (vertices < kFewest || vertices > kMost || graph.edges() > 2 * vertices) return std::nullopt;
  const std::int64_t weight = least_weight(graph);
  // Also keeps the model's sums within 64 bits.
  const auto edges = static_cast<std::int64_t>(2 * (vertices - 1));
  if (weight <= 0 || graph.total_weight() % weight != 0) return std::nullopt;
  if (graph.total_weight() / weight != edges) return std::nullopt;
  const CommunicationGraph model = double_tree(vertices, weight);
  if (model.edges() != graph.edges()) return std::nullopt;
  return Matching(model, graph).match(refined_colours(model), refined_colours(graph));
}

}  // namespace zonecut
