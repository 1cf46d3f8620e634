#pragma once
// How many vertices of each row each part holds, whatever their places: parts as full rows and
// pieces that fill the other rows up. What pieces cut is known by size (row_model.hpp), so a change
// costs next to nothing, and annealing finds which parts go well together in a row.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/row_model.hpp"
#include "partition_problem.hpp"
#include "starts/held_rows.hpp"
#include "starts/packed_excess.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class RowPacking {
 public:
  /// Borrows the model and the excess. `shares` add up to its vertices. Parts fill row after row,
  /// in an order that is drawn. `group`: pieces of whole groups cut less.
  RowPacking(const RowModel& model, PackedExcess& excess, std::span<const std::uint32_t> shares,
             std::size_t group, Random random);

  /// Begins with these, which fill every row.
  RowPacking(const RowModel& model, PackedExcess& excess, HeldRows held, std::size_t group,
             Random random);

  /// Spends the budget, and ends at the best it saw. O(rows + parts) a step. `heat`: to begin with,
  /// of the usual.
  void anneal(WorkBudget& budget, double heat = 1);

  /// Twice what the model and the excess say, in quarters, but for deductions that are the same for
  /// all.
  [[nodiscard]] std::int64_t cost() const { return sum_; }
  /// With what rows cut more, of each as it is.
  [[nodiscard]] std::int64_t exact_cost();
  [[nodiscard]] const HeldRows& rows() const { return held_; }

 private:
  [[nodiscard]] std::uint32_t held(std::size_t part, std::size_t row) const {
    return held_.held(part, row);
  }

  using Exchange = HeldRows::Exchange;

  struct Touched {
    std::uint32_t row = 0;
    std::uint32_t held = 0;
  };
  struct PartCost {
    std::int64_t inner = 0;  ///< its pieces
    std::int64_t ends = 0;   ///< of its runs of rows; never negative
    [[nodiscard]] std::int64_t sum() const { return inner + ends; }
  };

  void measure();
  [[nodiscard]] std::int64_t inner_cost(std::size_t part) const;
  [[nodiscard]] std::int64_t ends_of(std::size_t part);
  [[nodiscard]] std::int64_t ends_after(std::size_t part, std::size_t from, std::size_t to,
                                        std::uint32_t count);
  [[nodiscard]] std::int64_t ends_swapped(std::size_t part, std::size_t a, std::size_t b);
  [[nodiscard]] std::int64_t ends_of_touched() const;
  [[nodiscard]] std::int64_t inner_after(std::size_t part, std::size_t from, std::size_t to,
                                         std::uint32_t count) const;
  std::size_t draw_row(std::size_t part, std::size_t other_row);
  std::size_t draw_part(std::size_t row, std::size_t other_part);
  bool draw_places(Exchange& exchange);
  bool draw_exchange(Exchange& exchange);
  bool try_exchange(double heat);
  bool try_rows(double heat);

  [[nodiscard]] std::span<const std::uint32_t> pieces_of(std::size_t row);
  [[nodiscard]] std::int64_t excess_of(std::size_t row);
  [[nodiscard]] std::int64_t excess_after(std::size_t row, std::size_t giver, std::size_t taker,
                                          std::uint32_t count);

  const RowModel& model_;
  PackedExcess& excess_;
  std::size_t parts_;
  std::size_t rows_;
  std::size_t group_;
  Random random_;
  std::vector<std::int64_t> inside_;  // of the model; a full row is not divided, so lacks nothing
  HeldRows held_;
  std::vector<PartCost> cost_;          // by part
  std::vector<std::int64_t> more_;      // by row: about what it cuts more
  std::vector<std::uint32_t> sharing_;  // two rows; scratch
  std::vector<std::int64_t> ends_;      // of those; scratch
  std::vector<std::uint32_t> pieces_;   // scratch
  std::vector<Touched> touched_;        // scratch
  std::int64_t sum_ = 0;                // of cost_ and more_
};

}  // namespace zonecut
