#include "layer_relaxation.hpp"

#include <algorithm>
#include <cmath>

#include "relaxation_sums.hpp"

namespace zonecut {

LayerRelaxation::LayerRelaxation(std::span<const Layer> layers,
                                 std::span<const std::uint32_t> capacity, bool full,
                                 std::size_t touches)
    : layers_(layers), full_(full), touches_(number(touches)) {
  std::size_t most = 0;
  for (const std::uint32_t c : capacity) {
    if (c > 0) capacity_.push_back(c);
    most = std::max<std::size_t>(most, c);
  }
  sums_ = most + 1;
  for (const Layer& layer : layers) {
    const std::size_t options = std::min(layer.size, most) + 1;
    tables_.push_back({pieces_, options, std::vector<double>(options), {}});
    pieces_ += options;
  }
}

std::size_t LayerRelaxation::steps_per_solve() const {
  std::size_t steps = 0;
  for (const Table& table : tables_) steps += table.options * (3 * sums_ + table.options / 2);
  return steps;
}

/// The cheapest way to make up a layer of pieces; counts it as the solution.
double LayerRelaxation::fill_pattern(std::size_t layer, const PieceMultipliers& multipliers,
                                     PieceViolation& violation) {
  const Table& table = tables_[layer];
  const std::size_t size = layers_[layer].size;
  std::vector<double> least{0};
  least.resize(size + 1, kNotReached);
  std::vector<std::size_t> last(size + 1, 0);
  for (std::size_t sum = 1; sum <= size; ++sum) {
    for (std::size_t x = 1; x <= std::min(sum, table.options - 1); ++x) {
      const double cost = least[sum - x] + multipliers.piece[table.first + x];
      if (cost >= least[sum]) continue;
      least[sum] = cost;
      last[sum] = x;
    }
  }
  for (std::size_t sum = size; sum > 0; sum -= last[sum]) {
    violation.piece[table.first + last[sum]] += 1;
  }
  return least[size];
}

double LayerRelaxation::link_cost(std::size_t layer, std::size_t before, std::size_t here) const {
  const LayerLink& link = layers_[layer].link;
  const double x = number(before);
  const double y = number(here);
  return std::max({0.0, in_quarters(link.least_before) * x - in_quarters(link.most_here) * y,
                   in_quarters(link.least_here) * y - in_quarters(link.most_before) * x}) /
         2;
}

/// from_below_[x]: least over up to x vertices of the layer before, from_above_[x]: over x or more,
/// each less what the link makes of them in that direction.
void LayerRelaxation::reach(std::size_t layer) {
  const Table& before = tables_[layer - 1];
  const double most = in_quarters(layers_[layer].link.most_before) / 2;
  const double least = in_quarters(layers_[layer].link.least_before) / 2;
  from_below_.assign(before.options * sums_, kNotReached);
  from_above_.assign(before.options * sums_, kNotReached);
  for (std::size_t x = 0; x < before.options; ++x) {
    const std::span<double> here = row_of(from_below_, x, sums_);
    if (x > 0) std::ranges::copy(row_of(from_below_, x - 1, sums_), here.begin());
    lower(here, row_of(before.least, x, sums_), -most * number(x));
  }
  for (std::size_t x = before.options; x-- > 0;) {
    const std::span<double> here = row_of(from_above_, x, sums_);
    if (x + 1 < before.options) {
      std::ranges::copy(row_of(from_above_, x + 1, sums_), here.begin());
    }
    lower(here, row_of(before.least, x, sums_), least * number(x));
  }
}

/// Over the link, which falls in x where the layer before gives too little and rises where it gives
/// too much, and into the layer.
void LayerRelaxation::fill_table(std::size_t layer) {
  Table& table = tables_[layer];
  table.least.assign(table.options * sums_, kNotReached);
  if (layer == 0) {
    for (std::size_t x = 0; x < table.options; ++x) table.least[x * sums_ + x] = table.cost[x];
    return;
  }
  reach(layer);
  const Table& before = tables_[layer - 1];
  const LayerLink& link = layers_[layer].link;
  std::size_t low = 0;   // from here on the link does not fall
  std::size_t high = 0;  // from here on it rises
  for (std::size_t y = 0; y < table.options; ++y) {
    const double pull = in_quarters(link.least_here) * number(y);
    const double push = in_quarters(link.most_here) * number(y);
    while (low < before.options && in_quarters(link.most_before) * number(low) < pull) ++low;
    while (high < before.options && in_quarters(link.least_before) * number(high) <= push) ++high;
    crossed_.assign(sums_, kNotReached);
    if (low > 0) lower(crossed_, row_of(from_below_, low - 1, sums_), pull / 2);
    if (high < before.options) {
      lower(crossed_, row_of(from_above_, high, sums_), -push / 2);
    }
    for (std::size_t x = low; x < high; ++x) {
      lower(crossed_, row_of(before.least, x, sums_), 0);
    }
    lower(row_of(table.least, y, sums_).subspan(y), crossed_, table.cost[y]);
  }
}

/// Counts what a zone with this sum takes.
void LayerRelaxation::take(std::size_t sum, double count, PieceViolation& violation) const {
  std::size_t above = 0;
  for (std::size_t layer = tables_.size(); layer-- > 0;) {
    const Table& table = tables_[layer];
    std::size_t best = 0;
    double least = kNotReached;
    for (std::size_t x = 0; x < table.options; ++x) {
      const double onward = layer + 1 < tables_.size() ? link_cost(layer + 1, x, above) : 0;
      const double cost = table.least[x * sums_ + sum] + onward;
      if (cost >= least) continue;
      least = cost;
      best = x;
    }
    if (best > 0) {
      violation.piece[table.first + best] -= count;
      violation.touch -= count;
    }
    sum -= best;
    above = best;
  }
}

void LayerRelaxation::coarsen(PieceViolation& violation) const {
  for (const Table& table : tables_) {
    double along = 0;
    double squares = 0;
    for (std::size_t x = 1; x < table.options; ++x) {
      along += number(x) * violation.piece[table.first + x];
      squares += number(x) * number(x);
    }
    for (std::size_t x = 1; x < table.options; ++x) {
      violation.piece[table.first + x] = along / squares * number(x);
    }
  }
}

double LayerRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  violation.piece.assign(pieces_, 0);
  violation.touch = touches_;
  double bound = multipliers.touch * touches_;
  double magnitude = bound;
  double dearest = 0;
  const auto add = [&](double term) {
    bound += term;
    magnitude += std::abs(term);
  };
  for (std::size_t layer = 0; layer < tables_.size(); ++layer) {
    add(fill_pattern(layer, multipliers, violation));
    Table& table = tables_[layer];
    for (std::size_t x = 1; x < table.options; ++x) {
      table.cost[x] = in_quarters(layers_[layer].inside[x]) / 2 -
                      multipliers.piece[table.first + x] - multipliers.touch;
      dearest = std::max(dearest, std::abs(table.cost[x]));
    }
    fill_table(layer);
  }
  const Table& last = tables_.back();
  std::vector<double> least(sums_, kNotReached);
  for (std::size_t x = 0; x < last.options; ++x) {
    for (std::size_t sum = 0; sum < sums_; ++sum) {
      least[sum] = std::min(least[sum], last.least[x * sums_ + sum]);
    }
  }
  for (const std::uint32_t c : capacity_) {
    std::size_t sum = c;
    if (!full_) {
      sum = static_cast<std::size_t>(std::min_element(least.begin(), least.begin() + c + 1) -
                                     least.begin());
    }
    add(least[sum]);
    take(sum, 1, violation);
    magnitude += number(tables_.size()) * dearest;
  }
  return bound - kRounding * magnitude;
}

}  // namespace zonecut
