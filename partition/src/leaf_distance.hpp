#pragma once
// How far two leaves are from each other, answered in O(levels) from a flat table of ancestors.
#include <cstdint>
#include <vector>

#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

class LeafDistance {
 public:
  /// Borrows the tree.
  explicit LeafDistance(const SlotTree& tree) : tree_(tree), levels_(tree.levels()) {
    ancestors_.resize(tree.leaves() * levels_);
    for (std::size_t level = 0; level < levels_; ++level) {
      const std::vector<std::uint32_t> domain = tree.domain_of_leaf(level);
      for (std::size_t leaf = 0; leaf < domain.size(); ++leaf) {
        ancestors_[leaf * levels_ + level] = domain[leaf];
      }
    }
  }

  /// In how many levels the two share their domain: 0 if only the root is common, levels() in one
  /// leaf. The index into SlotTree::distance.
  [[nodiscard]] std::size_t shared_levels(std::uint32_t a, std::uint32_t b) const {
    if (a == b) return levels_;
    std::size_t level = levels_ - 1;
    while (level > 0 && ancestor(a, level - 1) != ancestor(b, level - 1)) --level;
    return level;
  }
  [[nodiscard]] std::int64_t operator()(std::uint32_t a, std::uint32_t b) const {
    return tree_.distance[shared_levels(a, b)];
  }
  [[nodiscard]] std::uint32_t ancestor(std::uint32_t leaf, std::size_t level) const {
    return ancestors_[leaf * levels_ + level];
  }

 private:
  const SlotTree& tree_;
  std::size_t levels_;
  std::vector<std::uint32_t> ancestors_;  // leaf-major
};

}  // namespace zonecut
