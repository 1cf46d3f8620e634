#include "coordinates/axis_order.hpp"

#include <algorithm>
#include <limits>

#include "coordinates/linear_order.hpp"
#include "coordinates/tree_order.hpp"
#include "traffic/subgraph.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();
constexpr std::size_t kMostWeights =
    32;  // that may tell groups, for each takes a look at all edges

CommunicationGraph quotient(const CommunicationGraph& graph, const Factor& factor,
                            std::span<const std::uint32_t> vertices) {
  std::vector<CommunicationGraph::Edge> edges;
  for (const std::uint32_t u : vertices) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (u < v && factor.index[v] < factor.size && factor.index[u] != factor.index[v]) {
        edges.push_back({factor.index[u], factor.index[v], weight});
      }
    }
  }
  return CommunicationGraph::from_edges(factor.size, std::move(edges));
}

std::int64_t weight(const CommunicationGraph& graph, std::uint32_t u, std::uint32_t v) {
  const auto row = graph.neighbours(u);
  const auto found = std::ranges::lower_bound(row, v, {}, &CommunicationGraph::Neighbour::vertex);
  return found != row.end() && found->vertex == v ? found->weight : 0;
}

/// Components of the edges that weigh so much at least, one after the other, all of one size; none
/// where sizes differ or there is but one.
std::vector<std::vector<std::uint32_t>> equal_groups(const CommunicationGraph& graph,
                                                     std::int64_t least) {
  std::vector<std::vector<std::uint32_t>> groups;
  std::vector<bool> seen(graph.vertices(), false);
  for (std::uint32_t start = 0; start < graph.vertices(); ++start) {
    if (seen[start]) continue;
    groups.push_back({start});
    seen[start] = true;
    std::vector<std::uint32_t>& group = groups.back();
    for (std::size_t i = 0; i < group.size(); ++i) {
      for (const auto& [v, w] : graph.neighbours(group[i])) {
        if (w < least || seen[v]) continue;
        seen[v] = true;
        group.push_back(v);
      }
    }
    if (group.size() != groups.front().size()) return {};
  }
  if (groups.size() < 2) return {};
  return groups;
}

/// Groups in a row, and the members of each in a row of their own that fits the one before.
class GroupOrder {
 public:
  GroupOrder(const CommunicationGraph& graph, std::vector<std::vector<std::uint32_t>> groups)
      : graph_(graph), groups_(std::move(groups)), scratch_(graph.vertices(), 0) {}

  /// False where members do not face each other one by one.
  bool arrange() {
    in_a_row();
    const CommunicationGraph inner = induced(graph_, {}, groups_[0], scratch_).graph;
    std::vector<std::uint32_t> first;
    for (const std::uint32_t i : linear_order(inner)) first.push_back(groups_[0][i]);
    groups_[0] = std::move(first);
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      if (!face(groups_[g - 1], groups_[g])) return false;
    }
    turn();
    return true;
  }

  [[nodiscard]] std::vector<std::uint32_t> take() const {
    std::vector<std::uint32_t> order;
    for (const auto& group : groups_) order.insert(order.end(), group.begin(), group.end());
    return order;
  }

 private:
  void in_a_row() {
    std::vector<std::uint32_t> group_of(graph_.vertices());
    for (std::uint32_t g = 0; g < groups_.size(); ++g) {
      for (const std::uint32_t v : groups_[g]) group_of[v] = g;
    }
    std::vector<CommunicationGraph::Edge> edges;
    for (std::uint32_t u = 0; u < graph_.vertices(); ++u) {
      for (const auto& [v, w] : graph_.neighbours(u)) {
        if (u < v && group_of[u] != group_of[v]) edges.push_back({group_of[u], group_of[v], w});
      }
    }
    std::vector<std::vector<std::uint32_t>> sorted;
    for (const std::uint32_t g :
         linear_order(CommunicationGraph::from_edges(groups_.size(), std::move(edges)))) {
      sorted.push_back(groups_[g]);
    }
    groups_ = std::move(sorted);
  }

  /// Members of `group` take the places of those in `before` with whom they exchange most.
  bool face(const std::vector<std::uint32_t>& before, std::vector<std::uint32_t>& group) const {
    std::vector<std::uint32_t> facing(group.size(), kNone);
    for (std::size_t i = 0; i < before.size(); ++i) {
      std::int64_t most = 0;
      for (const std::uint32_t v : group) {
        const std::int64_t w = weight(graph_, before[i], v);
        if (w <= most) continue;
        most = w;
        facing[i] = v;
      }
    }
    std::vector<std::uint32_t> sorted = facing;
    std::ranges::sort(sorted);
    if (sorted.back() == kNone || std::ranges::adjacent_find(sorted) != sorted.end()) return false;
    group = std::move(facing);
    return true;
  }

  /// The end of a group should face the start of the next.
  void turn() {
    std::int64_t forwards = 0;
    std::int64_t backwards = 0;
    for (std::size_t g = 1; g < groups_.size(); ++g) {
      forwards += weight(graph_, groups_[g - 1].back(), groups_[g].front());
      backwards += weight(graph_, groups_[g - 1].front(), groups_[g].back());
    }
    if (backwards <= forwards) return;
    for (auto& group : groups_) std::ranges::reverse(group);
  }

  const CommunicationGraph& graph_;
  std::vector<std::vector<std::uint32_t>> groups_;
  std::vector<std::uint32_t> scratch_;
};

/// Pieces of one size that the heaviest edges leave, each in one stretch of the order; 1: none.
std::uint32_t stretches(const CommunicationGraph& graph, std::span<const std::uint32_t> order,
                        std::int64_t least) {
  const auto joined = [&](std::size_t i) { return weight(graph, order[i - 1], order[i]) >= least; };
  std::size_t size = 1;
  while (size < order.size() && joined(size)) ++size;
  if (size < 3 || size == order.size() || order.size() % size != 0) return 1;
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (joined(i) != (i % size != 0)) return 1;
  }
  return static_cast<std::uint32_t>(size);
}

/// A few of the heaviest.
std::vector<std::int64_t> falling_weights(const CommunicationGraph& graph) {
  std::vector<std::int64_t> weights;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& neighbour : graph.neighbours(u)) weights.push_back(neighbour.weight);
  }
  std::ranges::sort(weights, std::ranges::greater{});
  weights.erase(std::ranges::unique(weights).begin(), weights.end());
  if (weights.size() > kMostWeights) weights.resize(kMostWeights);
  return weights;
}

std::vector<std::uint32_t> places(std::span<const std::uint32_t> order) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  return place;
}

}  // namespace

FactorOrder axis_order(const CommunicationGraph& graph, const Factor& factor,
                       std::span<const std::uint32_t> vertices) {
  const CommunicationGraph line = quotient(graph, factor, vertices);
  FactorOrder result;
  if (const auto ranks = tree_order(line)) {
    result.place = places(*ranks);
    return result;
  }
  const std::vector<std::int64_t> weights = falling_weights(line);
  std::vector<std::uint32_t> order;
  for (const std::int64_t least : weights) {
    auto groups = equal_groups(line, least);
    if (groups.empty() || groups[0].size() < 3) continue;
    const auto size = static_cast<std::uint32_t>(groups[0].size());
    GroupOrder arranged(line, std::move(groups));
    if (!arranged.arrange()) continue;
    order = arranged.take();
    result.group = size;
    break;
  }
  if (order.empty()) order = linear_order(line);
  for (std::size_t i = 0; i < weights.size() && result.group == 1; ++i) {
    result.group = stretches(line, order, weights[i]);
  }
  result.place = places(order);
  return result;
}

}  // namespace zonecut
