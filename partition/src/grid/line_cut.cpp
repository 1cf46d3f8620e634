#include "grid/line_cut.hpp"

#include <algorithm>
#include <utility>

#include "grid/frontier_sweep.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostWork = 40'000'000;

/// Without the edges that reach furthest where there is too much to do.
std::vector<LineEdge> sweepable(std::size_t length, std::span<const LineEdge> all) {
  std::vector<LineEdge> edges(all.begin(), all.end());
  std::ranges::stable_sort(edges, {}, [](const LineEdge& e) { return e.high - e.low; });
  const std::size_t most_ways = std::max(kMostWork / (length + 1), 2 * length);
  while (frontier_ways(length, edges) > most_ways) edges.pop_back();
  return edges;
}

/// By size, the least cut and what the vertices that are taken cost. Sums of whole numbers.
std::vector<std::int64_t> sweep(std::span<const LineEdge> edges,
                                std::span<const std::int64_t> price) {
  const std::size_t counts = price.size() + 1;
  std::vector<double> least{0};  // by state and count
  least.resize(counts, kNotReached);
  std::vector<double> next;
  const std::vector<FrontierStep> steps = frontier_sweep(price.size(), edges);
  for (std::size_t v = 0; v < steps.size(); ++v) {
    const FrontierStep& step = steps[v];
    next.assign(step.states() * counts, kNotReached);
    const std::size_t reached = v + 2;  // counts after it
    for (std::size_t state = 0; state < step.states(); ++state) {
      const std::span<double> to = row_of(next, state, counts).first(reached);
      for (const FrontierStep::Way& way : step.ways_to(state)) {
        const std::span<const double> from = row_of(least, way.from, counts);
        const std::int64_t cut = way.cut + (way.taken ? price[v] : 0);
        lower(to.subspan(way.taken ? 1 : 0), from, static_cast<double>(cut));
      }
    }
    std::swap(least, next);
  }
  std::vector<std::int64_t> result;
  for (const double each : least) result.push_back(static_cast<std::int64_t>(each));
  return result;
}

}  // namespace

std::vector<std::int64_t> least_cuts(std::size_t length, std::span<const LineEdge> edges) {
  return sweep(sweepable(length, edges), std::vector<std::int64_t>(length, 0));
}

std::vector<std::int64_t> least_shares(std::size_t length, std::span<const LineEdge> edges) {
  const std::vector<LineEdge> kept = sweepable(length, edges);
  // Twice what lies inside is the sum of the degrees less the cut.
  std::vector<std::int64_t> price(length, 0);
  std::int64_t all = 0;
  for (const LineEdge& edge : kept) {
    price[edge.low] -= edge.weight;
    price[edge.high] -= edge.weight;
    all += 2 * edge.weight;
  }
  std::vector<std::int64_t> least = sweep(kept, price);
  const auto places = static_cast<std::int64_t>(length);
  // all · x / length, rounded down without a large product.
  for (std::int64_t x = 0; x <= places; ++x) {
    least[static_cast<std::size_t>(x)] += all / places * x + all % places * x / places;
  }
  return least;
}

}  // namespace zonecut
