#include "bound/joined_sets.hpp"

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

constexpr std::size_t kMostPlaces = 16384;
constexpr std::size_t kMostKept = std::size_t{1} << 25;  // sums of all tables
constexpr double kWorthKnowing = 64;  // times what a place may cut, whatever the prices
constexpr double kRange = 2e9;
constexpr std::size_t kStepsOfPlace = 500;  // two sums a step; a small part takes longer

}  // namespace

std::size_t JoinedSets::steps(std::span<const std::uint32_t> widths,
                              std::span<const LineEdge> edges, std::size_t largest) {
  const std::size_t sums = join_steps(take_apart(widths.size(), edges), widths, largest);
  return sums / 2 + kStepsOfPlace * widths.size();
}

std::optional<JoinedSets> JoinedSets::make(std::vector<std::uint32_t> widths,
                                           std::span<const LineEdge> edges, std::size_t largest,
                                           std::size_t most_steps) {
  if (widths.size() > kMostPlaces) return std::nullopt;
  largest = std::min(largest, std::reduce(widths.begin(), widths.end(), std::size_t{0}));
  const std::size_t steps = JoinedSets::steps(widths, edges, largest);
  if (steps > most_steps) return std::nullopt;
  JoinedSets sets(std::move(widths), edges, largest, steps);
  if (sets.sums_.size() > kMostKept) return std::nullopt;
  return sets;
}

JoinedSets::JoinedSets(std::vector<std::uint32_t> widths, std::span<const LineEdge> edges,
                       std::size_t largest, std::size_t steps)
    : widths_(std::move(widths)),
      parts_(take_apart(widths_.size(), edges)),
      joins_(line_joins(parts_)),
      counts_(largest + 1),
      steps_(steps),
      sums_(parts_, joins_, widths_, largest, KeptTables::All),
      cost_of_(widths_.size(), 0),
      cost_(counts_, 0) {
  lightest_ = std::numeric_limits<double>::infinity();
  std::vector<double> halves(places(), 0);
  for (const LineEdge& edge : edges) {
    if (edge.weight == 0) continue;
    lightest_ = std::min(lightest_, in_quarters(edge.weight) / 2);
    for (const std::uint32_t v : {edge.low, edge.high}) halves[v] += in_quarters(edge.weight) / 2;
  }
  if (!std::isfinite(lightest_)) lightest_ = 1;
  heaviest_ = halves.empty() ? 0 : std::ranges::max(halves);
  for (const LinePart& part : parts_) {
    double joined = 0;
    for (const LineEdge& edge : part.joined) joined += in_quarters(edge.weight) / 2;
    most_joined_ = std::max(most_joined_, joined);
  }
}

void JoinedSets::choose_unit(std::span<const double> prices) {
  double gain = 0;
  for (const double price : prices) gain += std::max(0.0, price);
  const double known = kWorthKnowing * heaviest_ + 1 + 2 * gain;
  const double before = unit_;
  unit_ = (2 * known + 2 * gain + most_joined_) / (kRange - 4 * number(prices.size()));
  // Where edges are alike, nothing of them is lost.
  if (lightest_ > unit_) unit_ = lightest_ / std::floor(lightest_ / unit_);
  known_ = static_cast<Units>(known / unit_);
  for (std::size_t v = 0; v < prices.size(); ++v) {
    // Sets of a place that costs more than any known set are not known, whatever it costs.
    cost_of_[v] = static_cast<Units>(std::min(kRange, -std::nearbyint(prices[v] / unit_)));
  }
  if (unit_ == before) return;
  sums_.count_cuts([&](std::int64_t cut) {
    return static_cast<Units>(std::floor(in_quarters(cut) / 2 / unit_ * (1 + kRounding)));
  });
}

void JoinedSets::solve(std::span<const double> prices) {
  choose_unit(prices);
  sums_.solve(cost_of_, known_);
  for (std::size_t size = 0; size < counts_; ++size) {
    const Units best = size < sums_.sums().size() ? sums_.sums()[size] : known_;
    cost_[size] = best < known_ ? unit_ * static_cast<double>(best) : kNotReached;
  }
}

void JoinedSets::look_at_lines() {
  using Lanes = simd::fixed_size_simd<double, kFalls.size()>;
  double worth = 0;
  for (const Units cost : cost_of_) worth -= static_cast<double>(cost);
  const double even = worth / number(std::reduce(widths_.begin(), widths_.end(), std::size_t{0}));
  const Lanes fall([&](auto k) { return std::nearbyint(64 * even * kFalls[k]) / 64; });
  const auto in_units = [&](std::int64_t cut) {
    return std::floor(in_quarters(cut) / 2 / unit_ * (1 + kRounding));
  };
  std::vector<std::vector<Lanes>> own(parts_.size());
  for (std::size_t i = parts_.size(); i-- > 0;) {
    const LinePart& part = parts_[i];
    own[i].assign(part.states(), Lanes(kNotReached));
    if (part.size() == 1) {
      own[i][0] = Lanes(0.0);
      const Lanes taken =
          fall * number(widths_[part.low]) + static_cast<double>(cost_of_[part.low]);
      own[i][part.open.size()] = min(own[i][part.open.size()], taken);
      continue;
    }
    std::array<std::vector<Lanes>, 2> seen;
    for (std::size_t half = 0; half < 2; ++half) {
      const LinePart::Half& of = part.halves[half];
      seen[half].assign(std::size_t{1} << of.seen.size(), Lanes(kNotReached));
      for (const auto& way : joins_[i].ways[half]) {
        seen[half][way.to] = min(seen[half][way.to], own[of.index][way.from] + in_units(way.cut));
      }
      own[of.index] = {};
    }
    for (const auto& pair : joins_[i].pairs) {
      own[i][pair.to] =
          min(own[i][pair.to], seen[0][pair.from[0]] + seen[1][pair.from[1]] + in_units(pair.cut));
    }
  }
  lines_.clear();
  for (std::size_t k = 0; k < kFalls.size(); ++k) {
    lines_.push_back({unit_ * own.front().front()[k], unit_ * fall[k]});
  }
}

void JoinedSets::members(std::span<const std::size_t> sizes, std::span<std::uint8_t> taken) {
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    sums_.members(sizes[i], taken.subspan(i * places(), places()));
  }
}

}  // namespace zonecut
