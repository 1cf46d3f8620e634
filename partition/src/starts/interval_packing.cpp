#include "starts/interval_packing.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "starts/metropolis.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr double kHotSteps = 1;        // edges of a row that the cost may rise by at first
constexpr double kHotAcross = 4;       // or so many between rows
constexpr double kCold = 0.2;          // of the lighter of the two, at last
constexpr std::size_t kRowSwaps = 30;  // one step in so many
constexpr std::size_t kPerStep = 80;   // work of a step
constexpr std::size_t kPerMove = 8;    // of weighing or moving what a part has of two rows

}  // namespace

IntervalPacking::IntervalPacking(const IntervalRows& rows, std::span<const std::uint32_t> shares,
                                 Random random)
    : rows_(rows), random_(random), held_(shares.size(), rows.rows), sharing_(rows.rows, 0) {
  ZONECUT_ENSURES(rows.rows > 1 && rows.length > 1 && rows.wrap <= rows.step);
  held_.fill_in_turn(shares, rows.length, random_);
  count_all_sharing();
  twice_ = measure();
}

void IntervalPacking::count_all_sharing() {
  for (std::size_t row = 0; row < rows_.rows; ++row) {
    sharing_[row] = 0;
    for (std::size_t part = 0; part < held_.parts(); ++part) {
      if (held_.held(part, row) > 0) ++sharing_[row];
    }
  }
}

/// Twice what a row cuts at least: a divided ring falls apart into as many pieces as it loses
/// edges, one of which may be the lighter one that closes it.
std::int64_t IntervalPacking::within(std::size_t row) const {
  const std::int64_t parts = sharing_[row];
  return parts < 2 ? 0 : 2 * ((parts - 1) * rows_.step + rows_.wrap);
}

/// What a part has more or less of the next row lies beside other parts.
std::int64_t IntervalPacking::to_next(std::size_t part, std::size_t row) const {
  const std::size_t next = after(row);
  const std::int64_t edge = next == 0 ? rows_.closing : rows_.across;
  return edge * std::abs(std::int64_t{held_.held(part, row)} - held_.held(part, next));
}

/// From either row and to it.
std::int64_t IntervalPacking::around(std::size_t part, std::size_t a, std::size_t b) const {
  std::int64_t cost = to_next(part, a) + to_next(part, before(a));
  if (b != before(a)) cost += to_next(part, b);
  if (before(b) != a) cost += to_next(part, before(b));
  return cost;
}

std::int64_t IntervalPacking::measure() const {
  std::int64_t cost = 0;
  for (std::size_t row = 0; row < rows_.rows; ++row) {
    cost += within(row);
    for (std::size_t part = 0; part < held_.parts(); ++part) cost += to_next(part, row);
  }
  return cost;
}

/// All that an exchange may change.
std::int64_t IntervalPacking::cost_near(const Exchange& exchange) const {
  return within(exchange.here) + within(exchange.there) +
         around(exchange.one, exchange.here, exchange.there) +
         around(exchange.other, exchange.here, exchange.there);
}

/// Of an exchange that was made.
void IntervalPacking::count_sharing(const Exchange& exchange) {
  const auto gone = [&](std::size_t part, std::size_t row) { return held_.held(part, row) == 0; };
  const auto is_new = [&](std::size_t part, std::size_t row) {
    return held_.held(part, row) == exchange.count;
  };
  const auto count = [&](std::size_t row, std::size_t from, std::size_t to) {
    if (gone(from, row)) --sharing_[row];
    if (is_new(to, row)) ++sharing_[row];
  };
  count(exchange.here, exchange.one, exchange.other);
  count(exchange.there, exchange.other, exchange.one);
}

/// Two parts and a row of each.
bool IntervalPacking::draw_exchange(Exchange& exchange) {
  exchange.one = random_.below(held_.parts());
  exchange.other = random_.below(held_.parts());
  if (exchange.one == exchange.other) return false;
  exchange.here = held_.next_row(exchange.one, random_.below(rows_.rows), rows_.rows);
  if (exchange.here == rows_.rows) return false;
  exchange.there = held_.next_row(exchange.other, random_.below(rows_.rows), exchange.here);
  if (exchange.there == rows_.rows) return false;
  exchange.count = draw_count(exchange);
  return true;
}

/// Pieces vanish, or become as large as in a neighbouring row, or anything.
std::uint32_t IntervalPacking::draw_count(const Exchange& exchange) {
  const std::uint32_t one = held_.held(exchange.one, exchange.here);
  const std::uint32_t other = held_.held(exchange.other, exchange.there);
  const std::uint32_t most = std::min(one, other);
  const auto neighbour = [&](std::size_t part, std::size_t row) {
    return held_.held(part, random_.below(2) == 0 ? after(row) : before(row));
  };
  const auto suits = [&](std::uint32_t more, std::uint32_t less) {
    return more > less && more - less <= most ? more - less : most;
  };
  switch (random_.below(6)) {
    case 0:
      return 1 + static_cast<std::uint32_t>(random_.below(most));
    case 1:
      return suits(one, neighbour(exchange.one, exchange.here));
    case 2:
      return suits(neighbour(exchange.one, exchange.there),
                   held_.held(exchange.one, exchange.there));
    case 3:
      return suits(other, neighbour(exchange.other, exchange.there));
    default:
      return most;
  }
}

/// Whether anything changed.
bool IntervalPacking::try_exchange(double heat) {
  Exchange exchange;
  if (!draw_exchange(exchange)) return false;
  const std::int64_t cost = cost_near(exchange);
  const std::uint32_t here = sharing_[exchange.here];
  const std::uint32_t there = sharing_[exchange.there];
  held_.apply(exchange);
  count_sharing(exchange);
  const std::int64_t more = cost_near(exchange) - cost;
  if (Rise(random_, heat).allows(more)) {
    twice_ += more;
    return true;
  }
  held_.undo(exchange);
  sharing_[exchange.here] = here;
  sharing_[exchange.there] = there;
  return false;
}

/// How much more or less all parts together have of the one row than of the other.
std::int64_t IntervalPacking::apart(std::size_t a, std::size_t b) const {
  std::int64_t sum = 0;
  for (std::size_t part = 0; part < held_.parts(); ++part)
    sum += std::abs(std::int64_t{held_.held(part, a)} - held_.held(part, b));
  return sum;
}

/// What is cut more beside this neighbour of a row whose place another one takes. Of three rows and
/// more.
std::int64_t IntervalPacking::if_replaced(std::size_t row, std::size_t other,
                                          std::size_t neighbour) const {
  const bool closes = row + neighbour + 1 == rows_.rows && (row == 0 || neighbour == 0);
  return (closes ? rows_.closing : rows_.across) *
         (apart(other, neighbour) - apart(row, neighbour));
}

/// Two rows change places, or all from one to the other are turned round.
bool IntervalPacking::try_rows(double heat, WorkBudget& budget) {
  const std::size_t a = random_.below(rows_.rows);
  const std::size_t b = random_.below(rows_.rows);
  if (a == b) return false;
  std::size_t first = std::min(a, b);
  std::size_t last = std::max(a, b);
  const bool turned = random_.below(2) == 0 || first + 1 == last;
  const bool are_ends = first == 0 && last + 1 == rows_.rows;
  if (turned && are_ends) return false;
  std::int64_t more = 0;
  if (!are_ends)
    more += if_replaced(first, last, before(first)) + if_replaced(last, first, after(last));
  if (!turned)
    more += if_replaced(first, last, after(first)) + if_replaced(last, first, before(last));
  if (!Rise(random_, heat).allows(more)) return false;
  twice_ += more;
  budget.spend(kPerMove * held_.parts() * (turned ? last - first : 1));
  do {
    held_.swap_rows(first, last);
    std::swap(sharing_[first], sharing_[last]);
  } while (turned && ++first < --last);
  ZONECUT_AUDIT(twice_ == measure());
  return true;
}

void IntervalPacking::anneal(WorkBudget& budget) {
  const auto step = static_cast<double>(rows_.step);
  const auto across = static_cast<double>(rows_.across);
  const double hot = 2 * std::max(kHotSteps * step, kHotAcross * across);
  const double cold = 2 * kCold * std::min(step, across);
  Cooling cooling(budget, hot, cold / hot);
  const auto step_once = [&] {
    const bool rows = random_.below(kRowSwaps) == 0;
    const double heat = cooling.next();
    budget.spend(kPerStep + (rows ? kPerMove * held_.parts() : 0));
    return rows ? try_rows(heat, budget) : try_exchange(heat);
  };
  keep_least(held_, budget, [&] { return twice_; }, step_once);
  count_all_sharing();
  twice_ = measure();
}

}  // namespace zonecut
