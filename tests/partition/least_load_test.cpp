// The bottleneck objective against every division of small graphs.
#include "least_load.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "evenly_loaded.hpp"
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

ZoneLoad largest_of_mesh(const Shares& shares, std::span<const std::int64_t> uplinks,
                         std::uint32_t vertices) {
  ZoneLoad largest;
  for (std::size_t p = 0; p < shares.size(); ++p) {
    const std::int64_t share = shares[p];
    largest = std::max(largest, ZoneLoad{share * (vertices - share), uplinks[p]});
  }
  return largest;
}

/// Over all shares from this part on.
void least_of_mesh(std::span<const std::uint32_t> capacity, std::span<const std::int64_t> uplinks,
                   std::uint32_t vertices, std::uint32_t left, Shares& shares,
                   std::optional<ZoneLoad>& least) {
  if (shares.size() == capacity.size()) {
    if (left > 0) return;
    const ZoneLoad load = largest_of_mesh(shares, uplinks, vertices);
    if (!least || load < *least) least = load;
    return;
  }
  for (std::uint32_t share = 0; share <= std::min(left, capacity[shares.size()]); ++share) {
    shares.push_back(share);
    least_of_mesh(capacity, uplinks, vertices, left - share, shares, least);
    shares.pop_back();
  }
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

TEST_CASE("no shares load the uplinks of a full mesh more evenly", "[load]") {
  Random random(11);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::uint32_t> capacity;
    std::vector<std::int64_t> uplinks;
    std::uint32_t slots = 0;
    for (std::uint64_t parts = 1 + random.below(4); parts > 0; --parts) {
      capacity.push_back(static_cast<std::uint32_t>(random.below(10)));
      uplinks.push_back(1 + static_cast<std::int64_t>(random.below(5)));
      slots += capacity.back();
    }
    if (slots == 0) continue;
    const auto vertices = 1 + static_cast<std::uint32_t>(random.below(slots));
    // No zone holds more than all vertices.
    for (std::uint32_t& room : capacity) room = std::min(room, vertices);
    const Shares even = evenly_loaded(capacity, uplinks, vertices);
    CAPTURE(capacity, uplinks, vertices, even);
    REQUIRE(even.size() == capacity.size());
    CHECK(std::accumulate(even.begin(), even.end(), 0u) == vertices);
    for (std::size_t p = 0; p < capacity.size(); ++p) CHECK(even[p] <= capacity[p]);
    std::optional<ZoneLoad> least;
    Shares shares;
    least_of_mesh(capacity, uplinks, vertices, vertices, shares, least);
    CHECK(largest_of_mesh(even, uplinks, vertices) == least);
  }
}

TEST_CASE("a full mesh with slots to spare loads its zones evenly", "[load]") {
  constexpr std::uint32_t kVertices = 80;  // more than branch and bound looks at
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = u + 1; v < kVertices; ++v) edges.push_back({u, v, v == u + 1 ? 9 : 8});
  }
  const CommunicationGraph graph = CommunicationGraph::from_edges(kVertices, std::move(edges));
  const Mapping mapping = map_vertices(graph, zones_of({50, 40, 40, 30}), {}, easing({2, 1, 1, 1}));
  // With 50 in the first zone its load is 50 * 30 / 2 = 750 times eight; ten in each of the others
  // have 10 * 70. A few edges are heavier.
  CHECK(mapping.busiest.uplink == 2);
  CHECK(mapping.busiest.border >= 8 * 1500);
  CHECK(mapping.busiest.border <= 8 * 1500 + 3);
}

TEST_CASE("shares of many more zones than vertices take no longer for their number squared",
          "[load]") {
  constexpr std::size_t kZones = 200'000;
  std::vector<std::int64_t> uplinks(kZones, 1);
  uplinks[kZones - 2] = uplinks[kZones - 1] = 2;
  const std::vector<std::uint32_t> capacity(kZones, 2);
  const Shares even = evenly_loaded(capacity, uplinks, 3);
  // Two in one of the wide zones and one in the other, or narrower zones would have as much to
  // carry.
  CHECK(largest_of_mesh(even, uplinks, 3) == ZoneLoad{2, 2});
  CHECK(std::accumulate(even.begin(), even.end(), 0u) == 3);
}

TEST_CASE("a full mesh is searched where some pairs exchange far more than others", "[load]") {
  constexpr std::uint32_t kVertices = 80;
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = u + 1; v < kVertices; ++v) edges.push_back({u, v, 1});
  }
  for (std::uint32_t u = 0; u < kVertices; ++u)  // a ring that leaps
    edges.push_back({u * 7 % kVertices, (u + 1) * 7 % kVertices, 1000});
  const CommunicationGraph graph = CommunicationGraph::from_edges(kVertices, std::move(edges));
  const Mapping mapping = map_vertices(graph, zones_of({50, 40, 40, 30}), {}, easing({1, 1, 1, 1}));
  // Twenty vertices of a zone, in one piece of the ring.
  CHECK(mapping.busiest.border <= 20 * 60 + 2 * 1000);
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
