#include "place_levels.hpp"

#include <algorithm>

#include "fill_small_leaves.hpp"
#include "shares.hpp"
#include "subgraph.hpp"

namespace zonecut {
namespace {

class LevelPlacer {
 public:
  LevelPlacer(const CommunicationGraph& graph, const SlotTree& tree,
              std::span<const Coordinates> coordinates, const PartitionEffort& effort,
              std::uint64_t seed)
      : graph_(graph),
        tree_(tree),
        coordinates_(coordinates),
        effort_(effort),
        seed_(seed),
        leaf_(graph.vertices(), 0),
        place_(graph.vertices(), 0) {
    for (std::size_t level = 0; level < tree.levels(); ++level) {
      capacity_.push_back(tree.capacity(level));
    }
  }

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

  [[nodiscard]] std::vector<std::uint32_t> take() { return std::move(leaf_); }

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
    return find_partition(problem, choices, effort_, seed_, 0).part;
  }

  const CommunicationGraph& graph_;
  const SlotTree& tree_;
  std::span<const Coordinates> coordinates_;
  const PartitionEffort& effort_;
  std::uint64_t seed_;
  std::vector<std::vector<std::uint64_t>> capacity_;  // by level and domain
  std::vector<std::uint32_t> leaf_;
  std::vector<std::uint32_t> place_;
};

}  // namespace

std::vector<std::uint32_t> place_below_zones(const CommunicationGraph& graph, const SlotTree& tree,
                                             std::span<const Coordinates> coordinates,
                                             std::span<const std::uint32_t> zone,
                                             const PartitionEffort& effort, std::uint64_t seed) {
  std::vector<std::vector<std::uint32_t>> members(tree.domains(tree.cut_level));
  for (std::uint32_t v = 0; v < zone.size(); ++v) members[zone[v]].push_back(v);
  LevelPlacer placer(graph, tree, coordinates, effort, seed);
  for (std::uint32_t z = 0; z < members.size(); ++z) placer.place(tree.cut_level, z, members[z]);
  return placer.take();
}

}  // namespace zonecut
