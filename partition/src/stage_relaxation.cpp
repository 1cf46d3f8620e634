#include "stage_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kParts = 3;  // of what a zone may hold of the first row, beside nothing

}  // namespace

std::optional<StageRows> stage_rows(const RowModel& raw) {
  if (raw.lacking_across <= 0 || raw.per_divided_row != 0 || raw.rows < 2) return std::nullopt;
  const std::int64_t step = raw.across[1];
  for (std::size_t m = 0; m <= raw.length; ++m) {
    if (raw.across[m] != step * static_cast<std::int64_t>(m)) return std::nullopt;
  }
  return StageRows{raw.rows, raw.length, raw.inside, step, step - raw.lacking_across};
}

StageRelaxation::StageRelaxation(const StageRows& rows, std::span<const std::uint32_t> sizes,
                                 std::size_t touches)
    : rows_(rows), touches_(number(touches)), classes_((rows.rows + 1) / 2) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t size : sizes) {
    if (size > 0) ++counts[size];
  }
  for (const auto& [size, count] : counts) zones_.push_back({size, number(count), 0, {}});
  sums_ = zones_.back().size + 1;
  options_ = std::min(rows.length + 1, sums_);
  if (rows.wrap == 0) {
    ends_ = {{0, options_, kUnreached}};
    return;
  }
  ends_ = {{0, 0, kUnreached}};
  for (std::size_t part = 0; part < kParts; ++part) {
    const std::size_t low = 1 + part * (options_ - 1) / kParts;
    const std::size_t high = (part + 1) * (options_ - 1) / kParts;
    if (low <= high) ends_.push_back({low, high, kUnreached});
  }
}

std::size_t StageRelaxation::class_of(std::size_t row) const {
  return std::min(row, rows_.rows - 1 - row);
}

std::size_t StageRelaxation::steps_per_solve() const {
  const std::size_t table = options_ * sums_;
  const std::size_t half = rows_.rows / 2 * table * 2 + table;
  const std::size_t halves = rows_.wrap == 0 ? 1 : 2 * ends_.size();
  const std::size_t patterns = classes_ * rows_.length * options_ / 2;
  return halves * half + ends_.size() * zones_.size() * table / 4 + patterns;
}

/// The cheapest way to make up a row of pieces; counts it as the solution.
double StageRelaxation::fill_pattern(std::size_t row_class, std::span<const double> price,
                                     PieceViolation& violation) const {
  std::vector<double> least{0};
  least.resize(rows_.length + 1, kUnreached);
  std::vector<std::size_t> last(rows_.length + 1, 0);
  for (std::size_t sum = 1; sum <= rows_.length; ++sum) {
    for (std::size_t x = 1; x <= std::min(sum, options_ - 1); ++x) {
      const double cost = least[sum - x] + price[x];
      if (cost >= least[sum]) continue;
      least[sum] = cost;
      last[sum] = x;
    }
  }
  const double count = 2 * row_class + 1 == rows_.rows ? 1 : 2;
  for (std::size_t sum = rows_.length; sum > 0; sum -= last[sum]) {
    violation.piece[row_class * options_ + last[sum]] += count;
  }
  return count * least.back();
}

/// Over a border: [y] becomes the least over x of [x] and what |x − y| edges cost each of their
/// ends.
void StageRelaxation::spread(Table& table) const {
  const double each = in_quarters(rows_.step) / 2;
  for (std::size_t x = 1; x < options_; ++x) {
    lower(&table[x * sums_], &table[(x - 1) * sums_], each, sums_);
  }
  for (std::size_t x = options_ - 1; x-- > 0;) {
    lower(&table[x * sums_], &table[(x + 1) * sums_], each, sums_);
  }
}

void StageRelaxation::fill(Half& half, const End& end) const {
  half.least.resize(rows_.rows / 2);
  Table& first = half.least.front();
  first.assign(options_ * sums_, kUnreached);
  for (std::size_t x = 0; x < options_; ++x) {
    const std::size_t off = x < end.low ? end.low - x : x > end.high ? x - end.high : 0;
    first[x * sums_ + x] = cost_[0][x] + (off == 0 ? 0 : end.slope * number(off));
  }
  for (std::size_t row = 1; row <= half.least.size(); ++row) {
    half.spread = half.least[row - 1];
    spread(half.spread);
    if (row == half.least.size()) return;
    Table& next = half.least[row];
    next.assign(options_ * sums_, kUnreached);
    for (std::size_t x = 0; x < options_; ++x) {
      lower(&next[x * sums_ + x], &half.spread[x * sums_], cost_[row][x], sums_ - x);
    }
  }
}

/// The rows of a half whose last takes so much of such a sum, from there to the end.
void StageRelaxation::trace(const Half& half, std::size_t taken, std::size_t sum,
                            std::vector<std::size_t>& rows) const {
  const double each = in_quarters(rows_.step) / 2;
  for (std::size_t row = half.least.size(); row-- > 0;) {
    std::size_t best = 0;
    double least = kUnreached;
    for (std::size_t x = 0; x < options_ && x <= sum; ++x) {
      const double apart = number(x < taken ? taken - x : x - taken);
      const double cost = half.least[row][x * sums_ + sum] + each * apart;
      if (cost >= least) continue;
      least = cost;
      best = x;
    }
    rows.push_back(best);
    sum -= best;
    taken = best;
  }
}

/// Both halves spread to the border between them or to the row in the middle.
void StageRelaxation::join(const Half& left, const Half& right, Zones& zones) const {
  const bool odd = rows_.rows % 2 == 1;
  const Table& beyond = odd ? right.spread : right.least.back();
  std::size_t best_taken = 0;
  std::size_t best_sum = 0;
  double least = zones.cost;
  for (std::size_t x = 0; x < options_ && x <= zones.size; ++x) {
    const std::size_t rest = odd ? zones.size - x : zones.size;
    const double here = odd ? cost_.back()[x] : 0;
    const double* from = &left.spread[x * sums_];
    const double* to = &beyond[x * sums_];
    for (std::size_t sum = 0; sum <= rest; ++sum) {
      const double cost = from[sum] + to[rest - sum] + here;
      if (cost >= least) continue;
      least = cost;
      best_taken = x;
      best_sum = sum;
    }
  }
  if (least >= zones.cost) return;
  zones.cost = least;
  zones.taken.clear();
  trace(left, best_taken, best_sum, zones.taken);
  std::ranges::reverse(zones.taken);
  if (odd) zones.taken.push_back(best_taken);
  const std::size_t rest = zones.size - best_sum - (odd ? best_taken : 0);
  trace(right, best_taken, rest, zones.taken);
}

void StageRelaxation::price(const PieceMultipliers& multipliers) {
  cost_.assign(classes_, std::vector<double>(options_, 0));
  for (std::size_t c = 0; c < classes_; ++c) {
    for (std::size_t x = 1; x < options_; ++x) {
      cost_[c][x] = in_quarters(rows_.inside[x]) / 2 - multipliers.piece[c * options_ + x] -
                    multipliers.touch;
    }
  }
}

double StageRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  violation.piece.assign(pieces(), 0);
  violation.touch = touches_;
  price(multipliers);
  double bound = multipliers.touch * touches_;
  double magnitude = bound;
  double dearest = in_quarters(rows_.step) * number(rows_.length);
  const auto add = [&](double term) {
    bound += term;
    magnitude += std::abs(term);
  };
  for (std::size_t c = 0; c < classes_; ++c) {
    const std::span<const double> prices(&multipliers.piece[c * options_], options_);
    add(fill_pattern(c, prices, violation));
    for (const double cost : cost_[c]) dearest = std::max(dearest, std::abs(cost));
  }
  for (Zones& zones : zones_) zones.cost = kUnreached;
  for (const End& end : ends_) {
    fill(left_, end);
    if (rows_.wrap > 0) fill(right_, {end.low, end.high, in_quarters(rows_.wrap) / 2});
    for (Zones& zones : zones_) join(left_, rows_.wrap > 0 ? right_ : left_, zones);
  }
  for (const Zones& zones : zones_) {
    add(zones.count * zones.cost);
    magnitude += zones.count * number(rows_.rows) * dearest;
    for (std::size_t row = 0; row < rows_.rows; ++row) {
      if (zones.taken[row] == 0) continue;
      violation.piece[class_of(row) * options_ + zones.taken[row]] -= zones.count;
      violation.touch -= zones.count;
    }
  }
  return bound - kRounding * magnitude;
}

}  // namespace zonecut
