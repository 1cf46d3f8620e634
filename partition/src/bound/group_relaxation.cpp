#include "bound/group_relaxation.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

std::vector<std::int64_t> no_refund(const GridTraffic& grid) {
  return std::vector<std::int64_t>(grid.size[0] + 1, 0);
}

}  // namespace

GroupRelaxation::GroupRelaxation(const GridTraffic& grid, Rows rows, const GroupMultipliers& groups,
                                 double closing, std::span<const std::uint32_t> sizes,
                                 Incidence incidence, std::size_t most_counted)
    : grid_(grid),
      way_(rows),
      groups_(groups),
      closing_(closing),
      group_(grid.size[0]),
      rows_(counted_rows(grid, rows, no_refund(grid), closing)),
      relaxation_(rows_.model, sizes, incidence, most_counted) {}

PieceMultipliers GroupRelaxation::multipliers_at(double priced, PieceMultipliers of_pieces) const {
  const GroupPrices prices = groups_.times(priced);
  for (std::size_t k = 1; k < group_; ++k) {
    of_pieces.piece.push_back(in_quarters(prices.refund[k]));
  }
  of_pieces.piece.push_back(priced * groups_.touch());
  return of_pieces;
}

std::size_t GroupRelaxation::steps_per_solve() const {
  return relaxation_.steps_per_solve() + counted_rows_steps(grid_, way_);
}

void GroupRelaxation::see_rows(std::span<const double> prices) {
  std::vector<std::int64_t> refund = no_refund(grid_);
  for (std::size_t k = 1; k < group_; ++k) refund[k] = rounded_up(prices[k - 1]);
  prices_ = groups_.at(std::move(refund), std::max<std::int64_t>(0, rounded_down(prices.back())));
  rows_ = counted_rows(grid_, way_, prices_.refund, closing_);
}

/// Pieces that make up divided groups.
void GroupRelaxation::count_all(std::span<double> violated) const {
  std::ranges::fill(violated, 0);
  const double groups = in_quarters(groups_.groups());
  violated.back() = in_quarters(groups_.divided());
  if (prices_.pieces.empty()) return;
  for (const std::size_t k : prices_.pieces) violated[k - 1] += groups;
  violated.back() += groups * (1 - number(prices_.pieces.size()));
}

/// Those, less the pieces of groups that zones take.
void GroupRelaxation::count_groups(std::span<double> violated) const {
  count_all(violated);
  const auto take = [&](std::span<const std::uint32_t> counted, std::size_t x, double pieces) {
    if (pieces == 0) return;
    for (std::size_t k = 1; k < group_; ++k) {
      violated[k - 1] -= pieces * static_cast<double>(counted[x * (group_ + 1) + k]);
    }
  };
  const PiecesTaken& taken = relaxation_.taken();
  for (std::size_t x = 1; x < rows_.model.length; ++x) {
    take(rows_.groups, x, taken.pieces_of(x) - taken.ended(x));
    take(rows_.ended, x, taken.ended(x));
  }
}

double GroupRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  const std::size_t own = own_pieces();
  see_rows(std::span(multipliers.piece).subspan(own));
  last_ = of_pieces(multipliers);
  const double bound = relaxation_.solve(last_, violation);
  violation.piece.resize(pieces(), 0);
  count_groups(std::span(violation.piece).subspan(own));
  // A touch is worth no less than nothing.
  if (multipliers.piece.back() <= 0) {
    violation.piece.back() = std::max(0.0, violation.piece.back());
  }
  return bound + in_quarters(prices_.constant);
}

MultiplierRange GroupRelaxation::range(std::size_t multiplier) const {
  const MultiplierIndex index{pieces()};
  if (multiplier == index.run()) return {0, most_run()};
  // Touches of groups, and of rows, are worth no less than nothing.
  if (multiplier + 1 >= pieces()) return {.low = 0};
  return {};
}

PieceMultipliers GroupRelaxation::of_pieces(PieceMultipliers multipliers) const {
  multipliers.piece.resize(own_pieces());
  return multipliers;
}

/// `full_row`: the price of one, where it is known.
Part GroupRelaxation::rows_part(const PieceMultipliers& multipliers,
                                std::optional<double> full_row) {
  std::vector<Column> columns;
  for (const FilledRow& row : relaxation_.rows(multipliers)) columns.push_back(column_of(row));
  return {number(rows_.model.rows), with_full_row(std::move(columns), full_row)};
}

/// Rows of pieces cost what those ask, whatever groups are worth.
std::vector<Part> GroupRelaxation::rows(const PieceMultipliers& multipliers) {
  const PieceMultipliers own = of_pieces(multipliers);
  relaxation_.choose_row(own);
  return {rows_part(own, multipliers.piece[kFullRow])};
}

Column GroupRelaxation::column_of_shape(const TakenShape& taken) const {
  Column column = column_of(taken, {pieces()});
  const auto take = [&](std::span<const std::uint32_t> counted, const PieceCount& of) {
    for (std::size_t k = 1; k < group_; ++k) {
      append(column.slope, own_pieces() + k - 1,
             -of.count * static_cast<double>(counted[of.piece * (group_ + 1) + k]));
    }
  };
  for (const PieceCount& of : taken.shape->pieces) take(rows_.groups, of);
  for (const PieceCount& end : taken.shape->ends) {
    if (end.piece == rows_.model.length) continue;
    take(rows_.groups, {end.piece, -end.count});
    take(rows_.ended, end);
  }
  sort(column.slope);
  return column;
}

std::vector<Part> GroupRelaxation::parts() {
  std::vector<Part> parts{rows_part(last_, std::nullopt)};
  for (const TakenShape& taken : relaxation_.shapes()) {
    parts.push_back({taken.count, {column_of_shape(taken)}});
  }
  std::vector<double> counted(group_, 0);
  count_all(counted);
  Column always{in_quarters(prices_.constant) - in_quarters(rows_.model.deduction), {}};
  for (std::size_t k = 0; k < group_; ++k) append(always.slope, own_pieces() + k, counted[k]);
  parts.push_back({1, {std::move(always)}});
  return parts;
}

}  // namespace zonecut
