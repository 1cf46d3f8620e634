#include "bound/swept_sets.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <experimental/simd>
#include <limits>
#include <numeric>
#include <utility>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

namespace simd = std::experimental;

/// Whole numbers of so many bytes, of which sums up to `range` and a little more are exact.
template <class Units>
struct Counting;
template <>
struct Counting<std::int16_t> {
  using Lanes = simd::fixed_size_simd<std::int16_t, 8>;
  using Sum = int;
  static constexpr double kRange = 32'000;
  static constexpr int kHighest = std::numeric_limits<std::int16_t>::max();
};
template <>
struct Counting<std::int32_t> {
  using Lanes = simd::fixed_size_simd<std::int32_t, 4>;
  using Sum = std::int64_t;
  static constexpr double kRange = 2e9;
  static constexpr std::int32_t kHighest = std::numeric_limits<std::int32_t>::max();
};

constexpr std::size_t kMostPlaces = 4096;
constexpr double kWorthKnowing = 16;  // times what a place may cut, whatever the prices
constexpr std::size_t kFineWork = 3;  // half as many lanes, and no instruction for the least of two

/// A row of the table and what its way costs.
template <class Units>
struct Source {
  const Units* from = nullptr;
  Units more = 0;
};

/// The least of the sources at a place, and of the limit. From `shift` on, the shifted ones too.
template <class Units>
class Merge {
 public:
  using Lanes = typename Counting<Units>::Lanes;
  using Sum = typename Counting<Units>::Sum;

  explicit Merge(Units limit) : limit_(limit) {}

  void clear() {
    plain_.clear();
    shifted_.clear();
  }
  void add(Source<Units> source, bool shifted) { (shifted ? shifted_ : plain_).push_back(source); }

  void write(std::span<Units> to, std::size_t shift) const {
    shift = std::min(shift, to.size());
    run<false>(to, 0, shift, 0);
    run<true>(to, shift, to.size(), shift);
  }

 private:
  static constexpr std::size_t kAtOnce = 4;  // lanes, so that sources are looked up less often

  template <bool kShifted>
  void run(std::span<Units> to, std::size_t begin, std::size_t end, std::size_t shift) const {
    constexpr std::size_t kWide = kAtOnce * Lanes::size();
    std::size_t i = begin;
    for (; i + kWide <= end; i += kWide) vectors<kShifted, kAtOnce>(to, i, shift);
    for (; i + Lanes::size() <= end; i += Lanes::size()) vectors<kShifted, 1>(to, i, shift);
    if (i == end) return;
    // The last ones once more, together with some before.
    if (end - begin >= Lanes::size()) {
      vectors<kShifted, 1>(to, end - Lanes::size(), shift);
      return;
    }
    for (; i < end; ++i) {
      Sum least = limit_;
      for (const Source<Units>& s : plain_) least = std::min<Sum>(least, s.from[i] + s.more);
      if constexpr (kShifted) {
        for (const Source<Units>& s : shifted_)
          least = std::min<Sum>(least, s.from[i - shift] + s.more);
      }
      to[i] = static_cast<Units>(least);
    }
  }

  template <bool kShifted, std::size_t kCount>
  void vectors(std::span<Units> to, std::size_t i, std::size_t shift) const {
    std::array<Lanes, kCount> least;
    least.fill(Lanes(limit_));
    const auto lower = [&](const Source<Units>& source, std::size_t at) {
      const Lanes more(source.more);
      for (std::size_t k = 0; k < kCount; ++k) {
        const Units* from = source.from + at + k * Lanes::size();
        least[k] = min(least[k], Lanes(from, simd::element_aligned) + more);
      }
    };
    for (const Source<Units>& source : plain_) lower(source, i);
    if constexpr (kShifted) {
      for (const Source<Units>& source : shifted_) lower(source, i - shift);
    }
    for (std::size_t k = 0; k < kCount; ++k) {
      least[k].copy_to(&to[i + k * Lanes::size()], simd::element_aligned);
    }
  }

  Units limit_;
  std::vector<Source<Units>> plain_;
  std::vector<Source<Units>> shifted_;
};

}  // namespace

std::size_t SweptSets::sums(std::size_t places, std::span<const LineEdge> edges,
                            std::size_t largest, Fineness fineness) {
  const std::size_t ways = frontier_ways(places, edges);
  const std::size_t each = (largest + 1) * (fineness == Fineness::Bits32 ? kFineWork : 1);
  const std::size_t most = std::numeric_limits<std::size_t>::max() / 2 / each;
  if (ways / 2 > most) return std::numeric_limits<std::size_t>::max();
  return ways / 2 * (largest + 1) > kMostKept ? 2 * (ways / 2 * each) : ways / 2 * each;
}

std::size_t SweptSets::steps() const {
  const std::size_t filled = states_ * counts_ * (shares_tables() ? 2 : 1);
  return (std::holds_alternative<Table<std::int32_t>>(table_) ? kFineWork * filled : filled) /
         kSumsPerStep;
}

std::optional<SweptSets> SweptSets::make(std::vector<std::uint32_t> widths,
                                         std::span<const LineEdge> edges, std::size_t largest,
                                         std::size_t most_sums, Fineness fineness,
                                         std::size_t most_kept) {
  if (widths.size() > kMostPlaces) return std::nullopt;
  largest = std::min(largest, std::reduce(widths.begin(), widths.end(), std::size_t{0}));
  if (sums(widths.size(), edges, largest, fineness) > most_sums) return std::nullopt;
  std::vector<FrontierStep> sweep = frontier_sweep(widths.size(), edges);
  return SweptSets(std::move(widths), std::move(sweep), largest, edges, fineness, most_kept);
}

SweptSets::SweptSets(std::vector<std::uint32_t> widths, std::vector<FrontierStep> steps,
                     std::size_t largest, std::span<const LineEdge> edges, Fineness fineness,
                     std::size_t most_kept)
    : widths_(std::move(widths)),
      steps_(std::move(steps)),
      counts_(largest + 1),
      every_(places()),
      cost_(counts_, 0) {
  if (fineness == Fineness::Bits32) table_.emplace<Table<std::int32_t>>();
  for (const FrontierStep& step : steps_) states_ += step.states();
  if (states_ * counts_ > most_kept) {
    every_ = static_cast<std::size_t>(std::ceil(std::sqrt(number(places()))));
  }
  const std::size_t kept = allot_rows();
  lightest_ = kNotReached;
  for (const LineEdge& edge : edges) {
    if (edge.weight > 0) lightest_ = std::min(lightest_, in_quarters(edge.weight) / 2);
  }
  if (lightest_ == kNotReached) lightest_ = 1;
  for (const FrontierStep& step : steps_) {
    for (const FrontierStep::Way& way : step.ways) {
      heaviest_ = std::max(heaviest_, in_quarters(way.cut) / 2);
    }
  }
  const auto allot = [&]<class Units>(Table<Units>& table) {
    table.least = std::make_unique_for_overwrite<Units[]>(kept * counts_);
    table.price.assign(steps_.size(), 0);
    for (const FrontierStep& step : steps_) table.cut.emplace_back(step.ways.size(), Units{0});
  };
  std::visit(allot, table_);
}

/// Where the states before every place stand; how many there are in all.
std::size_t SweptSets::allot_rows() {
  const auto states = [&](std::size_t place) {
    return place == 0 ? 1 : steps_[place - 1].states();
  };
  std::size_t rows = 0;
  first_.assign(places() + 1, 0);
  for (std::size_t v = 0; v <= places(); v += every_) {
    first_[v] = rows;
    rows += states(v);
  }
  const std::size_t shared = rows;
  std::size_t next = shared;
  for (std::size_t v = 0; v <= places(); ++v) {
    if (v % every_ == 0) {
      next = shared;
      continue;
    }
    first_[v] = next;
    next += states(v);
    rows = std::max(rows, next);
  }
  return rows;
}

double SweptSets::price(std::size_t place) const {
  return std::visit(
      [&](const auto& table) { return unit_ * static_cast<double>(table.price[place]); }, table_);
}

/// Sums lie between what all places are worth, below 0, and twice that. One that is more may count
/// as less, but not as so little that it would be the least.
template <class Units>
void SweptSets::choose_unit(Table<Units>& table, std::span<const double> prices) {
  double worth = kWorthKnowing * heaviest_ + 1;
  double most = heaviest_;
  for (const double price : prices) {
    worth += std::max(0.0, price);
    most = std::max(most, heaviest_ - price);
  }
  const double before = unit_;
  unit_ = (2 * worth + most) / (Counting<Units>::kRange - 2 * number(prices.size()));
  // Where edges are alike, nothing of them is lost.
  if (lightest_ > unit_) unit_ = lightest_ / std::floor(lightest_ / unit_);
  if (unit_ != before) round_cuts(table);
  for (std::size_t v = 0; v < prices.size(); ++v) {
    table.price[v] = static_cast<Units>(std::nearbyint(prices[v] / unit_));
  }
  table.limit = static_cast<Units>(Counting<Units>::kHighest - std::ceil(most / unit_) - 1);
}

template <class Units>
void SweptSets::round_cuts(Table<Units>& table) const {
  for (std::size_t v = 0; v < steps_.size(); ++v) {
    for (std::size_t w = 0; w < table.cut[v].size(); ++w) {
      const double half = in_quarters(steps_[v].ways[w].cut) / 2;
      table.cut[v][w] = static_cast<Units>(std::floor(half / unit_ * (1 + kRounding)));
    }
  }
}

/// The states after places from `begin` on.
template <class Units>
void SweptSets::fill(Table<Units>& table, std::size_t begin, std::size_t end) const {
  Merge<Units> merge(table.limit);
  const auto all_of = [&](std::size_t place, std::size_t state) {
    return std::span(&table.least[row(place, state)], counts_);
  };
  for (std::size_t v = begin; v < end; ++v) {
    const FrontierStep& step = steps_[v];
    for (std::size_t state = 0; state < step.states(); ++state) {
      merge.clear();
      for (std::uint32_t w = step.first[state]; w < step.first[state + 1]; ++w) {
        const FrontierStep::Way& way = step.ways[w];
        const auto more = table.cut[v][w] - (way.taken ? table.price[v] : Units{0});
        merge.add({&table.least[row(v, way.from)], static_cast<Units>(more)}, way.taken);
      }
      merge.write(all_of(v + 1, state), widths_[v]);
    }
  }
}

void SweptSets::solve(std::span<const double> prices) {
  std::visit([&](auto& table) { solve(table, prices); }, table_);
}

template <class Units>
void SweptSets::solve(Table<Units>& table, std::span<const double> prices) {
  choose_unit(table, prices);
  const std::span<Units> none(&table.least[row(0, 0)], counts_);
  std::ranges::fill(none, table.limit);
  none.front() = 0;
  fill(table, 0, places());
  held_ = (places() - 1) / every_ * every_;
  typename Counting<Units>::Sum worth = 0;
  for (const Units price : table.price) worth += std::max(Units{0}, price);
  least_unknown_ = unit_ * static_cast<double>(table.limit - worth);
  for (std::size_t size = 0; size < counts_; ++size) {
    const Units best = table.least[row(places(), 0) + size];
    cost_[size] = best < table.limit - worth ? unit_ * static_cast<double>(best) : kNotReached;
  }
}

void SweptSets::look_at_lines() {
  std::visit([&](const auto& table) { look_at_lines(table); }, table_);
}

/// In whole units, and 64ths of them by vertex: exact in doubles.
template <class Units>
void SweptSets::look_at_lines(const Table<Units>& table) {
  using Lanes = simd::fixed_size_simd<double, kFalls.size()>;
  double worth = 0;
  for (const Units price : table.price) worth += static_cast<double>(price);
  const double even = worth / number(std::reduce(widths_.begin(), widths_.end(), std::size_t{0}));
  const Lanes fall([&](auto k) { return std::nearbyint(64 * even * kFalls[k]) / 64; });
  std::vector<Lanes> before{Lanes(0.0)};
  std::vector<Lanes> after;
  for (std::size_t v = 0; v < places(); ++v) {
    const FrontierStep& step = steps_[v];
    const Lanes taken = fall * number(widths_[v]) - static_cast<double>(table.price[v]);
    after.assign(step.states(), Lanes(kNotReached));
    for (std::size_t state = 0; state < step.states(); ++state) {
      for (std::uint32_t w = step.first[state]; w < step.first[state + 1]; ++w) {
        const FrontierStep::Way& way = step.ways[w];
        const Lanes here = before[way.from] + static_cast<double>(table.cut[v][w]);
        after[state] = min(after[state], way.taken ? here + taken : here);
      }
    }
    std::swap(before, after);
  }
  lines_.clear();
  for (std::size_t k = 0; k < kFalls.size(); ++k) {
    lines_.push_back({unit_ * before.front()[k], unit_ * fall[k]});
  }
}

void SweptSets::members(std::span<const std::size_t> sizes, std::span<std::uint8_t> taken) {
  std::visit([&](auto& table) { members(table, sizes, taken); }, table_);
}

/// From the end back along sums that are exact.
template <class Units>
void SweptSets::members(Table<Units>& table, std::span<const std::size_t> sizes,
                        std::span<std::uint8_t> taken) {
  std::vector<std::size_t> states(sizes.size(), 0);
  std::vector<std::size_t> counts(sizes.begin(), sizes.end());
  for (std::size_t v = places(); v-- > 0;) {
    const std::size_t first = v / every_ * every_;
    if (held_ != first) {
      fill(table, first, std::min(first + every_ - 1, places()));
      held_ = first;
    }
    const FrontierStep& step = steps_[v];
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::size_t count = counts[i];
      const Units least = table.least[row(v + 1, states[i]) + count];
      for (std::uint32_t w = step.first[states[i]]; w < step.first[states[i] + 1]; ++w) {
        const FrontierStep::Way& way = step.ways[w];
        if (way.taken && count < widths_[v]) continue;
        const std::size_t before = way.taken ? count - widths_[v] : count;
        const Units price = way.taken ? table.price[v] : Units{0};
        if (table.least[row(v, way.from) + before] + table.cut[v][w] - price != least) continue;
        taken[i * places() + v] = way.taken ? 1 : 0;
        states[i] = way.from;
        counts[i] = before;
        break;
      }
    }
  }
}

}  // namespace zonecut
