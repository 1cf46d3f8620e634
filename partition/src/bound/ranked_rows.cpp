#include "bound/ranked_rows.hpp"

#include <algorithm>
#include <utility>

namespace zonecut {

/// What the cheapest row costs with each piece of each zone, without excess.
void RankedRows::see_rows_with() {
  rows_with_.resize(prices_.zones());
  // Of the zones after one, by what they leave of a row.
  std::vector<double> after(prices_.length + 1, kNotReached);
  after[prices_.length] = 0;
  std::vector<double> with;
  for (std::size_t zone = prices_.zones(); zone-- > 0;) {
    const std::span<const double> price = prices_.price[zone];
    std::vector<double>& rows = rows_with_[zone];
    rows.assign(price.size(), kNotReached);
    with = after;
    for (std::size_t x = 1; x < price.size(); ++x) {
      const std::span<const double> left = std::span(after).subspan(x);
      rows[x] = price[x] + least_sum(left, prices_.before(zone).first(left.size()));
      lower(std::span(with).first(left.size()), left, price[x]);
    }
    std::swap(after, with);
  }
}

void RankedRows::offer() {
  offers_.resize(prices_.zones());
  for (std::size_t zone = 0; zone < prices_.zones(); ++zone) {
    const std::span<const double> price = prices_.price[zone];
    const std::span<const double> before = prices_.before(zone);
    Offers& offers = offers_[zone];
    offers.price.assign((price.size() + kBlock - 1) / kBlock * kBlock, kNotReached);
    for (std::size_t x = 1; x < price.size(); ++x) {
      if (!is_dear(rows_with_[zone][x])) offers.price[x] = price[x];
    }
    offers.of_block.clear();
    for (std::size_t x = 0; x < offers.price.size(); x += kBlock) {
      offers.of_block.push_back(std::ranges::min(std::span(offers.price).subspan(x, kBlock)));
    }
    offers.before.clear();
    for (std::size_t sum = 0; sum < before.size(); ++sum) {
      const std::size_t near = std::min(kBlock, before.size() - sum);
      offers.before.push_back(std::ranges::min(before.subspan(sum, near)));
    }
  }
}

/// The row of these pieces, which costs so much without excess.
void RankedRows::see(double cost) {
  sizes_.clear();
  for (const Piece& piece : pieces_) sizes_.push_back(piece.size);
  const MostExcess besides = most_excess(excess_, sizes_, best_.cost - cost);
  if (cost + besides.value < best_.cost) best_ = {cost + besides.value, pieces_, besides.which};
}

/// All rows that begin with these pieces, go on with those of the first so many zones, and are not
/// too dear. Whether there was time for it.
bool RankedRows::look(std::size_t zones, std::size_t sum, double cost) {
  if (sum == 0) {
    see(cost);
    looked_ += of_a_row_ + static_cast<std::int64_t>(take_work(excess_));
    return true;
  }
  if (zones == 0) return true;
  const std::size_t zone = zones - 1;
  if (!is_dear(cost + prices_.before(zone)[sum]) && !look(zone, sum, cost)) return false;
  constexpr std::int64_t kOfBlock = 3;
  const Offers& offers = offers_[zone];
  const std::size_t blocks = std::min(offers.of_block.size(), sum / kBlock + 1);
  looked_ += kOfBlock * static_cast<std::int64_t>(blocks + 1);
  if (looked_ > most_looked_) return false;
  for (std::size_t block = 0; block < blocks; ++block) {
    const std::size_t first = block * kBlock;
    const std::size_t left = sum - std::min(sum, first + kBlock - 1);
    if (is_dear(cost + offers.of_block[block] + offers.before[left])) continue;
    if (!look_with(zone, first, sum, cost)) return false;
  }
  return true;
}

/// Those with a piece of this zone, of a block of sizes.
bool RankedRows::look_with(std::size_t zone, std::size_t first, std::size_t sum, double cost) {
  const std::span<const double> before = prices_.before(zone);
  for (std::size_t x = first; x < std::min(first + kBlock, sum + 1); ++x) {
    const double with = cost + offers_[zone].price[x];
    if (is_dear(with + before[sum - x])) continue;
    pieces_.push_back({zone, static_cast<std::uint32_t>(x)});
    const bool done = look(zone, sum - x, with);
    pieces_.pop_back();
    if (!done) return false;
  }
  return true;
}

/// Whether it could look far enough ahead to be of use.
bool RankedRows::look_ahead() {
  constexpr int kTries = 5;
  constexpr int kSmallSteps = 3;
  constexpr double kLess = 0.7;
  constexpr double kFarLess = 0.3;
  constexpr double kMore = 1.5;       // where there is time for it
  constexpr std::int64_t kSpare = 4;  // one part of the work in so many
  constexpr double kOfUse = 0.1;      // of what the best row is ahead
  const double filled = prices_.filled();
  for (int i = 0; i < kTries; ++i) {
    if (best_.cost <= filled) break;
    others_ = filled + ahead_;
    offer();
    pieces_.clear();
    looked_ = 0;
    const bool done = look(prices_.zones(), prices_.length, 0);
    work_ += looked_;
    if (!done) {
      ahead_ = std::min(ahead_, best_.cost - filled) * (i < kSmallSteps ? kLess : kFarLess);
      continue;
    }
    if (best_.cost <= others_) return true;
    const bool far = ahead_ >= kOfUse * (best_.cost - filled);
    if (looked_ < most_looked_ / kSpare) ahead_ *= kMore;
    return far;
  }
  others_ = filled;
  return best_.cost <= filled;
}

void RankedRows::rank(PiecePrices prices, std::span<const RowExcess> excess,
                      std::vector<Piece> cheapest) {
  constexpr std::int64_t kFewest = 100'000;
  constexpr std::int64_t kGranted = 500'000;
  constexpr std::int64_t kLayers = 30;
  constexpr std::int64_t kOfDivisions = 80;
  constexpr std::int64_t kOfGroups = 300;
  prices_ = std::move(prices);
  excess_ = excess;
  // How pieces make up groups takes long, and matters less.
  const bool groups = excess.back().group > 0;
  const auto layer =
      static_cast<std::int64_t>(prices_.zones() * prices_.length * prices_.length / 4);
  of_a_row_ = groups ? kOfGroups : kOfDivisions;
  most_looked_ = groups ? kGranted : std::max(kGranted, kLayers * layer);
  most_looked_ = std::clamp(allowed_, kFewest, most_looked_);
  // And what has been asked since the last time.
  work_ = 2 * layer + static_cast<std::int64_t>(take_work(excess));
  best_ = {};
  pieces_ = std::move(cheapest);
  see(prices_.filled());
  see_rows_with();
  vain_ = look_ahead() ? 0 : vain_ + 1;
}

}  // namespace zonecut
