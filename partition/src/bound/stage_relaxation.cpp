#include "bound/stage_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

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
    : rows_(rows), touches_(touches), shapes_(rows, sizes) {}

std::size_t StageRelaxation::steps_per_solve() const {
  return shapes_.steps() + pieces() * rows_.length / 2;
}

MultiplierRange StageRelaxation::range(std::size_t multiplier) const {
  return range_without_runs({pieces()}, multiplier);
}

/// The cheapest way to make up a row of pieces.
Part StageRelaxation::pattern(std::size_t row_class, const PieceMultipliers& multipliers) const {
  const std::size_t options = shapes_.options();
  const std::size_t first = row_class * options;
  const std::span<const double> price(&multipliers.piece[first], options);
  std::vector<double> least{0};
  least.resize(rows_.length + 1, kNotReached);
  std::vector<std::size_t> last(rows_.length + 1, 0);
  for (std::size_t sum = 1; sum <= rows_.length; ++sum) {
    for (std::size_t x = 1; x <= std::min(sum, options - 1); ++x) {
      const double cost = least[sum - x] + price[x];
      if (cost >= least[sum]) continue;
      least[sum] = cost;
      last[sum] = x;
    }
  }
  Column column{least.back(), {}};
  for (std::size_t sum = rows_.length; sum > 0; sum -= last[sum]) {
    append(column.slope, first + last[sum], 1);
  }
  sort(column.slope);
  return {shapes_.rows_in(row_class), {std::move(column)}};
}

std::vector<Part> StageRelaxation::rows(const PieceMultipliers& multipliers) const {
  std::vector<Part> parts;
  for (std::size_t c = 0; c < shapes_.classes(); ++c) parts.push_back(pattern(c, multipliers));
  return parts;
}

Column StageRelaxation::column_of(const StageShapes::Zones& zones) const {
  Column column{zones.cost, {}};
  double touches = 0;
  for (std::size_t row = 0; row < rows_.rows; ++row) {
    if (zones.taken[row] == 0) continue;
    append(column.slope, shapes_.class_of(row) * shapes_.options() + zones.taken[row], -1);
    touches += 1;
  }
  append(column.slope, pieces(), -touches);
  sort(column.slope);
  return column;
}

std::vector<Part> StageRelaxation::parts() const {
  std::vector<Part> parts = patterns_;
  for (const StageShapes::Zones& zones : shapes_.zones()) {
    parts.push_back({zones.count, {column_of(zones)}});
  }
  return parts;
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
  violation.touch = number(touches_);
  price(multipliers);
  RoundedSum bound;
  bound.add(multipliers.touch * number(touches_));
  double dearest = in_quarters(rows_.step) * number(rows_.length);
  for (const std::vector<double>& costs : cost_) {
    for (const double cost : costs) dearest = std::max(dearest, std::abs(cost));
  }
  patterns_ = rows(multipliers);
  shapes_.choose(cost_);
  for (const Part& part : parts()) {
    bound.add(part.count * part.columns.front().value);
    count(part, violation);
  }
  for (const StageShapes::Zones& zones : shapes_.zones()) {
    bound.allow(zones.count * number(rows_.rows) * dearest);
  }
  return bound.least();
}

}  // namespace zonecut
