#pragma once
// Disjoint sets of the numbers below some count, joined two at a time. One member stands for each
// set. A step takes O(log n) in the mean over many.
#include <cstddef>
#include <numeric>
#include <vector>

namespace zonecut {

class DisjointSets {
 public:
  /// Each number in a set of its own.
  explicit DisjointSets(std::size_t size) : parent_(size) {
    std::iota(parent_.begin(), parent_.end(), std::size_t{0});
  }

  /// What stands for the set of this one.
  [[nodiscard]] std::size_t find(std::size_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }

  /// Makes one set of those of a and b; what stands for that of b stands for it.
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace zonecut
