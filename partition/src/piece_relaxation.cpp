#include "piece_relaxation.hpp"

#include <algorithm>
#include <limits>
#include <map>

namespace zonecut {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

double in_quarters(std::int64_t weight) { return static_cast<double>(weight); }
double number(std::size_t count) { return static_cast<double>(count); }

}  // namespace

PieceRelaxation::PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> sizes,
                                 std::size_t touches)
    : model_(model), touches_(number(touches)) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t size : sizes) {
    if (size > 0) ++counts[size];
  }
  for (const auto& [size, count] : counts) {
    zones_.push_back({size, count, {}});
    columns_ = std::max<std::size_t>(columns_, std::size_t{size} + 1);
  }
  most_pieces_ = std::min(model.rows, columns_ - 1);
}

std::size_t PieceRelaxation::steps_per_solve() const {
  return 2 * (most_pieces_ + 1) * columns_ * std::min(model_.length, columns_) +
         model_.length * model_.length;
}

double PieceRelaxation::fill_pattern(const PieceMultipliers& multipliers) {
  pattern_.assign(model_.length + 1, {kUnreached, 0});
  pattern_.front().cost = 0;
  for (std::size_t sum = 1; sum <= model_.length; ++sum) {
    for (std::size_t x = 1; x <= std::min(sum, model_.length - 1); ++x) {
      const double cost = pattern_[sum - x].cost + multipliers.piece[x];
      if (cost < pattern_[sum].cost) pattern_[sum] = {cost, static_cast<std::uint32_t>(x)};
    }
  }
  return pattern_.back().cost;
}

void PieceRelaxation::clear_table() {
  table_.assign((most_pieces_ + 1) * columns_, {kUnreached, 0});
  table_.front().cost = 0;
}

void PieceRelaxation::allow(std::size_t piece) {
  for (std::size_t k = 1; k <= most_pieces_; ++k) {
    const Cell* before = &table_[(k - 1) * columns_];
    Cell* row = &table_[k * columns_];
    for (std::size_t sum = piece; sum < columns_; ++sum) {
      const double cost = before[sum - piece].cost + price_[piece];
      if (cost < row[sum].cost) row[sum] = {cost, static_cast<std::uint32_t>(piece)};
    }
  }
}

/// Pieces up to `largest` are allowed by now; some row stays empty.
void PieceRelaxation::choose_without_full_rows(std::size_t largest) {
  const double ends = in_quarters(model_.across[largest]);
  for (Zones& zones : zones_) {
    for (std::size_t k = 1; k <= std::min(most_pieces_, model_.rows - 1); ++k) {
      const double cost = cell(k, zones.size).cost + ends;
      if (cost < zones.shape.cost) zones.shape = {cost, 0, k, largest};
    }
  }
}

void PieceRelaxation::choose_with_full_rows(Zones& zones, double per_full_row) {
  const double ends = in_quarters(model_.across[model_.length]);
  for (std::size_t full = 1; full * model_.length <= zones.size && full <= model_.rows; ++full) {
    const std::size_t rest = zones.size - full * model_.length;
    const std::size_t open = model_.rows - full;
    const double rows = number(full) * per_full_row;
    const auto consider = [&](double cost, std::size_t k) {
      if (cost < zones.shape.cost) zones.shape = {cost, full, k, 0};
    };
    if (rest == 0) {
      consider(rows + (open == 0 ? 0 : ends), 0);
      continue;
    }
    for (std::size_t k = 1; k <= std::min(open, most_pieces_); ++k) {
      const std::size_t shortest = std::min(model_.length - 1, rest / k);
      const double saved = k == open ? in_quarters(model_.across[shortest]) : 0;
      consider(cell(k, rest).cost + rows + ends - saved, k);
    }
  }
}

void PieceRelaxation::choose_all_rows_in_part(Zones& zones) {
  if (zones.size < model_.rows || model_.rows > most_pieces_) return;
  const std::size_t high = (zones.size + model_.rows - 1) / model_.rows;
  const std::size_t low = zones.size / model_.rows;
  if (high >= model_.length) return;
  const double cost = cell(model_.rows, zones.size).cost +
                      in_quarters(model_.across[high] - model_.across[low]);
  if (cost < zones.shape.cost) zones.shape = {cost, 0, model_.rows, 0};
}

void PieceRelaxation::count_pieces(const Zones& zones, PieceViolation& violation) {
  std::size_t rest = zones.size - zones.shape.full * model_.length;
  for (std::size_t k = zones.shape.pieces; k > 0; --k) {
    const std::uint32_t piece = cell(k, rest).last;
    violation.piece[piece] -= number(zones.count);
    rest -= piece;
  }
}

double PieceRelaxation::solve(const PieceMultipliers& multipliers, PieceViolation& violation) {
  const double row = fill_pattern(multipliers) - in_quarters(model_.per_divided_row);
  price_.assign(model_.length, 0);
  for (std::size_t x = 1; x < model_.length; ++x) {
    price_[x] = in_quarters(model_.inside[x]) / 2 - multipliers.piece[x] - multipliers.touch;
  }

  for (Zones& zones : zones_) zones.shape = {kUnreached, 0, 0, 0};
  clear_table();
  const std::size_t kinds = std::min(model_.length, columns_);
  for (std::size_t x = 1; x < kinds; ++x) {
    allow(x);
    choose_without_full_rows(x);
  }
  violation.piece.assign(model_.length, 0);
  double bound = number(model_.rows) * row + multipliers.touch * touches_ -
                 in_quarters(model_.deduction);
  double full_rows = 0;
  violation.touch = touches_;
  for (Zones& zones : zones_) {
    choose_with_full_rows(zones, -row - multipliers.touch);
    choose_all_rows_in_part(zones);
    const double count = number(zones.count);
    bound += count * zones.shape.cost;
    full_rows += count * number(zones.shape.full);
    violation.touch -= count * number(zones.shape.full + zones.shape.pieces);
    if (zones.shape.largest == 0) count_pieces(zones, violation);
  }
  // Shapes without full rows hold to their largest piece: the table as it was when that was allowed.
  clear_table();
  for (std::size_t x = 1; x < kinds; ++x) {
    allow(x);
    for (const Zones& zones : zones_) {
      if (zones.shape.largest == x) count_pieces(zones, violation);
    }
  }
  const double divided = number(model_.rows) - full_rows;
  for (std::size_t sum = model_.length; sum > 0 && pattern_[sum].last > 0;) {
    violation.piece[pattern_[sum].last] += divided;
    sum -= pattern_[sum].last;
  }
  return bound;
}

}  // namespace zonecut
