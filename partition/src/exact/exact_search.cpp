#include "exact/exact_search.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kFirst = 200'000;
constexpr std::int64_t kMore = 2;  // times as many steps when all orders had their turn

std::vector<std::int64_t> traffic_of(const CommunicationGraph& graph) {
  std::vector<std::int64_t> traffic(graph.vertices(), 0);
  for (std::size_t v = 0; v < traffic.size(); ++v) {
    for (const CommunicationGraph::Neighbour& next : graph.neighbours(v)) traffic[v] += next.weight;
  }
  return traffic;
}

std::vector<std::uint32_t> by_traffic(const CommunicationGraph& graph) {
  const std::vector<std::int64_t> traffic = traffic_of(graph);
  std::vector<std::uint32_t> order(graph.vertices());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::stable_sort(order, std::ranges::greater{}, [&](auto v) { return traffic[v]; });
  return order;
}

/// One vertex after the other, the one of highest rank; its edges then add to the ranks of its
/// neighbours, or take from them.
std::vector<std::uint32_t> one_by_one(const CommunicationGraph& graph,
                                      std::vector<std::int64_t> rank, std::int64_t sign) {
  std::vector<std::uint32_t> left = by_traffic(graph);
  std::vector<std::uint32_t> order;
  while (!left.empty()) {
    const auto next = std::ranges::max_element(left, {}, [&](auto v) { return rank[v]; });
    for (const CommunicationGraph::Neighbour& edge : graph.neighbours(*next)) {
      rank[edge.vertex] += sign * edge.weight;
    }
    order.push_back(*next);
    left.erase(next);
  }
  return order;
}

}  // namespace

ExactSearch::ExactSearch(const PartitionProblem& problem) : turn_(kFirst) {
  const CommunicationGraph& graph = problem.graph;
  ZONECUT_ENSURES(graph.vertices() > 0 && graph.vertices() <= kMostExactVertices);
  // Those with most ties to the ones before; those with most traffic to the ones after.
  const std::vector<std::int64_t> none(graph.vertices(), 0);
  searches_.emplace_back(problem, one_by_one(graph, none, 1));
  searches_.emplace_back(problem, one_by_one(graph, traffic_of(graph), -1));
}

std::int64_t ExactSearch::bound() const {
  std::int64_t bound = 0;
  for (const NestedSearch& search : searches_) bound = std::max(bound, search.bound());
  return bound;
}

void ExactSearch::run(Partition& best, std::int64_t enough, WorkBudget& budget) {
  for (;; turn_ *= kMore) {
    for (NestedSearch& search : searches_) {
      if (budget.spent() || best.cut <= std::max(enough, bound())) return;
      WorkBudget turn(std::min(turn_, budget.left()));
      const std::int64_t before = turn.left();
      search.go_on(best, std::max(enough, bound()), turn);
      budget.spend(static_cast<std::size_t>(before - turn.left()));
    }
  }
}

}  // namespace zonecut
