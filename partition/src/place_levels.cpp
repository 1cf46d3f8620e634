#include "place_levels.hpp"

#include <algorithm>

#include "effort_plan.hpp"
#include "refine/fill_small_leaves.hpp"
#include "shares.hpp"
#include "traffic/subgraph.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

using Capacities = std::vector<std::vector<std::uint64_t>>;  // by level and domain

class LevelPlacer {
 public:
  LevelPlacer(const CommunicationGraph& graph, const SlotTree& tree,
              std::span<const Coordinates> coordinates, PartitionEffort effort, std::uint64_t seed,
              const Capacities& capacity, std::vector<std::uint32_t>& leaf)
      : graph_(graph),
        tree_(tree),
        coordinates_(coordinates),
        effort_(effort),
        seed_(seed),
        capacity_(capacity),
        leaf_(leaf),
        place_(graph.vertices(), 0) {}

  void place(std::size_t level, std::uint32_t domain, std::span<const std::uint32_t> vertices) {
    if (vertices.empty()) return;
    if (level + 1 == tree_.levels()) {
      for (const std::uint32_t v : vertices) leaf_[v] = domain;
      return;
    }
    const std::vector<std::uint32_t> children = open_children(level, domain);
    const std::vector<std::uint32_t> part = divide(level, children, vertices);
    std::vector<std::vector<std::uint32_t>> members(children.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) members[part[i]].push_back(vertices[i]);
    for (std::size_t c = 0; c < children.size(); ++c) place(level + 1, children[c], members[c]);
  }

 private:
  /// Children with room.
  [[nodiscard]] std::vector<std::uint32_t> open_children(std::size_t level,
                                                         std::uint32_t domain) const {
    const auto range = std::ranges::equal_range(tree_.parent[level + 1], domain);
    const auto first = static_cast<std::uint32_t>(range.begin() - tree_.parent[level + 1].begin());
    std::vector<std::uint32_t> children;
    for (std::uint32_t c = first; c < first + range.size(); ++c) {
      if (capacity_[level + 1][c] > 0) children.push_back(c);
    }
    return children;
  }

  /// Index into `children` for each vertex.
  std::vector<std::uint32_t> divide(std::size_t level, std::span<const std::uint32_t> children,
                                    std::span<const std::uint32_t> vertices) {
    if (children.size() == 1) return std::vector<std::uint32_t>(vertices.size(), 0);
    const Subgraph sub = induced(graph_, coordinates_, vertices, place_);
    PartitionProblem problem{sub.graph, {}, sub.coordinates};
    for (const std::uint32_t c : children) {
      problem.capacity.push_back(static_cast<std::uint32_t>(capacity_[level + 1][c]));
    }
    if (level + 2 == tree_.levels() && all_small(problem.capacity)) {
      return fill_small_leaves(problem);
    }
    const std::vector<Shares> choices{fewest_parts(problem.capacity, vertices.size())};
    return find_partition(problem, choices, effort_, {.seed = seed_}).part;
  }

  const CommunicationGraph& graph_;
  const SlotTree& tree_;
  std::span<const Coordinates> coordinates_;
  PartitionEffort effort_;
  std::uint64_t seed_;
  const Capacities& capacity_;
  std::vector<std::uint32_t>& leaf_;  // of the vertices that are placed
  std::vector<std::uint32_t> place_;
};

}  // namespace

std::vector<std::uint32_t> place_below_zones(const CommunicationGraph& graph, const SlotTree& tree,
                                             std::span<const Coordinates> coordinates,
                                             std::span<const std::uint32_t> zone,
                                             const PartitionEffort& effort,
                                             const SearchTerms& terms) {
  std::vector<std::vector<std::uint32_t>> members(tree.domains(tree.cut_level));
  for (std::uint32_t v = 0; v < zone.size(); ++v) members[zone[v]].push_back(v);
  Capacities capacity;
  for (std::size_t level = 0; level < tree.levels(); ++level)
    capacity.push_back(tree.capacity(level));
  std::vector<std::uint32_t> leaf(graph.vertices(), 0);
  for_each_index(members.size(), terms.threads, [&](std::size_t z) {
    LevelPlacer(graph, tree, coordinates, effort_for(effort, members[z].size(), zone.size()),
                terms.seed, capacity, leaf)
        .place(tree.cut_level, static_cast<std::uint32_t>(z), members[z]);
  });
  return leaf;
}

}  // namespace zonecut
