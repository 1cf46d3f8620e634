#include "bound/row_patterns.hpp"

#include <algorithm>
#include <tuple>

#include "bound/few_pieces.hpp"
#include "grid/min_plus.hpp"

namespace zonecut {

std::size_t RowPatterns::steps(bool with_excess) const {
  return kinds_ * length_ + (with_excess ? length_ * length_ / 4 + few_steps(length_) : 0);
}

/// any_, the empty row included, and several_.
void RowPatterns::fill(std::span<const double> price) {
  any_.assign(length_ + 1, {kNotReached, 0});
  several_ = any_;
  any_.front().cost = 0;
  // Where nothing costs anything, as in bounds without prices, no piece is better than another.
  const bool free = std::ranges::all_of(price, [](double each) { return each == 0; });
  const std::size_t tried = free ? std::min<std::size_t>(2, kinds_) : kinds_;
  for (std::size_t sum = 1; sum <= length_; ++sum) {
    Cell best{kNotReached, 0};
    for (std::size_t x = 1; x < std::min(sum, tried); ++x) {
      const double cost = any_[sum - x].cost + price[x];
      if (cost < best.cost) best = {cost, static_cast<std::uint32_t>(x)};
    }
    several_[sum] = best;
    if (sum < kinds_ && price[sum] < best.cost)
      best = {price[sum], static_cast<std::uint32_t>(sum)};
    any_[sum] = best;
  }
}

/// Appends the cheapest of any pieces with that sum.
void RowPatterns::take(std::size_t sum, std::vector<std::uint32_t>& pieces) const {
  for (; sum > 0; sum -= any_[sum].last) pieces.push_back(any_[sum].last);
}

/// Two pieces, and two or more.
double RowPatterns::choose_many(std::span<const double> price) {
  double least = kNotReached;
  std::size_t first = 0;
  std::size_t both = 0;
  for (std::size_t sum = 2; sum + 2 <= length_; ++sum) {
    const double others = several_[length_ - sum].cost;
    for (std::size_t x = sum - std::min(sum - 1, kinds_ - 1); 2 * x <= sum; ++x) {
      const double cost = price[x] + price[sum - x] + others;
      if (cost < least) std::tie(least, first, both) = std::tuple(cost, x, sum);
    }
  }
  if (least == kNotReached) return least;
  const std::uint32_t third = several_[length_ - both].last;
  pieces_ = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(both - first), third};
  take(length_ - both - third, pieces_);
  return least;
}

/// What the cheapest of few pieces costs, where that is less than `most`.
double RowPatterns::choose_few(std::span<const double> price, std::span<const RowExcess> excess,
                               double most) {
  for_few_pieces(length_, kinds_, [&](const auto& sizes) {
    double cost = 0;
    for (const std::uint32_t x : sizes) cost += price[x];
    if (cost >= most) return;
    const MostExcess besides = most_excess(excess, sizes);
    if (cost + besides.value >= most) return;
    most = cost + besides.value;
    pieces_.assign(sizes.begin(), sizes.end());
    excess_ = besides.which;
  });
  return most;
}

double RowPatterns::choose(std::span<const double> price, std::span<const RowExcess> excess) {
  excess = sums_over_pieces(excess);
  pieces_.clear();
  excess_.reset();
  fill(price);
  if (!excess.empty()) return choose_few(price, excess, choose_many(price));
  if (any_.back().cost < kNotReached) take(length_, pieces_);
  return any_.back().cost;
}

std::vector<RowPatterns::Row> RowPatterns::others(std::span<const double> price,
                                                  std::span<const RowExcess> excess,
                                                  std::size_t most) const {
  excess = sums_over_pieces(excess);
  std::vector<std::pair<double, std::size_t>> with;
  for (std::size_t x = 1; x < std::min(kinds_, length_); ++x) {
    with.emplace_back(price[x] + any_[length_ - x].cost, x);
  }
  std::ranges::sort(with);
  std::vector<Row> rows;
  for (const auto& [cost, x] : with) {
    if (rows.size() == most || cost >= kNotReached) break;
    Row row{0, {static_cast<std::uint32_t>(x)}, std::nullopt};
    take(length_ - x, row.pieces);
    std::ranges::sort(row.pieces);
    if (std::ranges::find(rows, row.pieces, &Row::pieces) != rows.end()) continue;
    for (const std::uint32_t piece : row.pieces) row.cost += price[piece];
    if (row.pieces.size() <= kFewPieces) {
      const MostExcess besides = most_excess(excess, row.pieces);
      row.cost += besides.value;
      row.excess = besides.which;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

double RowPatterns::excess_by(std::span<const RowExcess> others) const {
  return excess_ ? sum_of(others[*excess_], pieces_) : 0;
}

}  // namespace zonecut
