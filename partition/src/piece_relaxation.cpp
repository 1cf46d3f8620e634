#include "piece_relaxation.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace zonecut {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();
/// Of all numbers added up: far more than their rounding can come to.
constexpr double kRounding = 1e-11;

double in_quarters(std::int64_t weight) { return static_cast<double>(weight); }
double number(std::size_t count) { return static_cast<double>(count); }

}  // namespace

PieceRelaxation::PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> capacity,
                                 Incidence incidence, Filling filling)
    : model_(model), incidence_(incidence), filling_(filling) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t c : capacity) {
    if (c > 0) ++counts[c];
  }
  for (const auto& [size, count] : counts) {
    kinds_of_zones_.push_back({size, number(count), {}});
    columns_ = std::max<std::size_t>(columns_, std::size_t{size} + 1);
  }
  kinds_ = std::min(model.length, columns_);
}

std::size_t PieceRelaxation::steps_per_solve() const {
  const std::size_t beside_full = columns_ > model_.length ? columns_ - model_.length : 0;
  const std::size_t once = kinds_ * (columns_ + model_.length + 2 * beside_full) + columns_;
  return filling_ == Filling::Full ? once : 3 * once;
}

double PieceRelaxation::most_run() const { return in_quarters(model_.across.back()) / 2; }

double PieceRelaxation::fill_pattern(const PieceMultipliers& multipliers) {
  pattern_.assign(model_.length + 1, {kUnreached, 0});
  pattern_.front().cost = 0;
  for (std::size_t sum = 1; sum <= model_.length; ++sum) {
    Cell best{kUnreached, 0};
    for (std::size_t x = 1; x <= std::min(sum, kinds_ - 1); ++x) {
      const double cost = pattern_[sum - x].cost + multipliers.piece[x];
      if (cost < best.cost) best = {cost, static_cast<std::uint32_t>(x)};
    }
    pattern_[sum] = best;
  }
  return pattern_.back().cost;
}

void PieceRelaxation::set_prices(const PieceMultipliers& multipliers) {
  run_ = std::min(multipliers.run, most_run());
  price_.assign(kinds_, 0);
  apart_.assign(kinds_, 0);
  for (std::size_t x = 1; x < kinds_; ++x) {
    price_[x] = in_quarters(model_.inside[x]) / 2 - multipliers.piece[x] - multipliers.touch;
    apart_[x] = price_[x] + std::min(0.0, in_quarters(model_.across[x]) - 2 * run_);
  }
}

void PieceRelaxation::allow(std::size_t piece) {
  const double price = apart_[piece];
  for (std::size_t sum = piece; sum < columns_; ++sum) {
    const double cost = least_[sum - piece].cost + price;
    if (cost < least_[sum].cost) least_[sum] = {cost, static_cast<std::uint32_t>(piece)};
  }
}

void PieceRelaxation::take_pieces(Shape& shape, std::size_t sum) {
  while (sum > 0) {
    const std::size_t piece = least_[sum].last;
    // A run of rows of its own has two ends.
    if (apart_[piece] < price_[piece]) shape.run -= 2;
    shape.pieces.push_back({piece, 1});
    sum -= piece;
  }
}

/// Pieces up to `largest` are allowed by now; some row stays empty.
void PieceRelaxation::choose_without_full_rows(std::size_t largest) {
  const double first = price_[largest] + in_quarters(model_.across[largest]);
  for (Zones& zones : zones_) {
    if (zones.size < largest) continue;
    const double cost = least_[zones.size - largest].cost + first;
    if (cost >= zones.shape.cost) continue;
    zones.shape.cost = cost;
    zones.shape.largest = largest;
  }
}

/// Of shapes without full rows, from the table as it was when their largest piece was allowed.
void PieceRelaxation::take_largest_first() {
  std::size_t most = 0;
  for (const Zones& zones : zones_) {
    if (zones.count > 0) most = std::max(most, zones.shape.largest);
  }
  if (most == 0) return;
  least_.assign(columns_, {kUnreached, 0});
  least_.front().cost = 0;
  for (std::size_t x = 1; x <= most; ++x) {
    allow(x);
    for (Zones& zones : zones_) {
      if (zones.shape.largest != x || zones.count == 0) continue;
      zones.shape.pieces.push_back({x, 1});
      take_pieces(zones.shape, zones.size - x);
    }
  }
}

/// Up to two pieces next to full rows: each belongs to one run of divided rows.
void PieceRelaxation::add_touching() {
  const std::vector<Cell>* before = &least_;
  for (std::vector<Cell>& table : touching_) {
    table.assign(columns_, {0, 0});
    for (std::size_t sum = 0; sum + model_.length < columns_; ++sum) {
      Cell best{(*before)[sum].cost, 0};
      for (std::size_t x = 1; x <= std::min(sum, kinds_ - 1); ++x) {
        const double cost = (*before)[sum - x].cost + price_[x] - run_;
        if (cost < best.cost) best = {cost, static_cast<std::uint32_t>(x)};
      }
      table[sum] = best;
    }
    before = &table;
  }
}

void PieceRelaxation::choose_with_full_rows(Zones& zones, double per_full_row) {
  const double ends = in_quarters(model_.across[model_.length]) + 2 * run_;
  std::size_t best = 0;
  for (std::size_t full = 1; full * model_.length <= zones.size; ++full) {
    const double rows = number(full) * per_full_row;
    const std::size_t rest = zones.size - full * model_.length;
    if (full == model_.rows) {
      // All there is: it ends nowhere.
      if (rest == 0) zones.shape = {rows + 2 * run_, 2, full, 0, {}};
      return;
    }
    const double cost = rows + ends + touching_[1][rest].cost;
    if (cost < zones.shape.cost) {
      zones.shape.cost = cost;
      best = full;
    }
    if (choose_all_rows(zones, full, rows + ends)) best = 0;
  }
  if (best > 0) take_beside_full_rows(zones, best);
}

void PieceRelaxation::take_beside_full_rows(Zones& zones, std::size_t full) {
  zones.shape = {zones.shape.cost, 2, full, 0, {}};
  if (zones.count == 0) return;
  std::size_t rest = zones.size - full * model_.length;
  for (std::size_t table = 2; table-- > 0;) {
    const std::size_t piece = touching_[table][rest].last;
    if (piece == 0) continue;
    zones.shape.pieces.push_back({piece, 1});
    zones.shape.run -= 1;
    rest -= piece;
  }
  take_pieces(zones.shape, rest);
}

/// Least price of k pieces with this sum, or less; pieces_ are the ones it takes.
double PieceRelaxation::cheapest_pieces(std::size_t k, std::size_t sum) {
  pieces_.clear();
  if (k == 0) return sum == 0 ? 0 : kUnreached;
  if (sum < k || sum > k * (kinds_ - 1)) return kUnreached;
  if (k == 2) return cheapest_pair(sum);
  if (k > 2) return counted_.bound(k, sum, pieces_);
  pieces_.assign(1, {sum, 1});
  return price_[sum];
}

/// Every row that is not full is held in part, so the number of pieces is known. The zone ends
/// where it goes from its longest row to its shortest: one of the two is tried after the other, and
/// the mean of the pieces that remain stands for the other one. Whether it is better than before.
bool PieceRelaxation::choose_all_rows(Zones& zones, std::size_t full, double others) {
  const std::size_t rest = zones.size - full * model_.length;
  const std::size_t open = model_.rows - full;
  const double least = cheapest_pieces(open, rest) + others;
  bool better = false;
  // Outwards from the mean, so that the ends cost more and more.
  const std::size_t mean = full == 0 ? (rest + open - 1) / open : rest / open;
  for (std::size_t x = mean; x > 0 && x < kinds_ && x + open <= rest + 1; full == 0 ? ++x : --x) {
    const std::size_t shortest = full > 0 || open == 1 ? x : (rest - x) / (open - 1);
    double ends = -in_quarters(model_.across[shortest]);
    if (full == 0) ends += in_quarters(model_.across[x]);
    if (least + ends >= zones.shape.cost) break;
    const double sum = price_[x] + cheapest_pieces(open - 1, rest - x) + others;
    const double cost = std::max(least, sum) + ends;
    if (cost >= zones.shape.cost) continue;
    pieces_.push_back({x, 1});
    zones.shape = {cost, full == 0 ? 0.0 : 2.0, full, 0, pieces_};
    better = true;
  }
  return better;
}

double PieceRelaxation::cheapest_pair(std::size_t sum) {
  double least = kUnreached;
  for (std::size_t x = sum >= kinds_ ? sum - kinds_ + 1 : 1; 2 * x <= sum; ++x) {
    const double cost = price_[x] + price_[sum - x];
    if (cost >= least) continue;
    least = cost;
    pieces_ = {{x, 1}, {sum - x, 1}};
  }
  return least;
}

void PieceRelaxation::count(const Zones& zones, PieceViolation& violation) const {
  double touches = number(zones.shape.full);
  for (const PieceCount& taken : zones.shape.pieces) {
    violation.piece[taken.piece] -= zones.count * taken.count;
    touches += taken.count;
  }
  violation.touch -= zones.count * touches;
  violation.run += zones.count * zones.shape.run;
}

void PieceRelaxation::choose_shapes(double per_full_row) {
  for (Zones& zones : zones_) zones.shape = {kUnreached, 0, 0, 0, {}};
  least_.assign(columns_, {kUnreached, 0});
  least_.front().cost = 0;
  for (std::size_t x = 1; x < kinds_; ++x) {
    allow(x);
    if (model_.rows > 1) choose_without_full_rows(x);
  }
  if (columns_ > model_.length) add_touching();
  for (Zones& zones : zones_) {
    choose_with_full_rows(zones, per_full_row);
    choose_all_rows(zones, 0, 0);
  }
  take_largest_first();
}

/// What its size adds to the constraints on touches and runs where sizes are open. A component has
/// two zones at least, unless a single one adds up to whole rows.
double PieceRelaxation::price_of_size(std::size_t size, double touch) const {
  return size % model_.length == 0 ? -2 * run_ : touch / 2 - run_;
}

/// zones_ become the sizes that are cheapest for the zones' capacities.
void PieceRelaxation::choose_sizes(double per_full_row, double touch) {
  zones_.clear();
  for (std::size_t size = 1; size < columns_; ++size) zones_.push_back({size, 0, {}});
  choose_shapes(per_full_row);
  by_size_.assign(columns_, 0);
  std::vector<std::size_t> cheapest(columns_, 0);  // up to a capacity
  for (std::size_t size = 1; size < columns_; ++size) {
    by_size_[size] = zones_[size - 1].shape.cost + price_of_size(size, touch);
    cheapest[size] = by_size_[size] < by_size_[cheapest[size - 1]] ? size : cheapest[size - 1];
  }
  std::map<std::size_t, double> counts;
  for (const Zones& zones : kinds_of_zones_) counts[cheapest[zones.size]] += zones.count;
  zones_.clear();
  for (const auto& [size, count] : counts) {
    if (size > 0) zones_.push_back({size, count, {}});
  }
}

double PieceRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  const double row = fill_pattern(multipliers) - in_quarters(model_.per_divided_row);
  set_prices(multipliers);
  counted_.set_prices(price_);
  const double per_full_row = -row - multipliers.touch;
  if (filling_ == Filling::Open) {
    choose_sizes(per_full_row, multipliers.touch);
  } else {
    zones_ = kinds_of_zones_;
  }
  choose_shapes(per_full_row);

  violation.piece.assign(model_.length, 0);
  violation.touch = number(incidence_.touches);
  violation.run = -2 * number(incidence_.components);
  double dearest = 0;
  for (const double price : apart_) dearest = std::max(dearest, std::abs(price));
  double full_rows = 0;
  double bound = 0;
  double magnitude = 0;
  const auto add = [&](double term) {
    bound += term;
    magnitude += std::abs(term);
  };
  add(number(model_.rows) * row);
  add(multipliers.touch * violation.touch);
  add(run_ * violation.run);
  add(-in_quarters(model_.deduction));
  constant_ = bound - kRounding * magnitude;
  for (const Zones& zones : zones_) {
    add(zones.count * zones.shape.cost);
    magnitude += zones.count * dearest;
    full_rows += zones.count * number(zones.shape.full);
    count(zones, violation);
    if (filling_ == Filling::Full) continue;
    const bool whole = zones.size % model_.length == 0;
    add(zones.count * price_of_size(zones.size, multipliers.touch));
    violation.touch += whole ? 0 : zones.count / 2;
    violation.run -= zones.count * (whole ? 2 : 1);
  }
  const double divided = number(model_.rows) - full_rows;
  for (std::size_t sum = model_.length; sum > 0;) {
    violation.piece[pattern_[sum].last] += divided;
    sum -= pattern_[sum].last;
  }
  // Without multipliers all sums are of whole numbers and halves, hence exact.
  const bool exact = multipliers.touch == 0 && multipliers.run == 0 &&
                     std::ranges::count(multipliers.piece, 0.0) ==
                         static_cast<std::ptrdiff_t>(multipliers.piece.size());
  return exact ? bound : bound - kRounding * magnitude;
}

}  // namespace zonecut
