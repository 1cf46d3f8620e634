#include "bound/group_relaxation.hpp"

#include <algorithm>
#include <vector>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

std::vector<std::int64_t> no_refund(const GridTraffic& grid) {
  return std::vector<std::int64_t>(grid.size[0] + 1, 0);
}

}  // namespace

GroupRelaxation::GroupRelaxation(const GridTraffic& grid, const GroupMultipliers& groups,
                                 double closing, std::span<const std::uint32_t> sizes,
                                 Incidence incidence, std::size_t most_counted)
    : grid_(grid),
      groups_(groups),
      closing_(closing),
      group_(grid.size[0]),
      rows_(*counted_replicas(grid, no_refund(grid), closing)),
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
  // Walks over the cells of a row, without chains and with them, from every first cell.
  const std::size_t options = group_ + 1;
  return relaxation_.steps_per_solve() +
         16 * options * options * grid_.size[2] * rows_.model.length;
}

void GroupRelaxation::see_rows(std::span<const double> prices) {
  std::vector<std::int64_t> refund = no_refund(grid_);
  for (std::size_t k = 1; k < group_; ++k) refund[k] = rounded_up(prices[k - 1]);
  prices_ = groups_.at(std::move(refund), std::max<std::int64_t>(0, rounded_down(prices.back())));
  rows_ = *counted_replicas(grid_, prices_.refund, closing_);
}

/// Pieces of groups: those that make up divided groups, less those that zones take.
void GroupRelaxation::count_groups(std::span<double> violated) const {
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
  const double groups = in_quarters(groups_.groups());
  violated.back() = in_quarters(groups_.divided());
  if (prices_.pieces.empty()) return;
  for (const std::size_t k : prices_.pieces) violated[k - 1] += groups;
  violated.back() += groups * (1 - number(prices_.pieces.size()));
}

double GroupRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  const std::size_t own = own_pieces();
  see_rows(std::span(multipliers.piece).subspan(own));
  PieceMultipliers of_pieces = multipliers;
  of_pieces.piece.resize(own);
  const double bound = relaxation_.solve(of_pieces, violation);
  violation.piece.resize(pieces(), 0);
  count_groups(std::span(violation.piece).subspan(own));
  // A touch is worth no less than nothing.
  if (multipliers.piece.back() <= 0) {
    violation.piece.back() = std::max(0.0, violation.piece.back());
  }
  return bound + in_quarters(prices_.constant);
}

}  // namespace zonecut
