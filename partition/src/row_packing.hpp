#pragma once
// How many vertices of each row each part holds, whatever their places: parts as full rows and
// pieces that fill the other rows up. What pieces cut is known by size (row_model.hpp), so a change
// costs next to nothing, and annealing finds which parts go well together in a row.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "row_model.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class RowPacking {
 public:
  /// Borrows the model. `shares` add up to its vertices. Parts fill row after row, in an order that
  /// is drawn. `group`: pieces of whole groups cut less.
  RowPacking(const RowModel& model, std::span<const std::uint32_t> shares, std::size_t group,
             Random random);

  /// Spends the budget, and ends at the best it saw. O(rows) a step.
  void anneal(WorkBudget& budget);

  /// Twice what the model says, in quarters, but for its deductions, which are the same for all.
  [[nodiscard]] std::int64_t cost() const;
  [[nodiscard]] std::uint32_t held(std::size_t part, std::size_t row) const {
    return held_[part * rows_ + row];
  }

 private:
  struct Exchange {  ///< `count` vertices of `one` from row `here` to `there`, of `other` back
    std::size_t one = 0;
    std::size_t other = 0;
    std::size_t here = 0;
    std::size_t there = 0;
    std::uint32_t count = 0;
  };

  void fill_in_turn(std::span<const std::uint32_t> shares);
  [[nodiscard]] std::int64_t cost_of(std::size_t part) const;
  bool draw_exchange(Exchange& exchange);
  void apply(const Exchange& exchange);
  void swap_rows(std::size_t a, std::size_t b);
  bool try_exchange(double heat);
  bool try_rows(double heat);
  bool accept(std::int64_t before, std::int64_t after, double heat);
  std::uint32_t& at(std::size_t part, std::size_t row) { return held_[part * rows_ + row]; }

  const RowModel& model_;
  std::size_t parts_;
  std::size_t rows_;
  std::size_t group_;
  Random random_;
  std::vector<std::uint32_t> held_;  // by part and row
  std::vector<std::int64_t> cost_;   // by part
};

}  // namespace zonecut
