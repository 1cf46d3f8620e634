#include "bound/stage_relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
std::optional<StageRows> stage_rows(const RowModel& raw) {
  if (raw.lacking_across <= 0 || raw.per_divided_row != 0 || raw.rows < 2) return std::nullopt;
  const std::int64_t step = raw.across[1];
  for (std::size_t m = 0; m <= raw.length; ++m) {
    if (raw.across[m] != step * static_cast<std::int64_t>(m)) return std::nullopt;
  }
  return StageRows{{raw.rows, raw.length, step, step - raw.lacking_across}, raw.inside};
}

StageRelaxation::StageRelaxation(const StageRows& rows, std::span<const std::uint32_t> sizes,
                                 std::size_t touches)
    : rows_(rows), touches_(number(touches)), shapes_(rows, sizes) {}

std::size_t StageRelaxation::steps_per_solve() const {
  return shapes_.steps() + pieces() * rows_.length / 2;
}

/// The cheapest way to make up a row of pieces; counts it as the solution.
double StageRelaxation::fill_pattern(std::size_t row_class, std::span<const double> price,
                                     PieceViolation& violation) const {
  std::vector<double> least{0};
  least.resize(rows_.length + 1, kNotReached);
  std::vector<std::size_t> last(rows_.length + 1, 0);
  for (std::size_t sum = 1; sum <= rows_.length; ++sum) {
    for (std::size_t x = 1; x <= std::min(sum, shapes_.options() - 1); ++x) {
      const double cost = least[sum - x] + price[x];
      if (cost >= least[sum]) continue;
      least[sum] = cost;
      last[sum] = x;
    }
  }
  const double count = shapes_.rows_in(row_class);
  for (std::size_t sum = rows_.length; sum > 0; sum -= last[sum]) {
    violation.piece[row_class * shapes_.options() + last[sum]] += count;
  }
  return count * least.back();
}

void StageRelaxation::price(const PieceMultipliers& multipliers) {
  const std::size_t options = shapes_.options();
  cost_.assign(shapes_.classes(), std::vector<double>(options, 0));
  for (std::size_t c = 0; c < cost_.size(); ++c) {
    for (std::size_t x = 1; x < options; ++x) {
      cost_[c][x] =
          in_quarters(rows_.inside[x]) / 2 - multipliers.piece[c * options + x] - multipliers.touch;
    }
  }
}

double StageRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  violation.piece.assign(pieces(), 0);
  violation.touch = touches_;
  price(multipliers);
  RoundedSum bound;
  bound.add(multipliers.touch * touches_);
  double dearest = in_quarters(rows_.step) * number(rows_.length);
  const std::size_t options = shapes_.options();
  for (std::size_t c = 0; c < cost_.size(); ++c) {
    const std::span<const double> prices(&multipliers.piece[c * options], options);
    bound.add(fill_pattern(c, prices, violation));
    for (const double cost : cost_[c]) dearest = std::max(dearest, std::abs(cost));
  }
  shapes_.choose(cost_);
  for (const StageShapes::Zones& zones : shapes_.zones()) {
    bound.add(zones.count * zones.cost);
    bound.allow(zones.count * number(rows_.rows) * dearest);
    for (std::size_t row = 0; row < rows_.rows; ++row) {
      if (zones.taken[row] == 0) continue;
      violation.piece[shapes_.class_of(row) * options + zones.taken[row]] -= zones.count;
      violation.touch -= zones.count;
    }
  }
  return bound.least();
}

}  // namespace zonecut
