#include "starts/row_packing.hpp"

#include <algorithm>

#include "starts/metropolis.hpp"

namespace zonecut {
namespace {

constexpr double kHot = 0.2;             // of the dearest piece
constexpr double kCold = 0.01;           // of it
constexpr std::size_t kRowSwaps = 20;    // one step in so many
constexpr std::size_t kOwnPercent = 40;  // of exchanges that open no row to the first of two
constexpr std::int64_t kPerStep = 8;     // work of a step, apart from the rows it looks at

}  // namespace

RowPacking::RowPacking(const RowModel& model, std::span<const std::uint32_t> shares,
                       std::size_t group, Random random)
    : model_(model),
      parts_(shares.size()),
      rows_(model.rows),
      group_(group),
      random_(random),
      inside_(model.inside),
      held_(parts_, rows_),
      cost_(parts_),
      ends_(parts_, 0) {
  inside_[model_.length] = 0;
  held_.fill_in_turn(shares, model_.length, random_);
  measure();
}

void RowPacking::measure() {
  sum_ = 0;
  for (std::size_t part = 0; part < parts_; ++part) {
    cost_[part] = {inner_cost(part), ends_of(part)};
    sum_ += cost_[part].sum();
  }
}

std::int64_t RowPacking::inner_cost(std::size_t part) const {
  std::int64_t cost = 0;
  for (const std::uint32_t held : held_.of(part)) cost += inside_[held];
  return cost;
}

/// Of the runs of rows that it touches.
std::int64_t RowPacking::ends_of(std::size_t part) const {
  const std::span<const std::uint32_t> held = held_.of(part);
  std::size_t row = 0;
  std::uint32_t first = 0;  // the largest of a run that begins at the first row
  for (; row < rows_ && held[row] > 0; ++row) first = std::max(first, held[row]);
  if (row == rows_) return 2 * (model_.across[first] - model_.around[std::ranges::min(held)]);
  std::int64_t cost = 0;
  std::uint32_t largest = 0;
  for (; row < rows_; ++row) {
    if (held[row] == 0 && largest > 0) cost += 2 * model_.across[largest];
    largest = held[row] == 0 ? 0 : std::max(largest, held[row]);
  }
  // The rows are a cycle.
  largest = std::max(largest, first);
  return largest > 0 ? cost + 2 * model_.across[largest] : cost;
}

/// The next row from any that the part holds some of, and that is not that one; or rows_.
std::size_t RowPacking::draw_row(std::size_t part, std::size_t other_row) {
  return held_.next_row(part, random_.below(rows_), other_row);
}

/// The next part from any that holds some of the row, and that is not that one; or parts_.
std::size_t RowPacking::draw_part(std::size_t row, std::size_t other_part) {
  return held_.next_part(row, random_.below(parts_), other_part);
}

/// Two parts and a row of each. Often the first holds some of both rows: then it gets no piece
/// more.
bool RowPacking::draw_places(Exchange& exchange) {
  exchange.one = random_.below(parts_);
  exchange.here = draw_row(exchange.one, rows_);
  if (exchange.here == rows_) return false;
  if (random_.below(100) < kOwnPercent) {
    exchange.there = draw_row(exchange.one, exchange.here);
    if (exchange.there == rows_) return false;
    exchange.other = draw_part(exchange.there, exchange.one);
    return exchange.other < parts_;
  }
  exchange.other = random_.below(parts_);
  if (exchange.other == exchange.one) return false;
  exchange.there = draw_row(exchange.other, exchange.here);
  return exchange.there < rows_;
}

/// Pieces vanish, or become such that they divide no group, or anything.
bool RowPacking::draw_exchange(Exchange& exchange) {
  if (!draw_places(exchange)) return false;
  const std::uint32_t one = held(exchange.one, exchange.here);
  const std::uint32_t other = held(exchange.other, exchange.there);
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

/// What a part's pieces cut when it gives so many vertices of one row for as many of another.
std::int64_t RowPacking::inner_after(std::size_t part, std::size_t from, std::size_t to,
                                     std::uint32_t count) const {
  const std::uint32_t less = held(part, from);
  const std::uint32_t more = held(part, to);
  return cost_[part].inner + inside_[less - count] - inside_[less] + inside_[more + count] -
         inside_[more];
}

/// Whether anything changed.
bool RowPacking::try_exchange(double heat) {
  Exchange exchange;
  if (!draw_exchange(exchange)) return false;
  PartCost& one = cost_[exchange.one];
  PartCost& other = cost_[exchange.other];
  const std::int64_t before = one.sum() + other.sum();
  const std::int64_t most = before + draw_rise(random_, heat);
  PartCost one_after{inner_after(exchange.one, exchange.here, exchange.there, exchange.count), 0};
  PartCost other_after{inner_after(exchange.other, exchange.there, exchange.here, exchange.count),
                       0};
  // Ends cost something as well.
  if (one_after.inner + other_after.inner > most) return false;
  held_.apply(exchange);
  one_after.ends = ends_of(exchange.one);
  other_after.ends = ends_of(exchange.other);
  const std::int64_t after = one_after.sum() + other_after.sum();
  if (after <= most) {
    one = one_after;
    other = other_after;
    sum_ += after - before;
    return true;
  }
  held_.undo(exchange);
  return false;
}

/// Two rows change places: only the ends of runs cost something else.
bool RowPacking::try_rows(double heat) {
  const std::size_t a = random_.below(rows_);
  const std::size_t b = random_.below(rows_);
  if (a == b) return false;
  held_.swap_rows(a, b);
  std::int64_t after = sum_;
  for (std::size_t part = 0; part < parts_; ++part) {
    ends_[part] = held(part, a) == held(part, b) ? cost_[part].ends : ends_of(part);
    after += ends_[part] - cost_[part].ends;
  }
  if (after > sum_ + draw_rise(random_, heat)) {
    held_.swap_rows(a, b);
    return false;
  }
  for (std::size_t part = 0; part < parts_; ++part) cost_[part].ends = ends_[part];
  sum_ = after;
  return true;
}

void RowPacking::anneal(WorkBudget& budget) {
  if (parts_ < 2 || rows_ < 2) return;
  const auto dearest = static_cast<double>(std::ranges::max(model_.inside));
  Cooling cooling(budget, dearest * kHot, kCold / kHot);
  const auto step = [&] {
    const bool rows = random_.below(kRowSwaps) == 0;
    const double heat = std::max(1.0, cooling.next());
    budget.spend(static_cast<std::size_t>(kPerStep) + (rows ? parts_ : 2) * 2 * rows_);
    return rows ? try_rows(heat) : try_exchange(heat);
  };
  keep_least(held_, budget, [&] { return sum_; }, step);
  measure();
}

}  // namespace zonecut
