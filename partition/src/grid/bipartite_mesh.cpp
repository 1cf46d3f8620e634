#include "grid/bipartite_mesh.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <span>
#include <utility>

#include "grid/line_cut.hpp"
#include "zonecut/base/disjoint_sets.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;

using Vertices = std::vector<std::uint32_t>;

/// Vertices of each component of the graph that has the edges that this one lacks, the largest
/// first. O(edges + vertices): whoever is reached leaves those that are not.
std::vector<Vertices> components_of_complement(const CommunicationGraph& graph) {
  Vertices left(graph.vertices());
  std::iota(left.begin(), left.end(), 0U);
  std::vector<bool> near(graph.vertices(), false);
  std::vector<Vertices> components;
  while (!left.empty()) {
    Vertices component{left.back()};
    left.pop_back();
    for (std::size_t i = 0; i < component.size(); ++i) {
      for (const auto& to : graph.neighbours(component[i])) near[to.vertex] = to.weight > 0;
      const auto apart = std::ranges::partition(left, [&](std::uint32_t v) { return near[v]; });
      component.insert(component.end(), apart.begin(), apart.end());
      left.erase(apart.begin(), apart.end());
      for (const auto& to : graph.neighbours(component[i])) near[to.vertex] = false;
    }
    components.push_back(std::move(component));
  }
  std::ranges::stable_sort(components, std::ranges::greater{}, &Vertices::size);
  return components;
}

/// Those that exchange within the side next to each other.
void sort_by_group(const CommunicationGraph& graph, Vertices& side) {
  std::vector<bool> here(graph.vertices(), false);
  for (const std::uint32_t v : side) here[v] = true;
  DisjointSets groups(graph.vertices());
  for (const std::uint32_t v : side) {
    for (const auto& to : graph.neighbours(v)) {
      if (here[to.vertex] && to.weight > 0) groups.join(v, to.vertex);
    }
  }
  std::vector<std::size_t> first(graph.vertices(), graph.vertices());
  for (const std::uint32_t v : side) {
    std::size_t& least = first[groups.find(v)];
    least = std::min<std::size_t>(least, v);
  }
  std::ranges::sort(side, {}, [&](std::uint32_t v) { return std::pair(first[groups.find(v)], v); });
}

/// What the graph lacks all lies within the largest part of it, or within the rest.
std::optional<BipartiteMesh> one_way(const CommunicationGraph& graph) {
  std::vector<Vertices> components = components_of_complement(graph);
  if (components.size() < 2) return std::nullopt;
  BipartiteMesh mesh;
  mesh.sides[1] = std::move(components.front());
  for (std::size_t i = 1; i < components.size(); ++i) {
    mesh.sides[0].insert(mesh.sides[0].end(), components[i].begin(), components[i].end());
  }
  std::vector<bool> second(graph.vertices(), false);
  for (const std::uint32_t v : mesh.sides[1]) second[v] = true;
  mesh.weight = std::numeric_limits<std::int64_t>::max();
  for (const std::uint32_t v : mesh.sides[0]) {
    for (const auto& to : graph.neighbours(v)) {
      if (second[to.vertex] && to.weight > 0) mesh.weight = std::min(mesh.weight, to.weight);
    }
  }
  for (Vertices& side : mesh.sides) sort_by_group(graph, side);
  return mesh;
}

std::int64_t most_frequent_weight(const CommunicationGraph& graph) {
  std::map<std::int64_t, std::size_t> edges;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for (const auto& to : graph.neighbours(v)) ++edges[to.weight];
  }
  const auto most = std::ranges::max_element(
      edges, {}, [](const auto& weight_and_count) { return weight_and_count.second; });
  return most == edges.end() ? 0 : most->first;
}

/// Edges of one weight that make up two complete bipartite graphs, and ties between the two.
class TwoWays {
 public:
  TwoWays(const CommunicationGraph& graph, std::int64_t weight)
      : graph_(graph), weight_(weight), colour_(graph.vertices(), kNone) {}

  std::optional<BipartiteMesh> run() {
    for (std::uint32_t v = 0; v < colour_.size(); ++v) {
      if (colour_[v] != kNone) continue;
      if (halves_.size() == 4 || !spread_from(v)) return std::nullopt;
    }
    if (halves_.size() != 4 || !are_complete()) return std::nullopt;
    return tied();
  }

 private:
  static constexpr std::size_t kNone = 4;

  /// Colours 0 and 1 of the first component, 2 and 3 of the second.
  bool spread_from(std::uint32_t start) {
    const std::size_t colour = halves_.size();
    halves_.resize(colour + 2);
    Vertices reached{start};
    colour_[start] = colour;
    for (std::size_t i = 0; i < reached.size(); ++i) {
      const std::uint32_t v = reached[i];
      halves_[colour_[v]].push_back(v);
      for (const auto& to : graph_.neighbours(v)) {
        if (to.weight != weight_) continue;
        std::size_t& other = colour_[to.vertex];
        if (other == colour_[v]) return false;
        if (other != kNone) continue;
        other = colour_[v] ^ 1U;
        reached.push_back(to.vertex);
      }
    }
    return true;
  }

  [[nodiscard]] bool are_complete() const {
    for (std::uint32_t v = 0; v < colour_.size(); ++v) {
      const auto edges =
          std::ranges::count(graph_.neighbours(v), weight_, &CommunicationGraph::Neighbour::weight);
      if (std::cmp_not_equal(edges, halves_[colour_[v] ^ 1U].size())) return false;
    }
    return true;
  }

  /// Every vertex has one tie, to the other component, and those of one half lead to one half.
  [[nodiscard]] std::optional<BipartiteMesh> tied() const {
    BipartiteMesh mesh;
    mesh.ways = 2;
    mesh.weight = weight_;
    std::array<std::size_t, 2> twin{kNone, kNone};
    for (std::size_t side = 0; side < 2; ++side) {
      mesh.tie[side] = std::numeric_limits<std::int64_t>::max();
      for (const std::uint32_t v : halves_[side]) {
        const CommunicationGraph::Neighbour* tie = nullptr;
        for (const auto& to : graph_.neighbours(v)) {
          if (to.weight == weight_ || to.weight == 0) continue;
          if (tie != nullptr || colour_[to.vertex] < 2) return std::nullopt;
          tie = &to;
        }
        if (tie == nullptr) return std::nullopt;
        const std::size_t half = colour_[tie->vertex];
        if (twin[side] != kNone && twin[side] != half) return std::nullopt;
        twin[side] = half;
        mesh.tie[side] = std::min(mesh.tie[side], tie->weight);
        mesh.sides[side].insert(mesh.sides[side].end(), {v, tie->vertex});
      }
    }
    if (twin[0] == twin[1]) return std::nullopt;
    for (const auto& side : mesh.sides) {
      Vertices sorted = side;
      std::ranges::sort(sorted);
      if (std::ranges::adjacent_find(sorted) != sorted.end()) return std::nullopt;
    }
    const bool all = mesh.sides[0].size() + mesh.sides[1].size() == colour_.size();
    return all ? std::optional(std::move(mesh)) : std::nullopt;
  }

  const CommunicationGraph& graph_;
  std::int64_t weight_;
  std::vector<std::size_t> colour_;  // by vertex
  std::vector<Vertices> halves_;     // by colour
};

/// What x vertices of a side cut among its own at least, by x.
std::vector<std::int64_t> least_inside(const CommunicationGraph& graph, const Vertices& side,
                                       WeightUnit unit) {
  const std::vector<LineEdge> edges = edges_among(graph, side, unit);
  constexpr std::size_t kMostWork = 100'000'000;
  if (edges.empty()) return std::vector<std::int64_t>(side.size() + 1, 0);
  return least_cuts(side.size(), edges, kMostWork);
}

}  // namespace

std::optional<BipartiteMesh> bipartite_mesh(const CommunicationGraph& graph) {
  // Far fewer edges than the sides have between them.
  if (graph.vertices() < 3 || graph.edges() + 1 < graph.vertices()) return std::nullopt;
  if (auto mesh = one_way(graph)) return mesh;
  return TwoWays(graph, most_frequent_weight(graph)).run();
}

BipartiteCuts::BipartiteCuts(const BipartiteMesh& mesh, const CommunicationGraph& graph,
                             WeightUnit unit)
    : ways_(mesh.ways),
      weight_(static_cast<double>(kQuarter * unit.down(mesh.weight))),
      size_{mesh.sides[0].size(), mesh.sides[1].size()},
      tie_{static_cast<double>(kQuarter * unit.down(mesh.tie[0])),
           static_cast<double>(kQuarter * unit.down(mesh.tie[1]))} {
  if (ways_ == 2) return;
  for (std::size_t s = 0; s < 2; ++s) inside_[s] = least_inside(graph, mesh.sides[s], unit);
}

double BipartiteCuts::of(std::size_t first, std::size_t second) const {
  if (ways_ == 2) return of_halves(first, second);
  const auto edges = static_cast<double>(first * (size_[1] - second) + second * (size_[0] - first));
  return weight_ * edges + static_cast<double>(inside_[0][first] + inside_[1][second]);
}

/// Vertices divide into halves as costs least. That is linear in either number for as long as no
/// half has more than the other, and the first half may have more of the first side.
double BipartiteCuts::of_halves(std::size_t first, std::size_t second) const {
  const std::array<std::size_t, 2> half{size_[0] / 2, size_[1] / 2};
  const std::size_t least = second - std::min(second, half[1]);
  double best = std::numeric_limits<double>::infinity();
  for (const std::size_t x : {(first + 1) / 2, std::min(first, half[0])}) {
    for (const std::size_t y : {least, second / 2, (second + 1) / 2, std::min(second, half[1])}) {
      const std::size_t x_other = first - x;
      const std::size_t y_other = second - y;
      const std::size_t edges = x * (half[1] - y) + y * (half[0] - x) +
                                x_other * (half[1] - y_other) + y_other * (half[0] - x_other);
      const std::size_t over = y > y_other ? y - y_other : y_other - y;
      best = std::min(best, weight_ * static_cast<double>(edges) +
                                tie_[0] * static_cast<double>(x - x_other) +
                                tie_[1] * static_cast<double>(over));
    }
  }
  return best;
}

}  // namespace zonecut
