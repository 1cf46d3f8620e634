#include "grid/narrow_order.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "grid/frontier_sweep.hpp"
#include "partition/mapping_fixtures.hpp"
#include "support/catch.hpp"
#include "traffic/binary_tree.hpp"

using namespace zonecut;

namespace {

constexpr std::size_t kAny = std::size_t{1} << 30;

/// A torus of so many columns and rows, its vertices numbered at random.
CommunicationGraph shuffled_torus(Random& random, std::size_t columns, std::size_t rows) {
  std::vector<std::uint32_t> number(columns * rows);
  std::iota(number.begin(), number.end(), 0U);
  for (std::size_t i = number.size(); i-- > 1;) std::swap(number[i], number[random.below(i + 1)]);
  const auto at = [&](std::size_t c, std::size_t r) {
    return number[c % columns + columns * (r % rows)];
  };
  std::vector<CommunicationGraph::Edge> edges;
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) {
      edges.push_back({at(c, r), at(c + 1, r), 3});
      edges.push_back({at(c, r), at(c, r + 1), 1});
    }
  }
  return CommunicationGraph::from_edges(columns * rows, std::move(edges));
}

std::vector<LineEdge> in_order(const CommunicationGraph& graph,
                               const std::vector<std::uint32_t>& order) {
  std::vector<std::uint32_t> place(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
  std::vector<LineEdge> edges;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for (const CommunicationGraph::Neighbour& to : graph.neighbours(v)) {
      if (place[v] < place[to.vertex]) edges.push_back({place[v], place[to.vertex], to.weight});
    }
  }
  return edges;
}

bool has_every_vertex_once(std::vector<std::uint32_t> order, std::size_t vertices) {
  std::ranges::sort(order);
  std::vector<std::uint32_t> all(vertices);
  std::iota(all.begin(), all.end(), 0U);
  return order == all;
}

std::vector<std::uint32_t> narrow(const CommunicationGraph& graph,
                                  std::span<const Coordinates> coordinates, std::size_t starts,
                                  std::size_t most_states, std::int64_t steps = 1'000'000'000) {
  WorkBudget budget(steps);
  return narrow_order(graph, coordinates, starts, most_states, budget);
}

}  // namespace

TEST_CASE("a narrow order of a long torus goes along it", "[partition]") {
  Random random(3);
  for (const std::size_t columns : {std::size_t{3}, std::size_t{4}, std::size_t{5}}) {
    const CommunicationGraph graph = shuffled_torus(random, columns, 30);
    const std::vector<std::uint32_t> order = narrow(graph, {}, 32, kAny);
    REQUIRE(has_every_vertex_once(order, graph.vertices()));
    // The first row stays open for the last one, and about one row more lies open.
    const std::size_t ways = frontier_ways(order.size(), in_order(graph, order));
    CHECK(ways <= graph.vertices() << (2 * columns + 2));
    // As numbered, most vertices do.
    std::vector<std::uint32_t> as_numbered(graph.vertices());
    std::iota(as_numbered.begin(), as_numbered.end(), 0U);
    CHECK(frontier_ways(order.size(), in_order(graph, as_numbered)) > 1000 * ways);
  }
}

TEST_CASE("double binary trees are narrow along their ranks", "[partition]") {
  // Stages next to each other: of 64 ranks seven lie open at most, greedily more.
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> coordinates;
  constexpr std::uint32_t kRanks = 64;
  for (std::uint32_t rank = 0; rank < kRanks; ++rank) {
    for (std::uint32_t stage = 0; stage < 2; ++stage) {
      coordinates.push_back({-1, static_cast<int>(rank), static_cast<int>(stage)});
      for (const auto up : {tree_parent(rank, kRanks), second_tree_parent(rank, kRanks)}) {
        if (up) edges.push_back({2 * rank + stage, static_cast<std::uint32_t>(2 * *up + stage), 5});
      }
    }
    edges.push_back({2 * rank, 2 * rank + 1, 3});
  }
  const CommunicationGraph graph = CommunicationGraph::from_edges(2 * kRanks, std::move(edges));
  const auto ways = [&](const std::vector<std::uint32_t>& order) {
    return frontier_ways(order.size(), in_order(graph, order));
  };
  const std::vector<std::uint32_t> along = narrow(graph, coordinates, 32, kAny);
  REQUIRE(has_every_vertex_once(along, graph.vertices()));
  CHECK(ways(along) < 400'000);
  CHECK(ways(along) < ways(narrow(graph, {}, 32, kAny)));
}

TEST_CASE("any graph has an order, also one that falls apart", "[partition]") {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const CommunicationGraph graph = fixture::draw_graph(random, 1 + random.below(20));
    CHECK(has_every_vertex_once(narrow(graph, {}, 1 + random.below(30), kAny), graph.vertices()));
  }
}

TEST_CASE("there is no order within fewer states than any takes", "[partition]") {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < 12; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) edges.push_back({u, v, 1});
  }
  const CommunicationGraph clique = CommunicationGraph::from_edges(12, std::move(edges));
  // 2 + 4 + … + 2^11 states, and one at the end, whatever the order.
  const std::size_t states = 2 * ((std::size_t{1} << 11) - 1) + 1;
  CHECK(narrow(clique, {}, 12, states).empty());
  CHECK(narrow(clique, {}, 12, states + 1).size() == 12);
  CHECK(narrow(CommunicationGraph::from_edges(0, {}), {}, 4, kAny).empty());
}

TEST_CASE("an order that takes more than the work is not found", "[partition]") {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v + 1 < 100; ++v) edges.push_back({v, v + 1, 1});
  const auto path = CommunicationGraph::from_edges(100, std::move(edges));
  CHECK(narrow(path, {}, 4, kAny, 150).empty());
  CHECK(narrow(path, {}, 4, kAny, 1000).size() == 100);
  // Dense ones are given up in no time.
  std::vector<CommunicationGraph::Edge> all;
  for (std::uint32_t v = 0; v < 300; ++v) {
    for (std::uint32_t u = 0; u < v; ++u) all.push_back({u, v, 1});
  }
  WorkBudget budget(10'000);
  CHECK(narrow_order(CommunicationGraph::from_edges(300, std::move(all)), {}, 32, kAny, budget)
            .empty());
  CHECK(budget.left() > -1'000);
}
