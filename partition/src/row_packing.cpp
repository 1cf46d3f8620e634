#include "row_packing.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr double kHot = 0.04;          // of the dearest piece
constexpr double kCold = 0.004;        // of it
constexpr std::size_t kRowSwaps = 20;  // one step in so many
constexpr std::int64_t kPerStep = 8;   // work of a step, apart from the rows it looks at

}  // namespace

RowPacking::RowPacking(const RowModel& model, std::span<const std::uint32_t> shares,
                       std::size_t group, Random random)
    : model_(model),
      parts_(shares.size()),
      rows_(model.rows),
      group_(group),
      random_(random),
      held_(parts_ * rows_, 0),
      cost_(parts_, 0) {
  fill_in_turn(shares);
  for (std::size_t part = 0; part < parts_; ++part) cost_[part] = cost_of(part);
}

void RowPacking::fill_in_turn(std::span<const std::uint32_t> shares) {
  std::vector<std::size_t> order(parts_);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random_.shuffle(std::span(order));
  std::size_t row = 0;
  auto room = static_cast<std::uint32_t>(model_.length);
  for (const std::size_t part : order) {
    for (std::uint32_t left = shares[part]; left > 0;) {
      ZONECUT_ENSURES(row < rows_);
      const std::uint32_t taken = std::min(left, room);
      at(part, row) += taken;
      left -= taken;
      room -= taken;
      if (room > 0) continue;
      ++row;
      room = static_cast<std::uint32_t>(model_.length);
    }
  }
}

/// Pieces, and the ends of runs of rows that it touches.
std::int64_t RowPacking::cost_of(std::size_t part) const {
  const std::span<const std::uint32_t> held(&held_[part * rows_], rows_);
  std::int64_t cost = 0;
  std::size_t empty = rows_;
  for (std::size_t row = 0; row < rows_; ++row) {
    if (held[row] == 0) empty = row;
    if (held[row] < model_.length) cost += model_.inside[held[row]];
  }
  if (empty == rows_) {
    const auto [least, most] = std::ranges::minmax(held);
    return cost + 2 * (model_.across[most] - model_.around[least]);
  }
  std::uint32_t largest = 0;  // of the run
  for (std::size_t i = 1; i <= rows_; ++i) {
    const std::uint32_t here = held[(empty + i) % rows_];
    if (here == 0) cost += 2 * model_.across[largest];
    largest = here == 0 ? 0 : std::max(largest, here);
  }
  return cost;
}

std::int64_t RowPacking::cost() const {
  return std::accumulate(cost_.begin(), cost_.end(), std::int64_t{0});
}

/// Pieces vanish, or become such that they divide no group, or anything.
bool RowPacking::draw_exchange(Exchange& exchange) {
  exchange.one = random_.below(parts_);
  exchange.other = random_.below(parts_);
  if (exchange.one == exchange.other) return false;
  const auto row_of = [&](std::size_t part, std::size_t other_row) {
    std::size_t row = random_.below(rows_);
    for (std::size_t i = 0; i < rows_ && (held(part, row) == 0 || row == other_row); ++i) {
      row = row + 1 < rows_ ? row + 1 : 0;
    }
    return row;
  };
  exchange.here = row_of(exchange.one, rows_);
  exchange.there = row_of(exchange.other, exchange.here);
  const std::uint32_t one = held(exchange.one, exchange.here);
  const std::uint32_t other = held(exchange.other, exchange.there);
  if (one == 0 || other == 0 || exchange.here == exchange.there) return false;
  const std::uint32_t most = std::min(one, other);
  const auto of_group = [&](std::uint32_t piece) {
    const auto size = static_cast<std::uint32_t>(group_);
    return std::min(most, piece % size == 0 ? size : piece % size);
  };
  switch (random_.below(5)) {
    case 0:
      exchange.count = of_group(one);
      break;
    case 1:
      exchange.count = of_group(other);
      break;
    case 2:
      exchange.count = 1 + static_cast<std::uint32_t>(random_.below(most));
      break;
    default:
      exchange.count = most;
  }
  return true;
}

void RowPacking::apply(const Exchange& exchange) {
  at(exchange.one, exchange.here) -= exchange.count;
  at(exchange.one, exchange.there) += exchange.count;
  at(exchange.other, exchange.there) -= exchange.count;
  at(exchange.other, exchange.here) += exchange.count;
}

bool RowPacking::accept(std::int64_t before, std::int64_t after, double heat) {
  return after <= before || random_.unit() < std::exp(static_cast<double>(before - after) / heat);
}

/// Whether anything changed.
bool RowPacking::try_exchange(double heat) {
  Exchange exchange;
  if (!draw_exchange(exchange)) return false;
  apply(exchange);
  const std::int64_t one = cost_of(exchange.one);
  const std::int64_t other = cost_of(exchange.other);
  if (accept(cost_[exchange.one] + cost_[exchange.other], one + other, heat)) {
    cost_[exchange.one] = one;
    cost_[exchange.other] = other;
    return true;
  }
  std::swap(exchange.here, exchange.there);
  apply(exchange);
  return false;
}

void RowPacking::swap_rows(std::size_t a, std::size_t b) {
  for (std::size_t part = 0; part < parts_; ++part) std::swap(at(part, a), at(part, b));
}

/// Two rows change places: only the ends of runs cost something else.
bool RowPacking::try_rows(double heat) {
  const std::size_t a = random_.below(rows_);
  const std::size_t b = random_.below(rows_);
  if (a == b) return false;
  std::vector<std::int64_t> after = cost_;
  swap_rows(a, b);
  for (std::size_t part = 0; part < parts_; ++part) {
    if (held(part, a) != held(part, b)) after[part] = cost_of(part);
  }
  const std::int64_t sum = std::accumulate(after.begin(), after.end(), std::int64_t{0});
  if (accept(cost(), sum, heat)) {
    cost_ = std::move(after);
    return true;
  }
  swap_rows(a, b);
  return false;
}

void RowPacking::anneal(WorkBudget& budget) {
  if (parts_ < 2 || rows_ < 2) return;
  const auto dearest = static_cast<double>(std::ranges::max(model_.inside));
  const auto all = static_cast<double>(std::max<std::int64_t>(1, budget.left()));
  std::vector<std::uint32_t> best = held_;
  std::int64_t least = cost();
  std::int64_t now = least;
  while (!budget.spent()) {
    const double passed = 1 - static_cast<double>(budget.left()) / all;
    const double heat = std::max(1.0, dearest * kHot * std::pow(kCold / kHot, passed));
    const bool rows = random_.below(kRowSwaps) == 0;
    budget.spend(static_cast<std::size_t>(kPerStep) + (rows ? parts_ : 2) * 2 * rows_);
    if (rows ? !try_rows(heat) : !try_exchange(heat)) continue;
    now = cost();
    if (now >= least) continue;
    least = now;
    best = held_;
  }
  held_ = std::move(best);
  for (std::size_t part = 0; part < parts_; ++part) cost_[part] = cost_of(part);
}

}  // namespace zonecut
