// The bottleneck objective against every division of small graphs.
#include "least_load.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// One rack a zone.
SlotTree zones_of(std::vector<std::uint32_t> free) {
  SlotTree tree;
  tree.parent = {std::vector<std::uint32_t>(free.size(), 0), {}};
  for (std::uint32_t zone = 0; zone < free.size(); ++zone) tree.parent[1].push_back(zone);
  tree.free = std::move(free);
  tree.distance = {100, 10, 1};
  return tree;
}

CommunicationGraph drawn_graph(std::uint32_t vertices, Random& random) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < vertices; ++u) {
    edges.push_back({u, (u + 1) % vertices, 1 + static_cast<std::int64_t>(random.below(9))});
    for (std::uint32_t v = u + 2; v < vertices; ++v) {
      if (random.below(3) == 0) edges.push_back({u, v, static_cast<std::int64_t>(random.below(9))});
    }
  }
  return CommunicationGraph::from_edges(vertices, std::move(edges));
}

ZoneLoad least_of_all(const CommunicationGraph& graph, const SlotTree& tree,
                      std::span<const std::int64_t> uplinks) {
  std::vector<std::uint32_t> part;
  for (std::uint32_t zone = 0; zone < tree.free.size(); ++zone)
    part.insert(part.end(), tree.free[zone], zone);
  std::optional<ZoneLoad> least;
  do {
    const ZoneLoad load = largest_load(graph, part, uplinks);
    if (!least || load < *least) least = load;
  } while (std::next_permutation(part.begin(), part.end()));
  return *least;
}

MappingOptions easing(std::vector<std::int64_t> uplinks) {
  MappingOptions options;
  options.effort = Effort::Fast;
  options.objective = Objective::Bottleneck;
  options.uplinks = std::move(uplinks);
  return options;
}

}  // namespace

TEST_CASE("the busiest zone is eased as far as it goes on small graphs", "[load]") {
  Random random(5);
  int optimal = 0;
  constexpr int kCases = 60;
  for (int i = 0; i < kCases; ++i) {
    const CommunicationGraph graph = drawn_graph(9, random);
    const SlotTree tree = zones_of({4, 3, 2});
    const std::vector<std::int64_t> uplinks = {1 + static_cast<std::int64_t>(random.below(5)),
                                               1 + static_cast<std::int64_t>(random.below(5)),
                                               1 + static_cast<std::int64_t>(random.below(5))};
    const ZoneLoad least = least_of_all(graph, tree, uplinks);
    const Mapping mapping = map_vertices(graph, tree, {}, easing(uplinks));
    CHECK(mapping.busiest >= least);
    REQUIRE(mapping.busiest_bound);
    CHECK(*mapping.busiest_bound <= least);
    optimal += mapping.busiest == least;
  }
  CHECK(optimal >= kCases - 6);  // a search, not a proof
}

TEST_CASE("easing the busiest zone never leaves it busier than the least cut does", "[load]") {
  Random random(6);
  for (int i = 0; i < 30; ++i) {
    const CommunicationGraph graph = drawn_graph(24, random);
    const SlotTree tree = zones_of({9, 7, 5, 6});
    MappingOptions options = easing({4, 2, 1, 3});
    const Mapping eased = map_vertices(graph, tree, {}, options);
    options.objective = Objective::Cut;
    const Mapping cut = map_vertices(graph, tree, {}, options);
    CHECK(eased.busiest <= cut.busiest);
    CHECK(eased.cost.zone_cut >= cut.bound.value_or(CutBound{}).value);
  }
}

TEST_CASE("uplinks are one positive number a zone", "[load]") {
  Random random(7);
  const CommunicationGraph graph = drawn_graph(6, random);
  const SlotTree tree = zones_of({3, 3});
  CHECK_THROWS_AS(map_vertices(graph, tree, {}, easing({1})), InputError);
  CHECK_THROWS_AS(map_vertices(graph, tree, {}, easing({1, 0})), InputError);
}

TEST_CASE("uplinks that do not fit 62 bits together are refused", "[load]") {
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  const std::size_t zones = std::size_t{1} << 13;
  Random random(8);
  const CommunicationGraph graph = drawn_graph(2, random);
  const SlotTree tree = zones_of(std::vector<std::uint32_t>(zones, 1));
  CHECK_THROWS_AS(map_vertices(graph, tree, {}, easing(std::vector(zones, kMost))), InputError);
}
