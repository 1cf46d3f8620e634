#include <algorithm>
#include <numeric>

#include "bound/bound.hpp"

namespace zonecut {
namespace {

class Components {
 public:
  explicit Components(std::size_t vertices) : above_(vertices) {
    std::iota(above_.begin(), above_.end(), 0u);
  }
  std::uint32_t root(std::uint32_t v) {
    while (above_[v] != v) v = above_[v] = above_[above_[v]];
    return v;
  }
  bool join(std::uint32_t u, std::uint32_t v) {
    u = root(u);
    v = root(v);
    above_[u] = v;
    return u != v;
  }

 private:
  std::vector<std::uint32_t> above_;
};

/// The fewest parts that hold so many vertices.
std::size_t parts_needed(std::vector<std::uint32_t> capacity, std::size_t vertices) {
  std::ranges::sort(capacity, std::ranges::greater{});
  std::size_t parts = 0;
  std::size_t room = 0;
  while (room < vertices && parts < capacity.size()) room += capacity[parts++];
  return parts;
}

}  // namespace

std::int64_t spanning_tree_bound(const PartitionProblem& problem) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < problem.graph.vertices(); ++u) {
    for (const auto& [v, weight] : problem.graph.neighbours(u)) {
      if (u < v) edges.push_back({u, v, weight});
    }
  }
  std::ranges::stable_sort(edges, std::ranges::greater{}, &CommunicationGraph::Edge::weight);
  Components components(problem.graph.vertices());
  std::vector<CommunicationGraph::Edge> tree;
  for (const auto& edge : edges) {
    if (components.join(edge.u, edge.v)) tree.push_back(edge);
  }
  // The tree came heaviest first; of every component the lightest edges are the last.
  std::vector<std::size_t> size(problem.graph.vertices(), 0);
  for (std::uint32_t v = 0; v < size.size(); ++v) ++size[components.root(v)];
  std::vector<std::size_t> crossing(size.size(), 0);
  const std::uint32_t largest = *std::ranges::max_element(problem.capacity);
  for (std::size_t c = 0; c < size.size(); ++c) {
    if (size[c] > largest) crossing[c] = parts_needed(problem.capacity, size[c]) - 1;
  }
  std::int64_t bound = 0;
  for (auto edge = tree.rbegin(); edge != tree.rend(); ++edge) {
    std::size_t& left = crossing[components.root(edge->u)];
    if (left == 0) continue;
    --left;
    bound += edge->weight;
  }
  return bound;
}

}  // namespace zonecut
