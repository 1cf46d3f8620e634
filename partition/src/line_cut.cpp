#include "line_cut.hpp"

#include <algorithm>
#include <limits>

namespace zonecut {
namespace {

constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMostWork = 40'000'000;
constexpr std::size_t kMostOpen = 20;

/// until[v]: the last vertex that v has an edge to, itself if none comes later.
std::vector<std::size_t> last_neighbours(std::size_t length, std::span<const LineEdge> edges) {
  std::vector<std::size_t> until(length);
  for (std::size_t v = 0; v < length; ++v) until[v] = v;
  for (const LineEdge& edge : edges) {
    until[edge.low] = std::max<std::size_t>(until[edge.low], edge.high);
  }
  return until;
}

std::size_t work_of(std::size_t length, std::span<const LineEdge> edges) {
  const std::vector<std::size_t> until = last_neighbours(length, edges);
  std::size_t work = 0;
  for (std::size_t v = 0; v < length; ++v) {
    std::size_t open = 0;
    for (std::size_t u = 0; u < v; ++u) open += until[u] >= v ? 1u : 0u;
    if (open > kMostOpen) return kMostWork + 1;
    work += (std::size_t{2} << open) * (length + 1);
  }
  return work;
}

class LineSweep {
 public:
  /// What a vertex costs that is taken.
  LineSweep(std::span<const std::int64_t> price, std::span<const LineEdge> edges)
      : counts_(price.size() + 1),
        price_(price),
        edges_(edges),
        until_(last_neighbours(price.size(), edges)) {}

  std::vector<std::int64_t> run() {
    least_.assign(counts_, kUnreached);
    least_.front() = 0;
    for (std::size_t v = 0; v < until_.size(); ++v) visit(v);
    return std::move(least_);
  }

 private:
  /// Bits of the state: the open vertices in order, v as the highest; then the closed ones go.
  void visit(std::size_t v) {
    std::vector<std::int64_t> weight(open_.size(), 0);
    for (const LineEdge& edge : edges_) {
      if (edge.high != v) continue;
      const auto at = std::ranges::find(open_, edge.low) - open_.begin();
      weight[static_cast<std::size_t>(at)] += edge.weight;
    }
    const std::vector<std::size_t> before = open_;
    open_.push_back(v);
    std::erase_if(open_, [&](std::size_t u) { return until_[u] <= v; });
    std::vector<std::int64_t> next((std::size_t{1} << open_.size()) * counts_, kUnreached);
    for (std::size_t state = 0; state < std::size_t{1} << before.size(); ++state) {
      for (const bool taken : {false, true}) {
        std::int64_t cut = taken ? price_[v] : 0;
        for (std::size_t i = 0; i < before.size(); ++i) {
          if ((state >> i & 1) != (taken ? 1u : 0u)) cut += weight[i];
        }
        const std::int64_t* from = &least_[state * counts_];
        std::int64_t* to = &next[keep_open(before, state, v, taken) * counts_];
        const std::size_t more = taken ? 1 : 0;
        for (std::size_t count = 0; count + more < counts_; ++count) {
          to[count + more] = std::min(to[count + more], from[count] + cut);
        }
      }
    }
    least_ = std::move(next);
  }

  [[nodiscard]] std::size_t keep_open(std::span<const std::size_t> before, std::size_t state,
                                      std::size_t v, bool taken) const {
    std::size_t kept = 0;
    std::size_t bit = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      if (until_[before[i]] > v) kept |= (state >> i & 1) << bit++;
    }
    if (until_[v] > v) kept |= std::size_t{taken ? 1u : 0u} << bit;
    return kept;
  }

  std::size_t counts_;
  std::span<const std::int64_t> price_;
  std::span<const LineEdge> edges_;
  std::vector<std::size_t> until_;
  std::vector<std::size_t> open_;
  std::vector<std::int64_t> least_;  // by state and count
};

void drop_longest(std::size_t length, std::vector<LineEdge>& edges) {
  std::ranges::stable_sort(edges, {}, [](const LineEdge& e) { return e.high - e.low; });
  while (!edges.empty() && work_of(length, edges) > kMostWork) edges.pop_back();
}

}  // namespace

std::vector<std::int64_t> least_cuts(std::size_t length, std::vector<LineEdge> edges) {
  drop_longest(length, edges);
  const std::vector<std::int64_t> price(length, 0);
  return LineSweep(price, edges).run();
}

std::vector<std::int64_t> least_shares(std::size_t length, std::vector<LineEdge> edges) {
  drop_longest(length, edges);
  // Twice what lies inside is the sum of the degrees less the cut.
  std::vector<std::int64_t> price(length, 0);
  std::int64_t all = 0;
  for (const LineEdge& edge : edges) {
    price[edge.low] -= edge.weight;
    price[edge.high] -= edge.weight;
    all += 2 * edge.weight;
  }
  std::vector<std::int64_t> least = LineSweep(price, edges).run();
  const auto places = static_cast<std::int64_t>(length);
  // all · x / length, rounded down without a large product.
  for (std::int64_t x = 0; x <= places; ++x) {
    least[static_cast<std::size_t>(x)] += all / places * x + all % places * x / places;
  }
  return least;
}

}  // namespace zonecut
