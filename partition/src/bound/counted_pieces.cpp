#include "bound/counted_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grid/relaxation_sums.hpp"

namespace zonecut {

void CountedPieces::set_prices(std::span<const double> price) {
  price_ = price;
  hull_.clear();
  for (std::size_t x = 2; x < price.size(); ++x) {
    Segment next{x - 1, x, price[x] - price[x - 1], {}};
    while (!hull_.empty() && hull_.back().slope >= next.slope) {
      next.low = hull_.back().low;
      next.slope = (price[x] - price[next.low]) / number(x - next.low);
      hull_.pop_back();
    }
    hull_.push_back(std::move(next));
  }
}

/// Shortest paths from remainder 0: a piece of x steps x − low further and costs what its price
/// lies above the line. Kind of step after kind, the cheapest first: most are no better than those
/// before.
void CountedPieces::fill(Segment& segment) const {
  const std::size_t modulus = segment.high - segment.low;
  std::vector<Cell> step(modulus, {kNotReached, 0});
  for (std::size_t x = 1; x < price_.size(); ++x) {
    const double line = price_[segment.low] + segment.slope * (number(x) - number(segment.low));
    const double excess = std::max(0.0, price_[x] - line);
    Cell& best = step[(x + segment.low * (modulus - 1)) % modulus];
    if (excess < best.excess) best = {excess, static_cast<std::uint32_t>(x)};
  }
  segment.least.assign(modulus, {kNotReached, 0});
  segment.least[0].excess = 0;
  std::vector<std::size_t> cheapest(modulus - 1);
  std::iota(cheapest.begin(), cheapest.end(), std::size_t{1});
  std::ranges::stable_sort(cheapest, {}, [&](std::size_t i) { return step[i].excess; });
  for (const std::size_t i : cheapest) {
    if (step[i].excess < segment.least[i].excess) take_steps(segment, i, step[i]);
  }
}

/// Any number of steps of this length from where one is. Once around leads back, and the second
/// time from the cheapest place on.
void CountedPieces::take_steps(Segment& segment, std::size_t length, const Cell& step) {
  const std::size_t modulus = segment.least.size();
  const std::size_t circles = std::gcd(length, modulus);
  for (std::size_t begin = 0; begin < circles; ++begin) {
    std::size_t at = begin;
    for (std::size_t count = 2 * modulus / circles; count > 0; --count) {
      const std::size_t next = at + length < modulus ? at + length : at + length - modulus;
      const double cost = segment.least[at].excess + step.excess;
      if (cost < segment.least[next].excess) segment.least[next] = {cost, step.last};
      at = next;
    }
  }
}

std::size_t CountedPieces::remainder_on(const Segment& segment, std::size_t k, std::size_t v) {
  const std::size_t modulus = segment.high - segment.low;
  return (v + k % modulus * segment.low * (modulus - 1)) % modulus;
}

double CountedPieces::on(Segment& segment, std::size_t k, std::size_t v) const {
  if (segment.least.empty()) fill(segment);
  // A slope is rounded, prices themselves are not.
  if (v == k * segment.high) return number(k) * price_[segment.high];
  const double line =
      number(k) * price_[segment.low] + segment.slope * (number(v) - number(k * segment.low));
  const double cost = line + segment.least[remainder_on(segment, k, v)].excess;
  return segment.slope == 0 ? cost : cost - kRounding * std::abs(cost);
}

/// Of the hull where v / k lies; at a corner either side holds.
CountedPieces::Found CountedPieces::dearer_segment(std::size_t k, std::size_t v) {
  const auto reaches = [&](const Segment& segment) { return segment.high * k >= v; };
  const auto found = std::ranges::find_if(hull_, reaches);
  const Found here{&*found, on(*found, k, v)};
  const auto next = found + 1;
  if (found->high * k != v || next == hull_.end()) return here;
  const Found beyond{&*next, on(*next, k, v)};
  return beyond.cost > here.cost ? beyond : here;
}

double CountedPieces::bound(std::size_t k, std::size_t v) {
  return hull_.empty() ? number(k) * price_[1] : dearer_segment(k, v).cost;
}

double CountedPieces::bound(std::size_t k, std::size_t v, std::vector<PieceCount>& pieces) {
  if (hull_.empty()) {
    pieces.assign(1, {1, number(k)});
    return number(k) * price_[1];
  }
  const Found found = dearer_segment(k, v);
  const Segment& segment = *found.segment;
  const std::size_t modulus = segment.high - segment.low;
  pieces.clear();
  double count = number(k);
  double sum = number(v);
  for (std::size_t remainder = remainder_on(segment, k, v); remainder != 0;) {
    const std::size_t x = segment.least[remainder].last;
    pieces.push_back({x, 1});
    count -= 1;
    sum -= number(x);
    remainder = (remainder + (x + segment.low * (modulus - 1)) * (modulus - 1)) % modulus;
  }
  const double high = (sum - count * number(segment.low)) / number(modulus);
  pieces.push_back({segment.low, count - high});
  pieces.push_back({segment.high, high});
  return found.cost;
}

}  // namespace zonecut
