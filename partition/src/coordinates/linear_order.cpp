#include "coordinates/linear_order.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>
#include <span>

#include "metis_partition.hpp"
#include "refine/refine_pairs.hpp"
#include "refine/repair.hpp"
#include "traffic/subgraph.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
using Edge = CommunicationGraph::Edge;

/// Heaviest edges first, each vertex in two at most, no cycle. None unless one path takes them all.
std::optional<std::vector<std::uint32_t>> single_path(const CommunicationGraph& graph) {
  std::vector<Edge> edges;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v) edges.push_back({u, v, weight});
    }
  }
  std::ranges::stable_sort(edges, std::ranges::greater{}, &Edge::weight);
  const std::size_t vertices = graph.vertices();
  std::vector<std::array<std::uint32_t, 2>> next(vertices, {kNone, kNone});
  std::vector<std::uint32_t> other_end(vertices);  // of the path, for its ends
  std::iota(other_end.begin(), other_end.end(), 0u);
  std::size_t joined = 0;
  for (const Edge& edge : edges) {
    if (next[edge.u][1] != kNone || next[edge.v][1] != kNone || other_end[edge.u] == edge.v) {
      continue;
    }
    (next[edge.u][0] == kNone ? next[edge.u][0] : next[edge.u][1]) = edge.v;
    (next[edge.v][0] == kNone ? next[edge.v][0] : next[edge.v][1]) = edge.u;
    const std::uint32_t a = other_end[edge.u];
    const std::uint32_t b = other_end[edge.v];
    other_end[a] = b;
    other_end[b] = a;
    ++joined;
  }
  if (joined + 1 != vertices) return std::nullopt;
  std::vector<std::uint32_t> order;
  std::uint32_t at = 0;
  while (next[at][1] != kNone) ++at;
  for (std::uint32_t from = kNone; at != kNone;) {
    order.push_back(at);
    const std::uint32_t to = next[at][0] == from ? next[at][1] : next[at][0];
    from = at;
    at = to;
  }
  return order;
}

/// Halves, each ordered in the same way; the half that has more to do with what stands before comes
/// first.
class Bisection {
 public:
  explicit Bisection(const CommunicationGraph& graph)
      : graph_(graph), place_(graph.vertices(), 0), side_(graph.vertices(), 0) {}

  std::vector<std::uint32_t> run() {
    std::vector<std::uint32_t> all(graph_.vertices());
    std::iota(all.begin(), all.end(), 0u);
    order(all, 0);
    std::vector<std::uint32_t> result(all.size());
    for (std::uint32_t v = 0; v < all.size(); ++v) result[place_[v]] = v;
    return result;
  }

 private:
  void order(std::span<const std::uint32_t> vertices, std::uint32_t first) {
    for (const std::uint32_t v : vertices) place_[v] = first;  // for the pull of the others
    if (vertices.size() < 2) return;
    const auto half = static_cast<std::uint32_t>(vertices.size() / 2);
    const std::vector<std::uint32_t> part = halves(vertices, half);
    std::vector<std::uint32_t> sides[2];
    for (std::size_t i = 0; i < vertices.size(); ++i) sides[part[i]].push_back(vertices[i]);
    const auto last = first + static_cast<std::uint32_t>(vertices.size());
    const bool swap = pull(sides[0], first, last) > pull(sides[1], first, last);
    std::vector<std::uint32_t>& left = sides[swap ? 1 : 0];
    std::vector<std::uint32_t>& right = sides[swap ? 0 : 1];
    const auto middle = first + static_cast<std::uint32_t>(left.size());
    for (const std::uint32_t v : right) place_[v] = middle;
    order(left, first);
    order(right, middle);
  }

  /// How much more weight goes to what stands behind than to what stands before.
  [[nodiscard]] std::int64_t pull(std::span<const std::uint32_t> vertices, std::uint32_t first,
                                  std::uint32_t last) const {
    std::int64_t sum = 0;
    for (const std::uint32_t v : vertices) {
      for (const auto& [u, weight] : graph_.neighbours(v)) {
        if (place_[u] < first) sum -= weight;
        if (place_[u] >= last) sum += weight;
      }
    }
    return sum;
  }

  std::vector<std::uint32_t> halves(std::span<const std::uint32_t> vertices, std::uint32_t half) {
    const CommunicationGraph inner = induced(graph_, {}, vertices, side_).graph;
    const Shares shares{half, static_cast<std::uint32_t>(vertices.size()) - half};
    const PartitionProblem problem{inner, shares, {}};
    std::vector<std::uint32_t> start(vertices.size(), 1);
    std::fill_n(start.begin(), half, 0u);
    std::vector<std::uint32_t> best;
    std::int64_t least = std::numeric_limits<std::int64_t>::max();
    for (int seed = 0; seed < 3; ++seed) {
      if (auto part = metis_partition(inner, shares, MetisMethod::Recursive, seed)) start = *part;
      WorkingPartition partition(problem, start);
      repair(partition);
      WorkBudget budget(1'000'000);
      PairRefinement(partition, 64).improve_all(budget);
      if (partition.cut() < least) {
        least = partition.cut();
        best.assign(partition.all().begin(), partition.all().end());
      }
    }
    return best;
  }

  const CommunicationGraph& graph_;
  std::vector<std::uint32_t> place_;
  std::vector<std::uint32_t> side_;  // of induced()
};

}  // namespace

std::vector<std::uint32_t> linear_order(const CommunicationGraph& graph) {
  if (auto path = single_path(graph)) return *std::move(path);
  return Bisection(graph).run();
}

}  // namespace zonecut
