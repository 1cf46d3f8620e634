#include "bound/priced_sets.hpp"

#include <algorithm>
#include <cmath>
#include <experimental/simd>
#include <limits>
#include <numeric>
#include <utility>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

namespace simd = std::experimental;
using Units = std::int16_t;
using Lanes = simd::fixed_size_simd<Units, 8>;

constexpr double kRange = 32'000;  // of whole numbers, with some to spare
constexpr std::size_t kMostPlaces = 4096;
constexpr double kWorthKnowing = 16;  // times what a place may cut, whatever the prices

/// A row of the table and what its way costs.
struct Source {
  const Units* from = nullptr;
  Units more = 0;
};

/// The least of the sources at a place, and of the limit. From `shift` on, the shifted ones too.
class Merge {
 public:
  explicit Merge(Units limit) : limit_(limit) {}

  void clear() {
    plain_.clear();
    shifted_.clear();
  }
  void add(Source source, bool shifted) { (shifted ? shifted_ : plain_).push_back(source); }

  void write(std::span<Units> to, std::size_t shift) const {
    shift = std::min(shift, to.size());
    run<false>(to, 0, shift, 0);
    run<true>(to, shift, to.size(), shift);
  }

 private:
  template <bool kShifted>
  void run(std::span<Units> to, std::size_t begin, std::size_t end, std::size_t shift) const {
    std::size_t i = begin;
    for (; i + Lanes::size() <= end; i += Lanes::size()) vector<kShifted>(to, i, shift);
    if (i == end) return;
    // The last ones once more, together with some before.
    if (end - begin >= Lanes::size()) {
      vector<kShifted>(to, end - Lanes::size(), shift);
      return;
    }
    for (; i < end; ++i) {
      int least = limit_;
      for (const Source& s : plain_) least = std::min(least, s.from[i] + s.more);
      if constexpr (kShifted) {
        for (const Source& s : shifted_) least = std::min(least, s.from[i - shift] + s.more);
      }
      to[i] = static_cast<Units>(least);
    }
  }

  template <bool kShifted>
  void vector(std::span<Units> to, std::size_t i, std::size_t shift) const {
    Lanes least(limit_);
    const auto lower = [&](const Source& source, std::size_t at) {
      least = min(least, Lanes(source.from + at, simd::element_aligned) + Lanes(source.more));
    };
    for (const Source& source : plain_) lower(source, i);
    if constexpr (kShifted) {
      for (const Source& source : shifted_) lower(source, i - shift);
    }
    least.copy_to(&to[i], simd::element_aligned);
  }

  Units limit_;
  std::vector<Source> plain_;
  std::vector<Source> shifted_;
};

}  // namespace

bool PricedSets::knows(std::size_t size) const {
  return size < cost_.size() && std::isfinite(cost_[size]);
}

std::size_t PricedSets::steps(std::size_t places, std::span<const LineEdge> edges,
                              std::size_t largest) {
  const std::size_t ways = frontier_ways(places, edges);
  const std::size_t most = std::numeric_limits<std::size_t>::max() / (largest + 1);
  return ways > most ? std::numeric_limits<std::size_t>::max() : ways / 2 * (largest + 1);
}

std::optional<PricedSets> PricedSets::make(std::vector<std::uint32_t> widths,
                                           std::span<const LineEdge> edges, std::size_t largest,
                                           std::size_t most_entries) {
  if (widths.size() > kMostPlaces) return std::nullopt;
  largest = std::min(largest, std::reduce(widths.begin(), widths.end(), std::size_t{0}));
  if (steps(widths.size(), edges, largest) > most_entries) return std::nullopt;
  std::vector<FrontierStep> sweep = frontier_sweep(widths.size(), edges);
  return PricedSets(std::move(widths), std::move(sweep), largest, edges);
}

PricedSets::PricedSets(std::vector<std::uint32_t> widths, std::vector<FrontierStep> steps,
                       std::size_t largest, std::span<const LineEdge> edges)
    : widths_(std::move(widths)),
      steps_(std::move(steps)),
      counts_(largest + 1),
      first_{0, 1},
      cut_(steps_.size()),
      rounded_(steps_.size(), 0),
      cost_(counts_, 0) {
  for (const FrontierStep& step : steps_) first_.push_back(first_.back() + step.states());
  table_ = std::make_unique_for_overwrite<Units[]>(first_.back() * counts_);
  lightest_ = kNotReached;
  for (const LineEdge& edge : edges) {
    if (edge.weight > 0) lightest_ = std::min(lightest_, in_quarters(edge.weight) / 2);
  }
  if (lightest_ == kNotReached) lightest_ = 1;
  for (std::size_t v = 0; v < steps_.size(); ++v) {
    cut_[v].assign(steps_[v].ways.size(), 0);
    for (const FrontierStep::Way& way : steps_[v].ways) {
      heaviest_ = std::max(heaviest_, in_quarters(way.cut) / 2);
    }
  }
}

/// Sums lie between what all places are worth, below 0, and twice that. One that is more may count
/// as less, but not as so little that it would be the least.
void PricedSets::choose_unit(std::span<const double> prices) {
  double worth = kWorthKnowing * heaviest_ + 1;
  double most = heaviest_;
  for (const double price : prices) {
    worth += std::max(0.0, price);
    most = std::max(most, heaviest_ - price);
  }
  const double before = unit_;
  unit_ = (2 * worth + most) / (kRange - 2 * number(prices.size()));
  // Where edges are alike, nothing of them is lost.
  if (lightest_ > unit_) unit_ = lightest_ / std::floor(lightest_ / unit_);
  if (unit_ != before) round_cuts();
  for (std::size_t v = 0; v < prices.size(); ++v) {
    rounded_[v] = static_cast<Units>(std::nearbyint(prices[v] / unit_));
  }
  limit_ = static_cast<Units>(std::numeric_limits<Units>::max() - std::ceil(most / unit_) - 1);
}

void PricedSets::round_cuts() {
  for (std::size_t v = 0; v < steps_.size(); ++v) {
    for (std::size_t w = 0; w < cut_[v].size(); ++w) {
      const double half = in_quarters(steps_[v].ways[w].cut) / 2;
      cut_[v][w] = static_cast<Units>(std::floor(half / unit_ * (1 + kRounding)));
    }
  }
}

void PricedSets::fill() {
  Merge merge(limit_);
  std::ranges::fill(row(0, 0), limit_);
  row(0, 0).front() = 0;
  for (std::size_t v = 0; v < steps_.size(); ++v) {
    const FrontierStep& step = steps_[v];
    for (std::size_t state = 0; state < step.states(); ++state) {
      merge.clear();
      for (std::uint32_t w = step.first[state]; w < step.first[state + 1]; ++w) {
        const FrontierStep::Way& way = step.ways[w];
        const int more = cut_[v][w] - (way.taken ? rounded_[v] : 0);
        merge.add({row(v, way.from).data(), static_cast<Units>(more)}, way.taken);
      }
      merge.write(row(v + 1, state), widths_[v]);
    }
  }
}

void PricedSets::solve(std::span<const double> prices) {
  choose_unit(prices);
  fill();
  int worth = 0;
  for (const Units price : rounded_) worth += std::max<int>(0, price);
  for (std::size_t size = 0; size < counts_; ++size) {
    const Units best = at(places(), 0, size);
    cost_[size] = best < limit_ - worth ? unit_ * best : kNotReached;
  }
}

/// From the end back along sums that are exact.
void PricedSets::members(std::size_t size, std::span<std::uint8_t> taken) const {
  std::size_t state = 0;
  std::size_t count = size;
  for (std::size_t v = places(); v-- > 0;) {
    const FrontierStep& step = steps_[v];
    const int least = at(v + 1, state, count);
    for (std::uint32_t w = step.first[state]; w < step.first[state + 1]; ++w) {
      const FrontierStep::Way& way = step.ways[w];
      if (way.taken && count < widths_[v]) continue;
      const std::size_t before = way.taken ? count - widths_[v] : count;
      const int price = way.taken ? rounded_[v] : 0;
      if (at(v, way.from, before) + cut_[v][w] - price != least) continue;
      taken[v] = way.taken ? 1 : 0;
      state = way.from;
      count = before;
      break;
    }
  }
}

}  // namespace zonecut
