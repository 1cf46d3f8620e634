#pragma once
// Disjoint sets (union-find) of the numbers 0 to n - 1. One member of each set represents it.
// Amortised O(log n) a call: path halving, without ranks.
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

  /// The representative of the set that the member is in.
  [[nodiscard]] std::size_t find(std::size_t member) {
    while (parent_[member] != member) member = parent_[member] = parent_[parent_[member]];
    return member;
  }

  /// Joins the sets of a and b; b's representative represents the result.
  void join(std::size_t a, std::size_t b) { parent_[find(a)] = find(b); }

 private:
  std::vector<std::size_t> parent_;
};

}  // namespace zonecut
