#include "bound/group_prices.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "bound/bound_pieces.hpp"
#include "bound/incidence.hpp"
#include "bound/open_zones.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// The least that the pieces of a divided group get back, each less `touch`, and `touch` more.
struct Slack {
  std::int64_t least = 0;
  std::vector<std::size_t> pieces;
};

Slack slack_of(std::span<const std::int64_t> refund, std::int64_t touch) {
  const std::size_t size = refund.size() - 1;
  std::vector<std::int64_t> least{0};
  std::vector<std::size_t> last{0};
  for (std::size_t sum = 1; sum <= size; ++sum) {
    least.push_back(kUnlimited);
    last.push_back(0);
    for (std::size_t k = 1; k <= std::min(sum, size - 1); ++k) {
      const std::int64_t cost = least[sum - k] + refund[k] - touch;
      if (cost >= least[sum]) continue;
      least[sum] = cost;
      last[sum] = k;
    }
  }
  Slack slack{least.back() + touch, {}};
  for (std::size_t sum = size; sum > 0; sum -= last[sum]) slack.pieces.push_back(last[sum]);
  return slack;
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
                                   WorkBudget& budget, Filling filling)
    : refund_(groups.length + 1, 0), groups_(static_cast<std::int64_t>(groups.rows)) {
  const bool full = filling == Filling::Full;
  const Incidence incidence =
      full ? incidence_of(sizes, groups.length, groups.rows) : open_incidence(groups);
  const std::optional<PiecesBound> best =
      full ? pieces_bound(groups, sizes, incidence, budget, kUnlimited)
           : open_pieces_bound(groups, sizes, budget, kUnlimited);
  const std::int64_t chosen = separable_bound(groups, sizes, filling);
  worthwhile_ = best && best->quarters > chosen + chosen / 1000;
  divided_ = static_cast<std::int64_t>(incidence.touches) - groups_;
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
}

GroupPrices GroupMultipliers::times(double scale) const {
  std::vector<std::int64_t> refund;
  for (const double each : refund_) refund.push_back(rounded_up(scale * each));
  return at(std::move(refund), rounded_down(scale * touch_));
}

std::int64_t GroupMultipliers::most_exact() const {
  constexpr std::int64_t kExactInDoubles = std::int64_t{1} << 50;
  constexpr std::int64_t kExactInAll = std::int64_t{1} << 59;
  const auto size = static_cast<std::int64_t>(refund_.size());
  return std::min(kExactInDoubles, kExactInAll / size) / std::max<std::int64_t>(1, groups_);
}

GroupPrices GroupMultipliers::at(std::vector<std::int64_t> refund, std::int64_t touch) const {
  const std::int64_t most = most_exact();
  for (std::int64_t& each : refund) each = std::clamp(each, -most, most);
  touch = std::clamp<std::int64_t>(touch, 0, most);
  // Where they make most of the groups, a divided group's m pieces get back (m − 1) touches, but
  // for rounding.
  Slack slack = slack_of(refund, touch);
  GroupPrices prices{std::move(refund), touch * divided_, touch, {}};
  if (slack.least < 0) {
    prices.constant += groups_ * slack.least;
    prices.pieces = std::move(slack.pieces);
  }
  return prices;
}

}  // namespace zonecut
