#pragma once
// How many vertices of each row each part holds, in rows that are rings or paths. There a part of a
// row is an interval at best, so how many parts share a row says what is cut within it, and how
// much more or less they hold of the next one what is cut between the two. A change costs next to
// nothing, and annealing finds shapes that no cuts straight through the grid make up: parts that
// lie above one another beside a third.
//
//   ┌───────────────┐
//   │       a       │
//   ├─────────┬─────┤
//   │    b    │     │
//   ├─────────┤  d  │
//   │    c    │     │
//   │      ┌──┴─────┤
//   └──────┴────────┘
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "starts/held_rows.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// A grid of two axes as rows; at least two of them, of at least two places.
struct IntervalRows {
  std::size_t rows = 0;
  std::size_t length = 0;
  std::int64_t step = 0;     ///< between neighbouring places of a row
  std::int64_t wrap = 0;     ///< between its last and its first, at most `step`
  std::int64_t across = 0;   ///< between equal places of neighbouring rows
  std::int64_t closing = 0;  ///< of the last row and the first
};

class IntervalPacking {
 public:
  /// `shares` add up to the vertices of all rows. Parts fill row after row, in an order that is
  /// drawn.
  IntervalPacking(const IntervalRows& rows, std::span<const std::uint32_t> shares, Random random);

  /// Spends the budget, and ends at the best it saw. O(1) a step, but for those that exchange rows.
  void anneal(WorkBudget& budget);

  /// No partition with these numbers cuts less.
  [[nodiscard]] std::int64_t cost() const { return (twice_ + 1) / 2; }
  [[nodiscard]] const HeldRows& held() const { return held_; }

 private:
  using Exchange = HeldRows::Exchange;

  [[nodiscard]] std::size_t after(std::size_t row) const {
    return row + 1 == rows_.rows ? 0 : row + 1;
  }
  [[nodiscard]] std::size_t before(std::size_t row) const {
    return row == 0 ? rows_.rows - 1 : row - 1;
  }
  [[nodiscard]] std::int64_t within(std::size_t row) const;
  [[nodiscard]] std::int64_t to_next(std::size_t part, std::size_t row) const;
  [[nodiscard]] std::int64_t around(std::size_t part, std::size_t a, std::size_t b) const;
  [[nodiscard]] std::int64_t measure() const;
  [[nodiscard]] std::int64_t cost_near(const Exchange& exchange) const;
  void count_all_sharing();
  void count_sharing(const Exchange& exchange);
  bool draw_exchange(Exchange& exchange);
  [[nodiscard]] std::uint32_t draw_count(const Exchange& exchange);
  bool try_exchange(double heat);
  [[nodiscard]] std::int64_t apart(std::size_t a, std::size_t b) const;
  [[nodiscard]] std::int64_t if_replaced(std::size_t row, std::size_t other,
                                         std::size_t neighbour) const;
  bool try_rows(double heat, WorkBudget& budget);

  IntervalRows rows_;
  Random random_;
  HeldRows held_;
  std::vector<std::uint32_t> sharing_;  // parts by row
  std::int64_t twice_ = 0;              // what is cut
};

}  // namespace zonecut
