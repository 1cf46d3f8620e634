#include "grid/line_cut.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "grid/frontier_sweep.hpp"
#include "grid/min_plus.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostWays = 2'000'000;  // for memory

/// What a set cannot be counts as `kUnreached`. Where all costs together are less than half of
/// `kRange`, no sum overflows, and none that is unreached falls to one that is reached.
template <class Sum>
struct Limits;
template <>
struct Limits<std::int16_t> {
  static constexpr std::int16_t kUnreached = 20'000;
  static constexpr double kRange = 20'000;
};
template <>
struct Limits<std::int32_t> {
  static constexpr std::int32_t kUnreached = 1'000'000'000;
  static constexpr double kRange = 1e9;
};
template <>
struct Limits<double> {
  static constexpr double kUnreached = kNotReached;
};

template <class Sum>
constexpr std::size_t kWork = sizeof(Sum) / sizeof(std::int16_t);  // of a step

/// What vertices that are taken cost, and the edges, in units in which both are whole.
struct Line {
  std::vector<LineEdge> edges;
  std::vector<std::int64_t> price;
  std::int64_t unit = 1;

  [[nodiscard]] bool is_free() const {
    return std::ranges::all_of(price, [](std::int64_t each) { return each == 0; });
  }
  /// Sizes up to this are looked at: without prices, the others cut what the rest cuts.
  [[nodiscard]] std::size_t most() const { return is_free() ? price.size() / 2 : price.size(); }
  [[nodiscard]] std::size_t ways() const { return frontier_ways(price.size(), edges); }
  /// Of all costs together.
  [[nodiscard]] double range() const {
    double range = 0;
    for (const LineEdge& edge : edges) range += static_cast<double>(edge.weight);
    for (const std::int64_t each : price) range += std::abs(static_cast<double>(each));
    return range / static_cast<double>(unit);
  }
  template <class Sum>
  [[nodiscard]] bool counts_in() const {
    return 2 * range() < Limits<Sum>::kRange;
  }
  [[nodiscard]] std::size_t work_of_a_way() const {
    const std::size_t sums = most() + 1;
    if (counts_in<std::int16_t>()) return kWork<std::int16_t> * sums;
    return counts_in<std::int32_t>() ? kWork<std::int32_t> * sums : kWork<double> * sums;
  }
};

std::int64_t unit_of(const Line& line) {
  std::int64_t unit = 0;
  for (const LineEdge& edge : line.edges) unit = std::gcd(unit, edge.weight);
  for (const std::int64_t each : line.price) unit = std::gcd(unit, each);
  return std::max<std::int64_t>(1, unit);
}

Line line_of(std::size_t length, std::span<const LineEdge> edges, bool less_degrees) {
  Line line;
  line.edges.assign(edges.begin(), edges.end());
  line.price.assign(length, 0);
  for (const LineEdge& edge : edges) {
    if (!less_degrees) continue;
    line.price[edge.low] -= edge.weight;
    line.price[edge.high] -= edge.weight;
  }
  line.unit = unit_of(line);
  return line;
}

/// Without the edges that reach furthest where there is too much to do. Vertices cost nothing, or
/// less by what their edges weigh.
Line sweepable(std::size_t length, std::span<const LineEdge> all, bool less_degrees,
               std::size_t most_work) {
  Line line = line_of(length, all, less_degrees);
  sort_by_reach(line.edges);
  const std::size_t most_ways =
      std::max(std::min(kMostWays, most_work / line.work_of_a_way()), 2 * length);
  const std::size_t kept = edges_for_ways(length, line.edges, most_ways);
  for (; line.edges.size() > kept; line.edges.pop_back()) {
    if (!less_degrees) continue;
    const LineEdge& last = line.edges.back();
    line.price[last.low] += last.weight;
    line.price[last.high] += last.weight;
  }
  return line;
}

/// By size up to the most, the least cut and what the vertices that are taken cost. Sums stand by
/// state and count, those of a state behind one that is not reached: what a way that takes a vertex
/// leads to has one more than where it comes from.
template <class Sum>
std::vector<std::int64_t> sweep(const Line& line) {
  constexpr Sum kUnreached = Limits<Sum>::kUnreached;
  const std::size_t counts = line.most() + 1;
  const std::size_t stride = counts + 1;
  std::vector<Sum> least{kUnreached, 0};
  least.resize(stride, kUnreached);
  std::vector<Sum> next;
  std::vector<RaisedSums<Sum>> ways;
  const std::vector<FrontierStep> steps = frontier_sweep(line.price.size(), line.edges);
  for (std::size_t v = 0; v < steps.size(); ++v) {
    const FrontierStep& step = steps[v];
    next.resize(std::max(next.size(), step.states() * stride));
    const std::size_t reached = std::min(counts, v + 2);  // counts after it
    for (std::size_t state = 0; state < step.states(); ++state) {
      ways.clear();
      for (const FrontierStep::Way& way : step.ways_to(state)) {
        const std::int64_t cut = (way.cut + (way.taken ? line.price[v] : 0)) / line.unit;
        const Sum* from = &least[way.from * stride];
        ways.push_back({way.taken ? from : from + 1, static_cast<Sum>(cut)});
      }
      const std::span<Sum> to(&next[state * stride], stride);
      to.front() = kUnreached;
      set_least_sums<Sum>(to.subspan(1, reached), ways);
      // The next vertex reads one more.
      if (reached < counts) to[reached + 1] = kUnreached;
    }
    std::swap(least, next);
  }
  std::vector<std::int64_t> result;
  for (const Sum each : std::span(least).subspan(1, counts)) {
    result.push_back(line.unit * static_cast<std::int64_t>(each));
  }
  return result;
}

/// By size.
std::vector<std::int64_t> least_costs(const Line& line) {
  std::vector<std::int64_t> least = line.counts_in<std::int16_t>()   ? sweep<std::int16_t>(line)
                                    : line.counts_in<std::int32_t>() ? sweep<std::int32_t>(line)
                                                                     : sweep<double>(line);
  const std::size_t length = line.price.size();
  while (least.size() <= length) least.push_back(least[length - least.size()]);
  return least;
}

}  // namespace

std::vector<std::int64_t> least_cuts(std::size_t length, std::span<const LineEdge> edges,
                                     std::size_t most_work) {
  return least_costs(sweepable(length, edges, false, most_work));
}

std::size_t least_cuts_steps(std::size_t length, std::span<const LineEdge> edges) {
  const Line line = line_of(length, edges, false);
  const std::size_t most = std::numeric_limits<std::size_t>::max() / line.work_of_a_way();
  const std::size_t ways = line.ways();
  return ways > most ? std::numeric_limits<std::size_t>::max() : ways * line.work_of_a_way();
}

std::vector<std::int64_t> least_shares(std::size_t length, std::span<const LineEdge> edges) {
  // Twice what lies inside is the sum of the degrees less the cut.
  const Line line = sweepable(length, edges, true, kMostLineWork);
  std::int64_t all = 0;
  for (const LineEdge& edge : line.edges) all += 2 * edge.weight;
  const auto places = static_cast<std::int64_t>(length);
  std::vector<std::int64_t> least = least_costs(line);
  // all · x / length, rounded down without a large product.
  for (std::int64_t x = 0; x <= places; ++x) {
    least[static_cast<std::size_t>(x)] += all / places * x + all % places * x / places;
  }
  return least;
}

}  // namespace zonecut
