#pragma once
// The least cut of a small graph by Russian doll search (Verfaillie, Lemaître and Schiex, AAAI
// 1996): first of the last vertices in an order, then of one more at a time, up to all of them.
//
//   v0 v1 v2 | v3 v4 v5 …     in blocks | still open
//
// What v0 to v2 cut among each other, what each later vertex cuts of their blocks at least, and the
// least cut of v3, v4, v5, … among themselves, which is known by then, add up to a bound.
// Vertices join blocks; which part a block becomes is left open, so that no two divisions are met
// that differ in names only. As blocks only grow, one that fits no more never will. What a later
// vertex cuts of the blocks is the least where each goes to the block it has most to do with; where
// more want a block than it has room for, those that lose least by it go elsewhere.
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

class NestedSearch {
 public:
  /// Keeps nothing of the problem. `order`: every vertex once. O(vertices² · parts) memory.
  NestedSearch(const PartitionProblem& problem, std::vector<std::uint32_t> order);

  /// Goes on with the first search that has not come to its end, from its beginning, and with those
  /// after it, up to one that takes more steps than are left. `best`: within the capacities; a
  /// better one takes its place. Ends early where that cuts no more than `enough`, which is a
  /// proven bound or 0.
  void go_on(Partition& best, std::int64_t enough, WorkBudget& budget);

  /// No partition cuts less, as far as is known.
  [[nodiscard]] std::int64_t bound() const { return least_[unknown_]; }

 private:
  struct Choice {  ///< of a block
    std::int64_t cut = 0;
    std::uint32_t block = 0;
  };

  void search(std::size_t first, Partition& best, std::int64_t enough, WorkBudget& budget);
  void extend(std::size_t at, std::size_t blocks, std::int64_t cut);
  void join(std::size_t at, std::uint32_t block, std::size_t blocks);
  void find_room(std::size_t blocks);
  [[nodiscard]] std::int64_t cut_of_later(std::size_t at, std::size_t blocks);
  [[nodiscard]] std::int64_t cut_after(std::size_t first,
                                       std::span<const std::uint32_t> part) const;
  [[nodiscard]] std::vector<std::uint32_t> parts_of_blocks() const;
  [[nodiscard]] std::size_t vertices() const { return order_.size(); }
  [[nodiscard]] std::int64_t weight(std::size_t u, std::size_t v) const {
    return weight_[u * vertices() + v];
  }
  /// Weight between a later vertex and the blocks, when `at` is the next to join one.
  [[nodiscard]] std::span<std::int64_t> ties(std::size_t at, std::size_t vertex) {
    return {&ties_[(at * vertices() + vertex) * most_blocks_], most_blocks_};
  }

  std::vector<std::uint32_t> order_;
  std::vector<std::int64_t> weight_;    // by places in the order
  std::vector<std::uint32_t> by_room_;  // parts with room, the roomiest first
  std::vector<std::uint32_t> room_;     // of these
  std::size_t most_blocks_ = 0;
  std::vector<std::int64_t> least_;  // what the vertices from here on cut among themselves
  std::size_t unknown_;              // it is known from this vertex on, not before

  // Of the search under way.
  std::int64_t best_ = 0;
  std::int64_t enough_ = 0;
  std::int64_t steps_left_ = 0;
  bool found_ = false;
  std::vector<std::uint32_t> block_;  // by place in the order
  std::vector<std::uint32_t> best_block_;
  std::vector<std::uint32_t> size_;  // by block
  std::vector<std::uint32_t> best_size_;
  std::vector<std::uint32_t> spare_;    // [b]: vertices that may still join it
  std::vector<std::uint32_t> by_size_;  // blocks, the largest first
  std::vector<std::int64_t> ties_;
  std::vector<std::vector<std::int64_t>> regrets_;  // by block that vertices want
  std::vector<std::vector<Choice>> choices_;        // by the vertex that has them
};

}  // namespace zonecut
