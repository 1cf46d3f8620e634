#include "grid/bipartite_mesh.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <vector>

#include "bound/bound.hpp"
#include "grid/bipartite_shares.hpp"
#include "partition/mapping_fixtures.hpp"
#include "starts/bipartite_start.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kQuarter = 4;
constexpr std::int64_t kAny = std::int64_t{1} << 40;

struct Drawn {
  CommunicationGraph graph;
  std::array<std::size_t, 2> side{};
  std::int64_t weight = 0;
};

/// Vertices numbered at random.
CommunicationGraph shuffled(Random& random, std::size_t vertices,
                            std::vector<CommunicationGraph::Edge> edges) {
  std::vector<std::uint32_t> number(vertices);
  std::iota(number.begin(), number.end(), 0U);
  random.shuffle(std::span(number));
  for (CommunicationGraph::Edge& edge : edges) edge = {number[edge.u], number[edge.v], edge.weight};
  return CommunicationGraph::from_edges(vertices, std::move(edges));
}

/// All of one side with all of the other; some exchange more, and neighbours of a side with each
/// other.
Drawn draw_one_way(Random& random, std::size_t most) {
  Drawn drawn;
  drawn.side[0] = 1 + random.below(most / 2);
  drawn.side[1] = 2 + random.below(most - drawn.side[0] - 1);
  drawn.weight = 2 + static_cast<std::int64_t>(random.below(20));
  const bool ties = random.below(2) == 0;
  std::vector<CommunicationGraph::Edge> edges;
  const auto vertices = static_cast<std::uint32_t>(drawn.side[0] + drawn.side[1]);
  for (std::uint32_t v = 0; v < vertices; ++v) {
    for (std::uint32_t u = 0; u < v; ++u) {
      const bool across = u < drawn.side[0] && v >= drawn.side[0];
      if (across) {
        const bool least = u == 0 && v == vertices - 1;
        const std::int64_t more = least || !ties ? 0 : static_cast<std::int64_t>(random.below(3));
        edges.push_back({u, v, drawn.weight + more});
      } else if (ties && v == u + 1 && u % 2 == 0) {
        edges.push_back({u, v, 1 + static_cast<std::int64_t>(random.below(99))});
      }
    }
  }
  drawn.graph = shuffled(random, vertices, std::move(edges));
  return drawn;
}

/// Replicas of two vertices, of so many prefill and so many decode.
Drawn draw_two_ways(Random& random, std::size_t prefill, std::size_t decode,
                    std::int64_t lightest_tie = 30) {
  Drawn drawn;
  drawn.side = {2 * prefill, 2 * decode};
  drawn.weight = 2 + static_cast<std::int64_t>(random.below(20));
  std::vector<CommunicationGraph::Edge> edges;
  const auto at = [](std::size_t replica, std::size_t half) {
    return static_cast<std::uint32_t>(2 * replica + half);
  };
  for (std::size_t i = 0; i < prefill + decode; ++i) {
    const std::int64_t tie = i < prefill ? lightest_tie : lightest_tie + 10;
    edges.push_back({at(i, 0), at(i, 1), tie + static_cast<std::int64_t>(random.below(9))});
  }
  for (std::size_t p = 0; p < prefill; ++p) {
    for (std::size_t d = prefill; d < prefill + decode; ++d) {
      for (const std::size_t half : {0U, 1U}) {
        edges.push_back({at(p, half), at(d, half), drawn.weight});
      }
    }
  }
  drawn.graph = shuffled(random, 2 * (prefill + decode), std::move(edges));
  return drawn;
}

std::array<std::size_t, 2> sizes_of(const BipartiteMesh& mesh) {
  return {mesh.sides[0].size(), mesh.sides[1].size()};
}

}  // namespace

TEST_CASE("meshes of two sides are found whatever the vertices are called", "[partition]") {
  Random random(41);
  for (int i = 0; i < 300; ++i) {
    Drawn drawn = draw_one_way(random, 12);
    const auto mesh = bipartite_mesh(drawn.graph);
    REQUIRE(mesh);
    CHECK(mesh->ways == 1);
    CHECK(sizes_of(*mesh)[0] + sizes_of(*mesh)[1] == drawn.graph.vertices());
    // All of one side with all of the other, at this weight or more.
    std::vector<bool> second(drawn.graph.vertices(), false);
    for (const std::uint32_t v : mesh->sides[1]) second[v] = true;
    std::int64_t least = kAny;
    for (const std::uint32_t v : mesh->sides[0]) {
      std::size_t across = 0;
      for (const CommunicationGraph::Neighbour& to : drawn.graph.neighbours(v)) {
        if (!second[to.vertex]) continue;
        ++across;
        least = std::min(least, to.weight);
      }
      CHECK(across == mesh->sides[1].size());
    }
    CHECK(mesh->weight == least);
  }
  for (int i = 0; i < 100; ++i) {
    const Drawn drawn = draw_two_ways(random, 2 + random.below(5), 2 + random.below(5));
    const auto mesh = bipartite_mesh(drawn.graph);
    REQUIRE(mesh);
    CHECK(mesh->ways == 2);
    CHECK(mesh->weight == drawn.weight);
    std::array<std::size_t, 2> found = sizes_of(*mesh);
    std::array<std::size_t, 2> sides = drawn.side;
    std::ranges::sort(found);
    std::ranges::sort(sides);
    CHECK(found == sides);
    CHECK(std::min(mesh->tie[0], mesh->tie[1]) >= 30);
  }
}

TEST_CASE("other traffic is no mesh of two sides", "[partition]") {
  Random random(42);
  std::vector<CommunicationGraph::Edge> ring;
  for (std::uint32_t v = 0; v < 12; ++v) ring.push_back({v, (v + 1) % 12, 5});
  CHECK_FALSE(bipartite_mesh(CommunicationGraph::from_edges(12, ring)));
  CHECK_FALSE(bipartite_mesh(CommunicationGraph::from_edges(0, {})));
  CHECK_FALSE(bipartite_mesh(CommunicationGraph::from_edges(7, {})));
  // One edge is missing, or weighs something else.
  const Drawn drawn = draw_two_ways(random, 3, 4);
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v < drawn.graph.vertices(); ++v) {
    for (const CommunicationGraph::Neighbour& to : drawn.graph.neighbours(v)) {
      if (v < to.vertex) edges.push_back({v, to.vertex, to.weight});
    }
  }
  for (std::size_t i = 0; i < edges.size(); ++i) {
    std::vector<CommunicationGraph::Edge> fewer = edges;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    CHECK_FALSE(bipartite_mesh(CommunicationGraph::from_edges(14, fewer)));
  }
}

TEST_CASE("no set cuts less than its numbers of either side say", "[partition]") {
  Random random(43);
  int checked = 0;
  int exact = 0;
  for (int i = 0; i < 60; ++i) {
    const Drawn drawn = i % 2 == 0
                            ? draw_one_way(random, 10)
                            : draw_two_ways(random, 2 + random.below(2), 2 + random.below(2));
    const auto mesh = bipartite_mesh(drawn.graph);
    REQUIRE(mesh);
    const BipartiteCuts cuts(*mesh, drawn.graph, WeightUnit());
    std::vector<std::size_t> side(drawn.graph.vertices(), 0);
    for (const std::uint32_t v : mesh->sides[1]) side[v] = 1;
    for (std::uint32_t set = 0; set >> side.size() == 0; ++set) {
      std::array<std::size_t, 2> taken{};
      std::int64_t cut = 0;
      for (std::uint32_t v = 0; v < side.size(); ++v) {
        if ((set >> v & 1U) == 0) continue;
        ++taken[side[v]];
        for (const CommunicationGraph::Neighbour& to : drawn.graph.neighbours(v)) {
          if ((set >> to.vertex & 1U) == 0) cut += to.weight;
        }
      }
      const double said = cuts.of(taken[0], taken[1]);
      CAPTURE(i, set, taken[0], taken[1]);
      REQUIRE(said <= static_cast<double>(kQuarter * cut));
      ++checked;
      if (said == static_cast<double>(kQuarter * cut)) ++exact;
    }
  }
  CHECK(exact > checked / 20);
}

TEST_CASE("the shares of both sides bound the cut, full or not, exactly or by a price",
          "[partition]") {
  Random random(44);
  int tight = 0;
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const Drawn drawn = i % 3 == 0 ? draw_two_ways(random, 2, 2) : draw_one_way(random, 9);
    const std::size_t vertices = drawn.graph.vertices();
    const SlotTree zones = fixture::draw_zones(random, vertices, i % 2 == 0 ? 0 : 4);
    const std::int64_t optimum = fixture::brute_force_cut(drawn.graph, zones);
    const auto mesh = bipartite_mesh(drawn.graph);
    REQUIRE(mesh);
    const BipartiteCuts cuts(*mesh, drawn.graph, WeightUnit());
    const auto shares = bipartite_shares(*mesh, cuts, zones.free, kAny);
    REQUIRE(shares);
    INFO("job " << i);
    REQUIRE(shares->quarters <= kQuarter * optimum);
    ++checked;
    if (shares->quarters == kQuarter * optimum) ++tight;
    Shares all;
    std::array<std::size_t, 2> sum{};
    for (const auto& [first, second] : shares->zones) {
      all.push_back(first + second);
      sum[0] += first;
      sum[1] += second;
    }
    CHECK(sum == sizes_of(*mesh));
    for (std::size_t z = 0; z < all.size(); ++z) CHECK(all[z] <= zones.free[z]);
    // A partition that has these shares is a start.
    const auto start = bipartite_start({drawn.graph, zones.free, {}}, all);
    REQUIRE(start);
    CHECK(start->cut == cut_weight(drawn.graph, start->part));
    CHECK(start->cut >= optimum);
    for (std::uint32_t z = 0; z < all.size(); ++z) {
      CHECK(std::ranges::count(start->part, z) == std::ptrdiff_t{all[z]});
    }
    CHECK_FALSE(bipartite_shares(*mesh, cuts, zones.free, 0));
  }
  CHECK(tight > checked / 2);
}

TEST_CASE("a full mesh is not divided by sides: there are none", "[partition]") {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < 40; ++u) {
    for (std::uint32_t v = u + 1; v < 40; ++v) edges.push_back({u, v, 3});
  }
  const auto graph = CommunicationGraph::from_edges(40, std::move(edges));
  CHECK_FALSE(bipartite_start({graph, {25, 15}, {}}, {25, 15}));
}

TEST_CASE("with less work zones with room to spare are bounded by a price", "[partition]") {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t a = 0; a < 30; ++a) {
    for (std::uint32_t b = 30; b < 60; ++b) edges.push_back({a, b, 7});
  }
  const auto graph = CommunicationGraph::from_edges(60, std::move(edges));
  const auto mesh = bipartite_mesh(graph);
  REQUIRE(mesh);
  const BipartiteCuts cuts(*mesh, graph, WeightUnit());
  const std::vector<std::uint32_t> room{20, 22, 17, 19};
  const auto exact = bipartite_shares(*mesh, cuts, room, kAny);
  REQUIRE(exact);
  const auto priced = bipartite_shares(*mesh, cuts, room, 500'000);
  REQUIRE(priced);
  CHECK(priced->zones.empty());
  CHECK(priced->quarters <= exact->quarters);
  CHECK(priced->quarters > exact->quarters * 9 / 10);
  CHECK_FALSE(bipartite_shares(*mesh, cuts, room, 10'000));
}

TEST_CASE("prefill and decode are divided with a proof", "[partition]") {
  // Tensor parallelism sends far more than caches.
  constexpr std::int64_t kTie = 10'000;
  Random random(45);
  for (const auto& [prefill, decode] :
       {std::pair<std::size_t, std::size_t>{9, 20}, {12, 12}, {30, 17}}) {
    const Drawn drawn = draw_two_ways(random, prefill, decode, kTie);
    const auto vertices = static_cast<std::uint32_t>(drawn.graph.vertices());
    for (const std::uint32_t more : {0U, 9U}) {
      const std::uint32_t half = vertices / 2 - 1;
      const std::uint32_t third = vertices / 3;
      const SlotTree zones{{{0, 0, 0}}, {half, third, vertices - half - third + more}, 0, {10, 1}};
      const Mapping mapping =
          map_vertices(drawn.graph, zones, {}, {.effort = Effort::Fast, .prove = true});
      REQUIRE(mapping.bound);
      CHECK(mapping.bound->method == "mesh of two sides");
      CAPTURE(prefill, decode, more);
      CHECK(measure(drawn.graph, zones, mapping.slot).zone_cut == mapping.bound->value);
    }
  }
}
