#include <rapidcheck.h>

#include "mapping_fixtures.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("the bound never exceeds the optimum of a small job", "[partition]") {
  std::size_t tight = 0;
  std::size_t positive = 0;
  Random random(7);
  for (int i = 0; i < 6000; ++i) {
    const fixture::Instance instance = fixture::draw_grid(random, i % 50 == 0 ? 12 : 9);
    const auto bound = cut_lower_bound(instance.graph, instance.tree, instance.coordinates);
    const std::int64_t optimum = fixture::brute_force_cut(instance.graph, instance.tree);
    const std::int64_t value = bound ? bound->value : 0;
    INFO("instance " << i << ", method " << (bound ? bound->method : "none"));
    REQUIRE(value <= optimum);
    if (optimum > 0) ++positive;
    if (optimum > 0 && value == optimum) ++tight;
  }
  // A bound of 0 would pass the above: most must be worth something.
  CHECK(positive > 2000);
  CHECK(tight > positive / 3);
}

TEST_CASE("the bound of a graph without coordinates never exceeds the optimum", "[partition]") {
  rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 2 + random.below(7);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_zones(random, vertices, random.below(4));
    const auto bound = cut_lower_bound(graph, tree, {});
    RC_ASSERT((bound ? bound->value : 0) <= fixture::brute_force_cut(graph, tree));
  });
}

TEST_CASE("a job that fits one zone has the bound 0", "[partition]") {
  const auto graph = CommunicationGraph::from_edges(2, {{0, 1, 5}});
  const SlotTree tree{{{0, 0}}, {1, 2}, 0, {10, 1}};
  const auto bound = cut_lower_bound(graph, tree, {});
  REQUIRE(bound);
  CHECK(bound->value == 0);
  CHECK(bound->method == "fits in one zone");
}

TEST_CASE("a ring over three zones is cut in three places", "[partition]") {
  // 0-1-2-3-4-5-0, weight 7; zones of 2, 2 and 2: bound 3 · 7.
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> coordinates;
  for (std::uint32_t v = 0; v < 6; ++v) {
    edges.push_back({v, (v + 1) % 6, 7});
    coordinates.push_back({0, static_cast<int>(v), 0});
  }
  const auto graph = CommunicationGraph::from_edges(6, edges);
  const SlotTree tree{{{0, 0, 0}}, {2, 2, 2}, 0, {10, 1}};
  CHECK(cut_lower_bound(graph, tree, coordinates)->value == 21);
  // Without coordinates only connectedness is known: two edges of a spanning tree.
  CHECK(cut_lower_bound(graph, tree, {})->value == 14);
}

TEST_CASE("weights near the limit do not overflow the bound", "[partition]") {
  const std::int64_t weight = std::int64_t{1} << 59;
  const auto graph =
      CommunicationGraph::from_edges(4, {{0, 1, weight}, {1, 2, weight}, {2, 3, weight},
                                         {3, 0, weight}});
  const std::vector<Coordinates> coordinates{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}};
  const SlotTree tree{{{0, 0}}, {2, 2}, 0, {10, 1}};
  CHECK(cut_lower_bound(graph, tree, coordinates)->value == 2 * weight);
}

TEST_CASE("a gap is relative to the bound", "[partition]") {
  CHECK(relative_gap(0, 0) == 0.0);
  CHECK(relative_gap(11, 10) == Approx(0.1));
  CHECK_FALSE(relative_gap(1, 0));
}
