#include "grid/frontier_sweep.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <tuple>

namespace zonecut {
namespace {

constexpr std::size_t kMostOpen = 40;

/// The last neighbour of every vertex, itself if none comes later.
std::vector<std::size_t> last_neighbours(std::size_t length, std::span<const LineEdge> edges) {
  std::vector<std::size_t> until(length);
  std::iota(until.begin(), until.end(), std::size_t{0});
  for (const LineEdge& e : edges) {
    if (e.weight > 0) until[e.low] = std::max<std::size_t>(until[e.low], e.high);
  }
  return until;
}

class Sweep {
 public:
  Sweep(std::size_t length, std::span<const LineEdge> edges)
      : until_(last_neighbours(length, edges)), back_(length) {
    for (const LineEdge& e : edges) {
      if (e.weight > 0) back_[e.high].push_back(e);
    }
  }

  std::vector<FrontierStep> run() {
    std::vector<FrontierStep> steps(until_.size());
    for (std::size_t v = 0; v < until_.size(); ++v) take(v, steps[v]);
    return steps;
  }

 private:
  /// Bits of the state: the open vertices in order, v as the highest; then the closed ones go.
  void take(std::size_t v, FrontierStep& step) {
    std::vector<std::int64_t> weight(open_.size(), 0);
    for (const LineEdge& e : back_[v]) {
      weight[static_cast<std::size_t>(std::ranges::find(open_, e.low) - open_.begin())] += e.weight;
    }
    std::vector<std::size_t> kept;  // bits of the open ones that stay open
    std::vector<std::size_t> next;
    for (std::size_t i = 0; i < open_.size(); ++i) {
      if (until_[open_[i]] <= v) continue;
      kept.push_back(i);
      next.push_back(open_[i]);
    }
    const bool stays = until_[v] > v;
    if (stays) next.push_back(v);
    const std::size_t before = std::size_t{1} << open_.size();
    // A state is another without its lowest bit, and that one.
    std::vector<std::size_t> after(before, 0);
    std::vector<std::int64_t> cut_of_taken(before, 0);
    std::vector<std::size_t> bit_after(open_.size(), 0);
    for (std::size_t bit = 0; bit < kept.size(); ++bit)
      bit_after[kept[bit]] = std::size_t{1} << bit;
    for (std::size_t from = 1; from < before; ++from) {
      const std::size_t rest = from & (from - 1);
      const auto lowest = static_cast<std::size_t>(std::countr_zero(from));
      after[from] = after[rest] | bit_after[lowest];
      cut_of_taken[from] = cut_of_taken[rest] + weight[lowest];
    }
    // All states have equally many ways.
    const std::size_t states = std::size_t{1} << next.size();
    const std::size_t each = 2 * before / states;
    const std::size_t bit_of_v = stays ? states / 2 : 0;
    step.ways.resize(2 * before);
    std::vector<std::uint32_t> filled(states, 0);
    for (std::size_t from = 0; from < before; ++from) {
      const auto state = static_cast<std::uint32_t>(from);
      const std::size_t taken = after[from] | bit_of_v;
      const std::int64_t cut = cut_of_taken[from];
      step.ways[after[from] * each + filled[after[from]]++] = {state, false, cut};
      step.ways[taken * each + filled[taken]++] = {state, true, cut_of_taken.back() - cut};
    }
    for (std::size_t to = 0; to <= states; ++to) {
      step.first.push_back(static_cast<std::uint32_t>(to * each));
    }
    open_ = std::move(next);
  }

  std::vector<std::size_t> until_;
  std::vector<std::vector<LineEdge>> back_;  // edges by their later vertex
  std::vector<std::size_t> open_;
};

std::vector<LineEdge> sorted(std::vector<LineEdge> edges) {
  std::ranges::sort(edges, {},
                    [](const LineEdge& e) { return std::tuple(e.low, e.high, e.weight); });
  return edges;
}

}  // namespace

std::size_t frontier_ways(std::size_t length, std::span<const LineEdge> edges) {
  const std::vector<std::size_t> until = last_neighbours(length, edges);
  std::vector<std::size_t> closing(length, 0);
  for (const std::size_t last : until) ++closing[last];
  std::size_t open = 0;
  std::size_t ways = 0;
  for (std::size_t v = 0; v < length; ++v) {
    if (open > kMostOpen) return std::numeric_limits<std::size_t>::max();
    ways += std::size_t{2} << open;
    open = open + 1 - closing[v];
  }
  return ways;
}

void sort_by_reach(std::span<LineEdge> edges) {
  std::ranges::stable_sort(edges, {}, [](const LineEdge& e) { return e.high - e.low; });
}

std::vector<FrontierStep> frontier_sweep(std::size_t length, std::span<const LineEdge> edges) {
  return Sweep(length, edges).run();
}

bool is_mirrored(std::size_t length, std::span<const LineEdge> edges) {
  std::vector<LineEdge> back;
  back.reserve(edges.size());
  const auto last = static_cast<std::uint32_t>(length - 1);
  for (const LineEdge& edge : edges) {
    back.push_back({last - edge.high, last - edge.low, edge.weight});
  }
  const auto same = [](const LineEdge& a, const LineEdge& b) {
    return a.low == b.low && a.high == b.high && a.weight == b.weight;
  };
  return std::ranges::equal(sorted({edges.begin(), edges.end()}), sorted(std::move(back)), same);
}

}  // namespace zonecut
