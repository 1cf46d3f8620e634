#include "grid/line_cut.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "grid/frontier_sweep.hpp"
#include "grid/joined_sums.hpp"
#include "grid/line_joins.hpp"
#include "grid/line_parts.hpp"

namespace zonecut {
namespace {

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
  /// More than any set costs.
  [[nodiscard]] double range() const {
    double range = 1;
    for (const LineEdge& edge : edges) range += static_cast<double>(edge.weight);
    for (const std::int64_t each : price) range += std::abs(static_cast<double>(each));
    return range / static_cast<double>(unit);
  }
  /// As JoinedSums::solve asks.
  template <class Sum>
  [[nodiscard]] bool counts_in() const {
    constexpr double kTimes = 5;
    return kTimes * range() < static_cast<double>(std::numeric_limits<Sum>::max());
  }
  /// Of a step.
  [[nodiscard]] std::size_t work() const {
    if (counts_in<std::int16_t>()) return kWork<std::int16_t>;
    return counts_in<std::int32_t>() ? kWork<std::int32_t> : kWork<std::int64_t>;
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
Line joinable(std::size_t length, std::span<const LineEdge> all, bool less_degrees,
              std::size_t most_work) {
  Line line = line_of(length, all, less_degrees);
  sort_by_reach(line.edges);
  const std::size_t kept = edges_to_join(length, line.edges, line.most(), most_work / line.work());
  for (; line.edges.size() > kept; line.edges.pop_back()) {
    if (!less_degrees) continue;
    const LineEdge& last = line.edges.back();
    line.price[last.low] += last.weight;
    line.price[last.high] += last.weight;
  }
  return line;
}

/// By size up to the most, the least cut and what the vertices that are taken cost.
template <class Sum>
std::vector<std::int64_t> join(const Line& line) {
  const std::vector<LinePart> parts = take_apart(line.price.size(), line.edges);
  const std::vector<LineJoin> joins = line_joins(parts);
  const std::vector<std::uint32_t> widths(line.price.size(), 1);
  JoinedSums<Sum> sums(parts, joins, widths, line.most(), KeptTables::Needed);
  const auto in_units = [&](std::int64_t cost) { return static_cast<Sum>(cost / line.unit); };
  sums.count_cuts(in_units);
  std::vector<Sum> cost;
  std::ranges::transform(line.price, std::back_inserter(cost), in_units);
  sums.solve(cost, static_cast<Sum>(line.range()));
  std::vector<std::int64_t> result;
  for (const Sum each : sums.sums()) {
    result.push_back(line.unit * static_cast<std::int64_t>(each));
  }
  return result;
}

/// By size.
std::vector<std::int64_t> least_costs(const Line& line) {
  std::vector<std::int64_t> least = line.counts_in<std::int16_t>()   ? join<std::int16_t>(line)
                                    : line.counts_in<std::int32_t>() ? join<std::int32_t>(line)
                                                                     : join<std::int64_t>(line);
  const std::size_t length = line.price.size();
  while (least.size() <= length) least.push_back(least[length - least.size()]);
  return least;
}

}  // namespace

std::vector<std::int64_t> least_cuts(std::size_t length, std::span<const LineEdge> edges,
                                     std::size_t most_work) {
  return least_costs(joinable(length, edges, false, most_work));
}

std::size_t least_cuts_steps(std::size_t length, std::span<const LineEdge> edges) {
  const Line line = line_of(length, edges, false);
  const std::vector<std::uint32_t> widths(length, 1);
  const std::size_t steps = join_steps(take_apart(length, line.edges), widths, line.most());
  return std::min(steps, std::numeric_limits<std::size_t>::max() / line.work()) * line.work();
}

std::vector<std::int64_t> least_shares(std::size_t length, std::span<const LineEdge> edges) {
  // Twice what lies inside is the sum of the degrees less the cut.
  const Line line = joinable(length, edges, true, kMostLineWork);
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
