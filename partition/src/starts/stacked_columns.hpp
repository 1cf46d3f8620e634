#pragma once
// Parts stacked in columns, for equal rows that cut little at few places, as double binary trees
// do. Columns run through all rows; parts fill one column after the other, row by row, and go on in
// the next where one is full. A border between two columns stands at a place of the rows, or where
// some part ends, and then has one place more in some rows. What all that cuts follows from tables
// of weights, so a change costs little, and annealing finds which parts go well together in a
// column.
//
//   ┌────┬───────┬────┐
//   │ a  │   c   │ e  │
//   │ a  │ c   ┌─┘ e  │   d fills what c left of its column and goes on in the next
//   ├────┤ c ┌─┴─┐ e  │
//   │ b  ├───┘ d │ d  │
//   └────┴───────┴────┘
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "starts/equal_rows.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class StackedColumns {
 public:
  static constexpr std::size_t kMostParts = 64;

  /// Borrows the rows. `shares` add up to their vertices; 1 to kMostParts of them are not 0.
  /// Begins with parts in an order that is drawn.
  StackedColumns(const EqualRows& rows, std::span<const std::uint32_t> shares, Random random);

  /// Spends the budget, and ends at the best it saw. O(pieces of all rows) a step.
  void anneal(WorkBudget& budget);

  /// In the unit of the rows.
  [[nodiscard]] std::int64_t cut() const { return kept_.sum; }
  [[nodiscard]] const LaidRows& rows() const { return kept_.rows; }

 private:
  struct Border {
    std::uint32_t cells = 0;  ///< vertices before it
    std::uint32_t parts = 0;  ///< parts that end before it; 0: it stays where it is
    bool rising = false;      ///< rows with a place more are the last ones
  };
  struct Way {  ///< in which a column is filled
    bool rising = false;
    bool from_right = false;
  };
  struct Plan {
    std::vector<std::uint32_t> order;  ///< of parts
    std::vector<Border> borders;       ///< the begin of the rows and their end among them
    std::vector<Way> ways;             ///< by column
  };
  struct Laid {
    LaidRows rows;
    std::vector<std::int64_t> cut;    ///< by row
    std::vector<std::int64_t> apart;  ///< by row, from it to the next
    std::int64_t sum = 0;
  };

  Plan first_plan();
  bool change(Plan& plan);
  bool change_order(Plan& plan);
  bool move_part(Plan& plan);
  bool move_border(Plan& plan);
  bool change_columns(Plan& plan);
  bool turn(Plan& plan);
  Border draw_border(const Plan& plan, const Border* near);
  [[nodiscard]] std::uint32_t cells_before(const Plan& plan, std::size_t parts) const;
  bool settle_borders(Plan& plan);
  void lay_out(const Plan& plan);
  void fill(std::size_t row, std::uint32_t begin, std::uint32_t end, bool from_right);
  void take(std::uint32_t vertices);
  void append(std::vector<RowPiece>& row, std::uint32_t end, std::uint32_t part) const;
  void place_border(const Border& border, std::span<std::uint32_t> places) const;
  void weigh();
  [[nodiscard]] std::int64_t cut_of(std::span<const RowPiece> row) const;
  std::size_t measure(const Plan& plan);

  const EqualRows& rows_;
  std::vector<std::uint32_t> shares_;
  Random random_;
  std::vector<std::uint32_t> places_;  // inner ones, what is cut least over first
  Plan plan_;
  Laid kept_;  // of plan_
  Laid laid_;  // of what is tried
  // Scratch of lay_out.
  std::span<const std::uint32_t> to_come_;  // parts, the first of which is being laid
  std::uint32_t left_ = 0;                  // vertices of it
  std::vector<std::uint32_t> begin_;        // of the column, by row
  std::vector<std::uint32_t> end_;
  std::vector<RowPiece> backwards_;
  std::vector<bool> changed_;  // rows
};

}  // namespace zonecut
