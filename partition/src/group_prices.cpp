#include "group_prices.hpp"

#include <algorithm>
#include <limits>

#include "bound_pieces.hpp"
#include "incidence.hpp"
#include "relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// The least that the pieces of a divided group get back, each less `touch`, and `touch` more.
std::int64_t slack_of(std::span<const std::int64_t> refund, std::int64_t touch) {
  const std::size_t size = refund.size() - 1;
  std::vector<std::int64_t> least{0};
  for (std::size_t sum = 1; sum <= size; ++sum) {
    std::int64_t best = kUnlimited;
    for (std::size_t k = 1; k <= std::min(sum, size - 1); ++k) {
      best = std::min(best, least[sum - k] + refund[k] - touch);
    }
    least.push_back(best);
  }
  return least.back() + touch;
}

/// The least that pieces of a row cost together by these prices.
double cheapest_pattern(std::span<const double> price, std::size_t size) {
  std::vector<double> least{0};
  for (std::size_t sum = 1; sum <= size; ++sum) {
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t k = 1; k <= std::min(sum, size - 1); ++k) {
      best = std::min(best, least[sum - k] + price[k]);
    }
    least.push_back(best);
  }
  return least.back();
}

}  // namespace

GroupMultipliers::GroupMultipliers(const RowModel& groups, std::span<const std::uint32_t> sizes,
                                   WorkBudget& budget)
    : refund_(groups.length + 1, 0), groups_(static_cast<std::int64_t>(groups.rows)) {
  const Incidence incidence = incidence_of(sizes, groups.length, groups.rows);
  const std::optional<PiecesBound> best =
      pieces_bound(groups, sizes, incidence, budget, kUnlimited);
  const std::int64_t chosen = separable_bound(groups, sizes);
  worthwhile_ = best && best->quarters > chosen + chosen / 1000;
  if (!worthwhile_) return;
  const PieceMultipliers& found = best->multipliers;
  touch_ = found.touch;
  // In proportion to its vertices a piece may cost more or less: zones and groups have the same
  // number of them. So much that a whole group costs nothing.
  const double even =
      (cheapest_pattern(found.piece, groups.length) + touch_) / static_cast<double>(groups.length);
  for (std::size_t k = 1; k < groups.length; ++k) {
    refund_[k] = found.piece[k] - even * static_cast<double>(k) + touch_;
  }
  divided_ = static_cast<std::int64_t>(incidence.touches) - groups_;
}

GroupPrices GroupMultipliers::times(double scale) const {
  GroupPrices prices;
  for (const double refund : refund_) prices.refund.push_back(rounded_up(scale * refund));
  const std::int64_t touch = rounded_down(scale * touch_);
  // Of a divided group's m pieces the refunds come to (m − 1) times the touch, but for rounding.
  prices.constant =
      touch * divided_ + groups_ * std::min<std::int64_t>(0, slack_of(prices.refund, touch));
  return prices;
}

}  // namespace zonecut
