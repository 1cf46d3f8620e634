#include "coordinates/split_weights.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "zonecut/base/disjoint_sets.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostFactors = 3;
constexpr std::size_t kMostSplit = 8;
constexpr std::size_t kMostWork = 100'000'000;
constexpr std::size_t kMostKinds = 64;

using Neighbour = CommunicationGraph::Neighbour;

/// Calls with either end, the lower first, and the weight.
template <class Take>
void for_each_edge(const CommunicationGraph& graph, const Take& take) {
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v) take(u, v, weight);
    }
  }
}

/// The edges from lower to higher vertices, numbered row by row.
class Edges {
 public:
  explicit Edges(const CommunicationGraph& graph) : graph_(graph), factors_(graph.edges()) {
    std::size_t next = 0;
    for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
      first_.push_back(next);
      next += static_cast<std::size_t>(std::ranges::count_if(
          graph.neighbours(u), [&](const Neighbour& n) { return n.vertex > u; }));
    }
  }

  [[nodiscard]] std::size_t number(std::uint32_t u, std::uint32_t v) const {
    if (u > v) std::swap(u, v);
    const auto row = graph_.neighbours(u);
    const auto above = std::ranges::upper_bound(row, u, {}, &Neighbour::vertex);
    const auto found = std::ranges::lower_bound(row, v, {}, &Neighbour::vertex);
    return first_[u] + static_cast<std::size_t>(found - above);
  }
  /// An edge that stands for all of its factor.
  [[nodiscard]] std::size_t root(std::size_t edge) { return factors_.find(edge); }
  void join(std::size_t a, std::size_t b) { factors_.join(a, b); }

 private:
  const CommunicationGraph& graph_;
  std::vector<std::size_t> first_;  // edge of each row
  DisjointSets factors_;
};

const Neighbour* find(const CommunicationGraph& graph, std::uint32_t u, std::uint32_t v) {
  const auto row = graph.neighbours(u);
  const auto found = std::ranges::lower_bound(row, v, {}, &Neighbour::vertex);
  return found != row.end() && found->vertex == v ? &*found : nullptr;
}

/// The vertex across from u of the square with v and w; u itself where there is none or several.
std::uint32_t across(const CommunicationGraph& graph, std::uint32_t u, const Neighbour& v,
                     const Neighbour& w) {
  std::uint32_t result = u;
  for (const auto& [x, weight] : graph.neighbours(v.vertex)) {
    if (x == u || weight != w.weight) continue;
    const Neighbour* closing = find(graph, x, w.vertex);
    if (closing == nullptr || closing->weight != v.weight) continue;
    if (result != u) return u;
    result = x;
  }
  return result;
}

/// What join_factors looks at, roughly.
std::size_t work(const CommunicationGraph& graph) {
  std::size_t most = 0;
  std::size_t pairs = 0;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    const std::size_t degree = graph.neighbours(u).size();
    most = std::max(most, degree);
    pairs += degree * degree / 2;
  }
  return pairs > kMostWork / std::max<std::size_t>(1, most) ? kMostWork + 1 : pairs * most;
}

void join_factors(const CommunicationGraph& graph, Edges& edges) {
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    const auto row = graph.neighbours(u);
    for (std::size_t a = 0; a < row.size(); ++a) {
      for (std::size_t b = a + 1; b < row.size(); ++b) {
        const std::uint32_t v = row[a].vertex;
        const std::uint32_t w = row[b].vertex;
        const std::uint32_t x = find(graph, v, w) == nullptr ? across(graph, u, row[a], row[b]) : u;
        if (x == u) {
          edges.join(edges.number(u, v), edges.number(u, w));
        } else {
          edges.join(edges.number(u, v), edges.number(w, x));
          edges.join(edges.number(u, w), edges.number(v, x));
        }
      }
    }
  }
}

/// Edges weigh the numbers, from 1, of what kind_of(u, v, weight) says of them, in its order.
template <class KindOf>
CommunicationGraph by_kinds(const CommunicationGraph& graph, const KindOf& kind_of) {
  using Kind = std::invoke_result_t<KindOf, std::uint32_t, std::uint32_t, std::int64_t>;
  std::map<Kind, std::int64_t> number;
  for_each_edge(graph, [&](std::uint32_t u, std::uint32_t v, std::int64_t weight) {
    number[kind_of(u, v, weight)] = 0;
  });
  std::int64_t next = 0;
  for (auto& [kind, at] : number) at = ++next;
  std::vector<CommunicationGraph::Edge> edges;
  edges.reserve(graph.edges());
  for_each_edge(graph, [&](std::uint32_t u, std::uint32_t v, std::int64_t weight) {
    edges.push_back({u, v, number.at(kind_of(u, v, weight))});
  });
  return CommunicationGraph::from_edges(graph.vertices(), std::move(edges));
}

/// Numbers the factors from 0; those with the same weights are one where there are too many: the
/// two halves of a ring of four are factors as well.
std::map<std::size_t, std::size_t> number_factors(
    const std::map<std::size_t, std::set<std::int64_t>>& weights) {
  std::map<std::size_t, std::size_t> number;
  std::map<std::set<std::int64_t>, std::size_t> by_weights;
  for (const auto& [root, set] : weights) {
    const bool merges = weights.size() > kMostFactors;
    const auto [same, added] = by_weights.try_emplace(set, by_weights.size());
    number[root] = merges ? same->second : number.size();
  }
  return number;
}

/// A weight and two colours.
using EdgeKind = std::tuple<std::int64_t, std::uint64_t, std::uint64_t>;

EdgeKind kind_between(std::uint64_t colour, std::uint64_t other, std::int64_t weight) {
  return {weight, std::min(colour, other), std::max(colour, other)};
}

/// Into how many the graph falls without edges of that kind.
std::size_t components_without(const CommunicationGraph& graph,
                               std::span<const std::uint64_t> colour, const EdgeKind& kind) {
  DisjointSets sets(graph.vertices());
  for_each_edge(graph, [&](std::uint32_t u, std::uint32_t v, std::int64_t weight) {
    if (kind_between(colour[u], colour[v], weight) != kind) sets.join(u, v);
  });
  std::size_t count = 0;
  for (std::size_t u = 0; u < graph.vertices(); ++u) count += sets.find(u) == u;
  return count;
}

}  // namespace

std::optional<CommunicationGraph> split_by_squares(const CommunicationGraph& graph) {
  if (work(graph) > kMostWork) return std::nullopt;
  Edges edges(graph);
  join_factors(graph, edges);
  std::map<std::size_t, std::set<std::int64_t>> weights;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v) weights[edges.root(edges.number(u, v))].insert(weight);
    }
    if (weights.size() > kMostSplit) return std::nullopt;
  }
  if (weights.size() < 2) return std::nullopt;
  const auto factor = number_factors(weights);
  return by_kinds(graph, [&](std::uint32_t u, std::uint32_t v, std::int64_t weight) {
    return std::pair(weight, factor.at(edges.root(edges.number(u, v))));
  });
}

std::optional<CommunicationGraph> split_by_colours(const CommunicationGraph& graph,
                                                   std::span<const std::uint64_t> colour) {
  std::size_t alike = 0;
  for_each_edge(graph, [&](std::uint32_t u, std::uint32_t v, std::int64_t) {
    alike += colour[u] == colour[v];
  });
  if (alike == 0 || alike == graph.edges()) return std::nullopt;
  return by_kinds(graph, [&](std::uint32_t u, std::uint32_t v, std::int64_t weight) {
    return std::pair(weight, colour[u] != colour[v]);
  });
}

void split_where_it_parts(const CommunicationGraph& graph, std::span<const std::uint64_t> colour,
                          const std::function<void(PartedGraph)>& take) {
  std::map<EdgeKind, std::size_t> kinds;
  std::map<std::int64_t, std::size_t> edges_of;  // by weight
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u > v) continue;
      ++edges_of[weight];
      if (colour[u] != colour[v]) ++kinds[kind_between(colour[u], colour[v], weight)];
    }
    if (kinds.size() > kMostKinds) return;
  }
  const std::size_t whole = components_without(graph, colour, {});
  for (const auto& [kind, count] : kinds) {
    const bool is_whole_weight = count == edges_of[std::get<0>(kind)];
    if (is_whole_weight || components_without(graph, colour, kind) == whole) continue;
    // What parts it comes first.
    const auto kind_of = [&](std::uint32_t u, std::uint32_t v, std::int64_t weight) {
      return std::pair(kind_between(colour[u], colour[v], weight) != kind, weight);
    };
    take({by_kinds(graph, kind_of), 1});
  }
}

}  // namespace zonecut
