#include "low_cuts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <ranges>
#include <tuple>
#include <utility>

namespace zonecut {
namespace {

constexpr std::size_t kMostOpen = 16;
constexpr std::size_t kLevels = 12;  // limits that are tried, in lightest edges
constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;

/// Number of sets by the limit that they first meet.
using Counts = std::array<double, kLevels + 1>;

class Enumeration {
 public:
  Enumeration(std::size_t length, std::span<const LineEdge> edges) : length_(length) {
    for (const LineEdge& edge : edges) {
      if (edge.weight > 0) edges_.push_back(edge);
    }
  }

  std::optional<LowCuts> run(std::size_t most_sets, std::size_t largest, std::size_t most_steps) {
    result_.length = length_;
    result_.mirrored = is_mirrored();
    largest_ = largest;
    most_steps_ = most_steps;
    if (edges_.empty() || !prepare()) return std::nullopt;
    unit_ = edges_.front().weight;
    for (const LineEdge& edge : edges_) unit_ = std::min(unit_, edge.weight);
    const std::size_t level = highest_level(result_.mirrored ? 2 * most_sets : most_sets);
    if (level == 0) return std::nullopt;
    limit_ = static_cast<std::int64_t>(level) * unit_;
    const std::int64_t grain = grain_of_cuts();
    result_.others = (limit_ / grain + 1) * grain;
    taken_.assign(length_, 0);
    visit(length_, 0, limit_);
    if (result_.steps > most_steps_) return std::nullopt;
    return std::move(result_);
  }

 private:
  /// A way to the state after a vertex.
  struct Way {
    std::uint32_t from = 0;  ///< state before it
    bool taken = false;
    std::int64_t cut = 0;  ///< of its edges to vertices before it
  };
  struct Step {
    std::vector<std::uint32_t> first;  ///< by state after the vertex, its first way; one more
    std::vector<Way> ways;
    std::vector<std::int64_t> least;  ///< by state before the vertex, the least cut so far
  };

  [[nodiscard]] bool is_mirrored() const {
    const auto sorted = [](std::vector<LineEdge> edges) {
      std::ranges::sort(edges, {},
                        [](const LineEdge& e) { return std::tuple(e.low, e.high, e.weight); });
      return edges;
    };
    std::vector<LineEdge> back;
    back.reserve(edges_.size());
    const auto last = static_cast<std::uint32_t>(length_ - 1);
    for (const LineEdge& edge : edges_) {
      back.push_back({last - edge.high, last - edge.low, edge.weight});
    }
    return std::ranges::equal(sorted(edges_), sorted(back), [](const auto& a, const auto& b) {
      return a.low == b.low && a.high == b.high && a.weight == b.weight;
    });
  }

  /// All cuts are multiples of it: where all degrees are even, twice what all weights are.
  [[nodiscard]] std::int64_t grain_of_cuts() const {
    std::int64_t common = unit_;
    std::vector<std::int64_t> degree(length_, 0);
    for (const LineEdge& edge : edges_) {
      common = std::gcd(common, edge.weight);
      degree[edge.low] += edge.weight;
      degree[edge.high] += edge.weight;
    }
    const bool even = std::ranges::all_of(degree, [&](auto d) { return d / common % 2 == 0; });
    return even ? 2 * common : common;
  }

  /// Steps with their ways and the least cuts. False where that is too much.
  bool prepare() {
    std::vector<std::size_t> until(length_);
    for (std::size_t v = 0; v < length_; ++v) until[v] = v;
    for (const LineEdge& e : edges_) until[e.low] = std::max<std::size_t>(until[e.low], e.high);
    std::vector<std::vector<LineEdge>> back(length_);
    for (const LineEdge& e : edges_) back[e.high].push_back(e);
    std::vector<std::size_t> open;
    steps_.resize(length_);
    std::vector<std::int64_t> least{0};
    for (std::size_t v = 0; v < length_; ++v) {
      if (open.size() > kMostOpen) return false;
      result_.steps += kLevels * (std::size_t{2} << open.size());
      if (result_.steps > most_steps_) return false;
      std::vector<std::int64_t> weight(open.size(), 0);
      for (const LineEdge& e : back[v]) {
        weight[static_cast<std::size_t>(std::ranges::find(open, e.low) - open.begin())] += e.weight;
      }
      std::vector<std::size_t> kept;  // bits of the open ones that stay open
      for (std::size_t i = 0; i < open.size(); ++i) {
        if (until[open[i]] > v) kept.push_back(i);
      }
      const bool stays = until[v] > v;
      take_step(steps_[v], weight, kept, stays, least);
      std::vector<std::size_t> next;
      next.reserve(kept.size() + 1);
      for (const std::size_t i : kept) next.push_back(open[i]);
      if (stays) next.push_back(v);
      open = std::move(next);
    }
    return true;
  }

  static void take_step(Step& step, std::span<const std::int64_t> weight,
                        std::span<const std::size_t> kept, bool stays,
                        std::vector<std::int64_t>& least) {
    const std::size_t states = std::size_t{1} << (kept.size() + (stays ? 1 : 0));
    std::vector<std::vector<Way>> ways(states);
    std::vector<std::int64_t> next(states, kUnreached);
    for (std::uint32_t from = 0; from < least.size(); ++from) {
      for (const bool taken : {false, true}) {
        std::int64_t cut = 0;
        for (std::size_t i = 0; i < weight.size(); ++i) {
          if ((from >> i & 1) != (taken ? 1u : 0u)) cut += weight[i];
        }
        std::size_t to = 0;
        for (std::size_t bit = 0; bit < kept.size(); ++bit) {
          to |= std::size_t{from >> kept[bit] & 1} << bit;
        }
        if (stays && taken) to |= std::size_t{1} << kept.size();
        ways[to].push_back({from, taken, cut});
        next[to] = std::min(next[to], least[from] + cut);
      }
    }
    step.first.assign(1, 0);
    for (const std::vector<Way>& each : ways) {
      step.ways.insert(step.ways.end(), each.begin(), each.end());
      step.first.push_back(static_cast<std::uint32_t>(step.ways.size()));
    }
    step.least = std::exchange(least, std::move(next));
  }

  /// The first limit that a cut meets; beyond the last: one more.
  [[nodiscard]] std::size_t level_of(std::int64_t cut) const {
    if (cut > static_cast<std::int64_t>(kLevels) * unit_) return kLevels + 1;
    return static_cast<std::size_t>((cut + unit_ - 1) / unit_);
  }

  /// By dynamic programming. What a vertex adds to a cut is rounded up to lightest edges, so that
  /// sets may be more than are counted where weights differ.
  std::size_t highest_level(std::size_t most_sets) {
    std::vector<Counts> counts(1, Counts{});
    counts[0][0] = 1;
    for (const Step& step : steps_) {
      std::vector<Counts> next(step.first.size() - 1, Counts{});
      for (std::size_t to = 0; to < next.size(); ++to) {
        for (std::uint32_t w = step.first[to]; w < step.first[to + 1]; ++w) {
          const Way& way = step.ways[w];
          const std::size_t more = level_of(way.cut);
          for (std::size_t l = 0; l + more <= kLevels; ++l) {
            next[to][l + more] += counts[way.from][l];
          }
        }
      }
      counts = std::move(next);
    }
    double sum = counts[0][0];
    std::size_t level = 0;
    while (level < kLevels) {
      sum += counts[0][level + 1];
      if (sum > static_cast<double>(most_sets)) break;
      ++level;
    }
    return level;
  }

  /// Sets that are known from `vertex` on, with so much left that they may cut before it.
  void visit(std::size_t vertex, std::uint32_t state, std::int64_t left) {
    ++result_.steps;
    if (result_.steps > most_steps_) return;
    if (vertex == 0) {
      record(limit_ - left);
      return;
    }
    const Step& step = steps_[vertex - 1];
    for (std::uint32_t w = step.first[state]; w < step.first[state + 1]; ++w) {
      const Way& way = step.ways[w];
      if (step.least[way.from] + way.cut > left) continue;
      taken_[vertex - 1] = way.taken ? 1 : 0;
      visit(vertex - 1, way.from, left - way.cut);
    }
  }

  void record(std::int64_t cut) {
    const auto size = static_cast<std::size_t>(std::ranges::count(taken_, 1));
    if (size == 0 || size > largest_) return;
    if (result_.mirrored &&
        std::ranges::lexicographical_compare(std::views::reverse(taken_), taken_)) {
      return;
    }
    LowCuts::Set set{static_cast<std::uint32_t>(size), 0,
                     static_cast<std::uint32_t>(result_.ends.size()), cut};
    for (std::size_t v = 0; v <= length_; ++v) {
      const bool here = v < length_ && taken_[v] == 1;
      const bool before = v > 0 && taken_[v - 1] == 1;
      if (here != before) result_.ends.push_back(static_cast<std::uint32_t>(v));
    }
    set.runs = static_cast<std::uint32_t>((result_.ends.size() - set.first) / 2);
    result_.sets.push_back(set);
  }

  std::size_t length_;
  std::size_t largest_ = 0;
  std::size_t most_steps_ = 0;
  std::int64_t unit_ = 1;  // the lightest edge
  std::int64_t limit_ = 0;
  std::vector<LineEdge> edges_;
  std::vector<Step> steps_;
  std::vector<char> taken_;
  LowCuts result_;
};

}  // namespace

std::optional<LowCuts> low_cuts(std::size_t length, std::span<const LineEdge> edges,
                                std::size_t most_sets, std::size_t largest,
                                std::size_t most_steps) {
  return Enumeration(length, edges).run(most_sets, largest, most_steps);
}

}  // namespace zonecut
