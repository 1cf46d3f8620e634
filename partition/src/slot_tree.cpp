#include "zonecut/partition/slot_tree.hpp"

#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut {

std::size_t SlotTree::slots() const {
  return std::accumulate(free.begin(), free.end(), std::size_t{0});
}

std::vector<std::uint32_t> SlotTree::domain_of_leaf(std::size_t level) const {
  std::vector<std::uint32_t> domain(leaves());
  std::iota(domain.begin(), domain.end(), 0u);
  for (std::size_t l = levels() - 1; l > level; --l) {
    for (std::uint32_t& d : domain) d = parent[l][d];
  }
  return domain;
}

std::vector<std::uint32_t> SlotTree::leaf_of_slot() const {
  std::vector<std::uint32_t> leaf;
  leaf.reserve(slots());
  for (std::uint32_t i = 0; i < leaves(); ++i) leaf.insert(leaf.end(), free[i], i);
  return leaf;
}

std::vector<std::uint64_t> SlotTree::capacity(std::size_t level) const {
  std::vector<std::uint64_t> capacity(domains(level), 0);
  const std::vector<std::uint32_t> domain = domain_of_leaf(level);
  for (std::size_t leaf = 0; leaf < leaves(); ++leaf) capacity[domain[leaf]] += free[leaf];
  return capacity;
}

void check(const SlotTree& tree) {
  ZONECUT_ENSURES(tree.levels() > 0 && tree.cut_level < tree.levels());
  ZONECUT_ENSURES(tree.free.size() == tree.parent.back().size());
  ZONECUT_ENSURES(tree.distance.size() == tree.levels() + 1);
  for (std::size_t level = 0; level < tree.levels(); ++level) {
    const std::size_t above = level == 0 ? 1 : tree.domains(level - 1);
    for (std::size_t i = 0; i < tree.domains(level); ++i) {
      ZONECUT_ENSURES(tree.parent[level][i] < above);
      ZONECUT_ENSURES(i == 0 || tree.parent[level][i - 1] <= tree.parent[level][i]);
    }
  }
  for (std::size_t k = 0; k < tree.distance.size(); ++k) {
    ZONECUT_ENSURES(tree.distance[k] >= 0 && (k == 0 || tree.distance[k] <= tree.distance[k - 1]));
  }
}

}  // namespace zonecut
