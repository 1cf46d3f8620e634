#include "starts/row_packing.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include "starts/metropolis.hpp"

namespace zonecut {
namespace {

constexpr double kHot = 0.2;             // of the dearest piece
constexpr double kCold = 0.01;           // of it
constexpr std::size_t kRowSwaps = 20;    // one step in so many
constexpr std::size_t kOwnPercent = 40;  // of exchanges that open no row to the first of two
constexpr std::size_t kPerStep = 8;      // work of a step, apart from the rows it looks at
constexpr std::size_t kManyParts = 64;

}  // namespace

RowPacking::RowPacking(const RowModel& model, PackedExcess& excess,
                       std::span<const std::uint32_t> shares, std::size_t group, Random random)
    : RowPacking(model, excess, HeldRows(shares.size(), model.rows), group, random) {
  held_.fill_in_turn(shares, model_.length, random_);
  measure();
}

RowPacking::RowPacking(const RowModel& model, PackedExcess& excess, HeldRows held,
                       std::size_t group, Random random)
    : model_(model),
      excess_(excess),
      parts_(held.parts()),
      rows_(model.rows),
      group_(group),
      random_(random),
      inside_(model.inside),
      held_(std::move(held)),
      cost_(parts_),
      more_(rows_, 0) {
  inside_[model_.length] = 2 * model_.per_divided_row;
  measure();
}

void RowPacking::measure() {
  sum_ = 0;
  for (std::size_t part = 0; part < parts_; ++part) {
    cost_[part] = {inner_cost(part), ends_of(part)};
    sum_ += cost_[part].sum();
  }
  for (std::size_t row = 0; row < rows_; ++row) {
    more_[row] = excess_of(row);
    sum_ += more_[row];
  }
}

std::span<const std::uint32_t> RowPacking::pieces_of(std::size_t row) {
  pieces_.clear();
  for (const std::uint32_t part : held_.parts_of(row)) pieces_.push_back(held(part, row));
  return pieces_;
}

std::int64_t RowPacking::excess_of(std::size_t row) {
  if (held_.parts_of(row).size() > PackedExcess::kMostPieces) return 0;
  const std::span<const std::uint32_t> pieces = pieces_of(row);
  return pieces.size() < 2 ? 0 : excess_.about(pieces);
}

/// Where one part gives so many of its vertices to the other.
std::int64_t RowPacking::excess_after(std::size_t row, std::size_t giver, std::size_t taker,
                                      std::uint32_t count) {
  if (held_.parts_of(row).size() > PackedExcess::kMostPieces + 1) return 0;
  pieces_.clear();
  for (const std::uint32_t part : held_.parts_of(row)) {
    if (part == taker) continue;
    const std::uint32_t left = held(part, row) - (part == giver ? count : 0);
    if (left > 0) pieces_.push_back(left);
  }
  pieces_.push_back(held(taker, row) + count);
  return pieces_.size() < 2 ? 0 : excess_.about(pieces_);
}

std::int64_t RowPacking::exact_cost() {
  std::int64_t cost = sum_;
  for (std::size_t row = 0; row < rows_; ++row) {
    const std::span<const std::uint32_t> pieces = pieces_of(row);
    if (pieces.size() > 1 && pieces.size() <= PackedExcess::kMostPieces) {
      cost += excess_.of(pieces) - more_[row];
    }
  }
  return cost;
}

std::int64_t RowPacking::inner_cost(std::size_t part) const {
  std::int64_t cost = 0;
  for (const std::uint32_t row : held_.rows_of(part)) cost += inside_[held(part, row)];
  return cost;
}

/// Of the runs of rows that it touches.
std::int64_t RowPacking::ends_of(std::size_t part) {
  const std::span<const std::uint32_t> touched = held_.rows_of(part);
  touched_.clear();
  for (const std::uint32_t row : touched) touched_.push_back({row, held(part, row)});
  return ends_of_touched();
}

/// When it gives so many vertices of one row for as many of another.
std::int64_t RowPacking::ends_after(std::size_t part, std::size_t from, std::size_t to,
                                    std::uint32_t count) {
  touched_.clear();
  bool added = false;
  for (const std::uint32_t row : held_.rows_of(part)) {
    if (!added && row >= to) {
      added = true;
      touched_.push_back({static_cast<std::uint32_t>(to), held(part, to) + count});
    }
    if (row == to || (row == from && held(part, row) == count)) continue;
    touched_.push_back({row, held(part, row) - (row == from ? count : 0)});
  }
  if (!added) touched_.push_back({static_cast<std::uint32_t>(to), held(part, to) + count});
  return ends_of_touched();
}

/// When two rows change places.
std::int64_t RowPacking::ends_swapped(std::size_t part, std::size_t a, std::size_t b) {
  touched_.clear();
  for (const std::uint32_t row : held_.rows_of(part)) {
    const auto at = static_cast<std::uint32_t>(row == a ? b : row == b ? a : row);
    touched_.push_back({at, held(part, row)});
    for (std::size_t i = touched_.size() - 1; i > 0 && touched_[i].row < touched_[i - 1].row; --i) {
      std::swap(touched_[i], touched_[i - 1]);
    }
  }
  return ends_of_touched();
}

std::int64_t RowPacking::ends_of_touched() const {
  if (touched_.empty()) return 0;
  if (touched_.size() == rows_) {
    const auto [least, most] = std::ranges::minmax(touched_, {}, &Touched::held);
    return 2 * (model_.across[most.held] - model_.around[least.held]);
  }
  // The rows are a cycle, so a run that ends with the last row goes on with the first.
  std::uint32_t first = 0;
  std::size_t i = 0;
  if (touched_.back().row + 1 == rows_) {
    for (; touched_[i].row == i; ++i) first = std::max(first, touched_[i].held);
  }
  std::int64_t cost = 0;
  std::uint32_t largest = 0;
  for (; i < touched_.size(); ++i) {
    const Touched& here = touched_[i];
    largest = std::max(largest, here.held);
    if (here.row + 1 == rows_) largest = std::max(largest, first);
    if (i + 1 < touched_.size() && touched_[i + 1].row == here.row + 1) continue;
    cost += 2 * model_.across[largest];
    largest = 0;
  }
  return cost;
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
  std::int64_t& here = more_[exchange.here];
  std::int64_t& there = more_[exchange.there];
  const std::int64_t before = one.sum() + other.sum() + here + there;
  Rise rise(random_, heat);
  PartCost one_after{inner_after(exchange.one, exchange.here, exchange.there, exchange.count), 0};
  PartCost other_after{inner_after(exchange.other, exchange.there, exchange.here, exchange.count),
                       0};
  // Ends cost something as well, and rows more.
  if (!rise.allows(one_after.inner + other_after.inner - before)) return false;
  one_after.ends = ends_after(exchange.one, exchange.here, exchange.there, exchange.count);
  if (!rise.allows(one_after.sum() + other_after.inner - before)) return false;
  other_after.ends = ends_after(exchange.other, exchange.there, exchange.here, exchange.count);
  const std::int64_t parts = one_after.sum() + other_after.sum();
  if (!rise.allows(parts - before)) return false;
  const std::int64_t here_after =
      excess_after(exchange.here, exchange.one, exchange.other, exchange.count);
  const std::int64_t there_after =
      excess_after(exchange.there, exchange.other, exchange.one, exchange.count);
  const std::int64_t after = parts + here_after + there_after;
  if (!rise.allows(after - before)) return false;
  held_.apply(exchange);
  one = one_after;
  other = other_after;
  here = here_after;
  there = there_after;
  sum_ += after - before;
  return true;
}

/// Two rows change places: only the ends of runs cost something else.
bool RowPacking::try_rows(double heat) {
  const std::size_t a = random_.below(rows_);
  const std::size_t b = random_.below(rows_);
  if (a == b) return false;
  sharing_.clear();
  std::ranges::set_union(held_.parts_of(a), held_.parts_of(b), std::back_inserter(sharing_));
  ends_.clear();
  std::int64_t after = sum_;
  for (const std::uint32_t part : sharing_) {
    ends_.push_back(ends_swapped(part, a, b));
    after += ends_.back() - cost_[part].ends;
  }
  if (!Rise(random_, heat).allows(after - sum_)) return false;
  held_.swap_rows(a, b, sharing_);
  for (std::size_t i = 0; i < sharing_.size(); ++i) cost_[sharing_[i]].ends = ends_[i];
  std::swap(more_[a], more_[b]);
  sum_ = after;
  return true;
}

void RowPacking::anneal(WorkBudget& budget, double heat) {
  if (parts_ < 2 || rows_ < 2) return;
  const auto dearest = static_cast<double>(std::ranges::max(model_.inside));
  Cooling cooling(budget, dearest * kHot * heat, kCold / kHot / heat);
  // Long lists of parts take time of their own.
  const std::size_t per_step = kPerStep + (parts_ > kManyParts ? parts_ / 4 : 0);
  const auto step = [&] {
    const bool rows = random_.below(kRowSwaps) == 0;
    const double now = std::max(1.0, cooling.next());
    budget.spend(per_step + (rows ? parts_ : 2) * 2 * rows_);
    return rows ? try_rows(now) : try_exchange(now);
  };
  keep_least(held_, budget, [&] { return sum_; }, step);
  measure();
}

}  // namespace zonecut
