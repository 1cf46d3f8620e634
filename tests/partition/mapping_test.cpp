#include "zonecut/partition/mapping.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "effort_plan.hpp"
#include "partition/mapping_families.hpp"
#include "partition/mapping_fixtures.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/traffic.hpp"

using namespace zonecut;

namespace {

constexpr MappingOptions kFast{Effort::Fast, 1, 1};
const EffortPlan kBrief{{{.metis_starts = 1, .polish_steps = 10'000, .search_steps = 100'000}},
                        {.metis_starts = 1, .polish_steps = 10'000},
                        100'000,
                        10'000,
                        20'000};

Mapping fast(const CommunicationGraph& graph, const SlotTree& tree,
             std::span<const Coordinates> coordinates = {}) {
  return map_vertices(graph, tree, coordinates, kFast);
}

/// rows × columns, rings both ways; vertex = row · columns + column.
fixture::Instance torus(std::uint32_t rows, std::uint32_t columns) {
  std::vector<CommunicationGraph::Edge> edges;
  fixture::Instance instance;
  for (std::uint32_t r = 0; r < rows; ++r) {
    for (std::uint32_t c = 0; c < columns; ++c) {
      edges.push_back({r * columns + c, r * columns + (c + 1) % columns, 10});
      edges.push_back({r * columns + c, (r + 1) % rows * columns + c, 3});
      instance.coordinates.push_back({0, static_cast<int>(c), static_cast<int>(r)});
    }
  }
  instance.graph = CommunicationGraph::from_edges(rows * columns, std::move(edges));
  return instance;
}

}  // namespace

TEST_CASE("rough coordinates guide the search and prove nothing", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 1 + random.below(60);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_tree(random, vertices, 6);
    MappingOptions options = kFast;
    for (std::size_t v = 0; v < vertices; ++v) {
      options.rough.push_back(
          {0, static_cast<int>(random.below(12)), static_cast<int>(random.below(4))});
    }
    const Mapping mapping = map_vertices(graph, tree, {}, options);
    RC_ASSERT(fixture::respects_capacities(mapping, tree));
    RC_ASSERT(mapping.cost == measure(graph, tree, mapping.slot));
    if (mapping.bound) RC_ASSERT(mapping.bound->value <= mapping.cost.zone_cut);
  }));
}

TEST_CASE("stages that share servers are cut less where rows are known roughly", "[partition]") {
  const Job job = parse_job_text("tp=4,pp=16,dp=27");
  const CommunicationGraph graph = contract(traffic_of(job, 8));
  REQUIRE(vertex_coordinates(job, 8).empty());
  const std::int64_t distances[] = {1, 10, 100, 1000};
  std::string free;  // of eight zones
  for (const int servers : {38, 39, 6, 26, 57, 20, 64, 64}) {
    free += "0 " + std::to_string(free.size()) + " " + std::to_string(servers) + "\n";
  }
  const SlotTree tree = parse_slot_tree(free, "free.tree", distances).tree;
  MappingOptions options = kFast;
  const std::int64_t without = map_vertices(graph, tree, {}, options).cost.zone_cut;
  options.rough = rough_coordinates(job, 8);
  const std::int64_t with = map_vertices(graph, tree, {}, options).cost.zone_cut;
  CAPTURE(without, with);
  CHECK(10 * with < 9 * without);
}

TEST_CASE("every vertex gets one slot and the cost is what is measured", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 1 + random.below(40);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_tree(random, vertices, 6);
    const Mapping mapping = fast(graph, tree);
    RC_ASSERT(mapping.slot.size() == vertices);
    RC_ASSERT(fixture::respects_capacities(mapping, tree));
    RC_ASSERT(mapping.cost == measure(graph, tree, mapping.slot));
    if (mapping.bound) RC_ASSERT(mapping.bound->value <= mapping.cost.zone_cut);
  }));
}

TEST_CASE("a bound that nobody asks for holds too", "[partition]") {
  Random random(13);
  for (int i = 0; i < 12; ++i) {
    const auto rows = static_cast<std::uint32_t>(3 + random.below(3));
    const auto columns = static_cast<std::uint32_t>(3 + random.below(4));
    const fixture::Instance instance = torus(rows, columns);
    const SlotTree tree = fixture::draw_tree(random, instance.graph.vertices(), 6);
    MappingOptions options = kFast;
    const Mapping asked = map_vertices(instance.graph, tree, instance.coordinates, options);
    options.prove = false;
    const Mapping mapping = map_vertices(instance.graph, tree, instance.coordinates, options);
    CHECK(fixture::respects_capacities(mapping, tree));
    REQUIRE(mapping.bound.has_value());
    CHECK(mapping.bound->value <= std::min(asked.cost.zone_cut, mapping.cost.zone_cut));
  }
}

TEST_CASE("up to ten vertices the cut is the optimum", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 1 + random.below(10);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_tree(random, vertices, 3);
    RC_ASSERT(fast(graph, tree).cost.zone_cut == fixture::brute_force_cut(graph, tree));
  }));
}

TEST_CASE("whatever coordinates say, up to ten vertices the cut is the optimum", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 2 + random.below(9);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_tree(random, vertices, 3);
    // Of some vertices no axis applies, and some are in the same place.
    std::vector<Coordinates> coordinates;
    for (std::size_t v = 0; v < vertices; ++v) {
      Coordinates& at = coordinates.emplace_back(Coordinates{-1, -1, -1});
      for (int& axis : at) axis = static_cast<int>(random.below(4)) - 1;
      if (random.below(4) == 0) at = {-1, -1, -1};
    }
    const Mapping mapping = fast(graph, tree, coordinates);
    RC_ASSERT(mapping.cost == measure(graph, tree, mapping.slot));
    RC_ASSERT(mapping.cost.zone_cut == fixture::brute_force_cut(graph, tree));
  }));
}

TEST_CASE("the same input and seed give the same mapping on any number of threads", "[partition]") {
  const fixture::Instance job = torus(12, 10);
  SlotTree tree{{{0, 0, 0, 0}}, {45, 37, 21, 25}, 0, {10, 1}};
  const Mapping first = map_vertices(job.graph, tree, job.coordinates, {Effort::Fast, 5, 1});
  const Mapping second = map_vertices(job.graph, tree, job.coordinates, {Effort::Fast, 5, 4});
  CHECK(first.slot == second.slot);
  CHECK(first.method == second.method);
}

TEST_CASE("other names for the vertices leave a proven cut what it is", "[partition]") {
  const fixture::Instance job = torus(12, 10);
  const SlotTree tree{{{0, 0, 0, 0}}, {40, 40, 20, 20}, 0, {10, 1}};
  std::vector<std::uint32_t> name(job.graph.vertices());
  std::iota(name.begin(), name.end(), 0u);
  Random random(11);
  random.shuffle(std::span(name));
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> coordinates(name.size());
  for (std::uint32_t u = 0; u < name.size(); ++u) {
    coordinates[name[u]] = job.coordinates[u];
    for (const auto& [v, weight] : job.graph.neighbours(u)) {
      if (u < v) edges.push_back({name[u], name[v], weight});
    }
  }
  const auto graph = CommunicationGraph::from_edges(name.size(), std::move(edges));
  const std::int64_t cut = fast(job.graph, tree, job.coordinates).cost.zone_cut;
  CHECK(fast(graph, tree, coordinates).cost.zone_cut == cut);
  CHECK(fast(graph, tree).cost.zone_cut == cut);
}

TEST_CASE("more effort is never worse", "[partition]") {
  const fixture::Instance job = torus(9, 7);
  const SlotTree tree{{{0, 0, 0, 0}}, {23, 17, 14, 9}, 0, {10, 1}};
  const auto cut = [&](Effort effort) {
    return map_vertices(job.graph, tree, job.coordinates, {effort, 4, 1}).cost.zone_cut;
  };
  CHECK(cut(Effort::Balanced) <= cut(Effort::Fast));
}

TEST_CASE("large jobs have balanced steps in proportion, up to four times as many", "[partition]") {
  const auto steps = [](std::size_t vertices) {
    const EffortPlan plan = effort_plan(Effort::Balanced, vertices);
    return std::pair(plan.zones.back().box_steps, plan.bound_steps);
  };
  const auto [search, bound] = steps(4096);
  CHECK(steps(1025) == std::pair(search, bound));
  CHECK(steps(6144) == std::pair(search * 3 / 2, bound * 3 / 2));
  CHECK(steps(16'384) == std::pair(search * 4, bound * 4));
  CHECK(steps(1'000'000) == std::pair(search * 4, bound * 4));
}

TEST_CASE("a mapping to begin with is never made worse, nor changed for nothing", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 13 + random.below(40);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_tree(random, vertices, 4);
    std::vector<std::uint32_t> any(tree.slots());
    std::iota(any.begin(), any.end(), 0u);
    random.shuffle(std::span(any));
    any.resize(vertices);
    const Objective objective = random.below(2) == 0 ? Objective::Cut : Objective::Bottleneck;
    const Mapping first =
        map_by_plan(graph, tree, {}, kBrief, {Effort::Fast, 1, 1, objective, {}, std::move(any)});
    RC_ASSERT(fixture::respects_capacities(first, tree));
    const Mapping second =
        map_by_plan(graph, tree, {}, kBrief, {Effort::Fast, 2, 1, objective, {}, first.slot});
    RC_ASSERT(fixture::respects_capacities(second, tree));
    if (objective == Objective::Bottleneck) RC_ASSERT(second.busiest <= first.busiest);
    if (second.busiest == first.busiest) RC_ASSERT(second.cost <= first.cost);
    if (second.cost == first.cost && second.busiest == first.busiest)
      RC_ASSERT(second.slot == first.slot);
  }));
}

TEST_CASE("a start carries over what a longer search has found", "[partition]") {
  const fixture::Instance job = torus(24, 16);
  const SlotTree tree{{{0, 0, 0, 0, 0}}, {101, 89, 83, 61, 50}, 0, {10, 1}};
  const Mapping found = map_vertices(job.graph, tree, job.coordinates, {Effort::Balanced});
  const Mapping next =
      map_vertices(job.graph, tree, {}, {Effort::Fast, 1, 1, Objective::Cut, {}, found.slot});
  CHECK(next.cost.zone_cut <= found.cost.zone_cut);
}

TEST_CASE("a start that is none is an input error", "[partition]") {
  const fixture::Instance job = torus(2, 2);
  const SlotTree tree{{{0, 0}}, {2, 3}, 0, {10, 1}};
  const auto from = [&](std::vector<std::uint32_t> start) {
    return map_vertices(job.graph, tree, {},
                        {Effort::Fast, 1, 1, Objective::Cut, {}, std::move(start)});
  };
  CHECK_THROWS_AS(from({0, 1, 2}), InputError);
  CHECK_THROWS_AS(from({0, 1, 2, 2}), InputError);
  CHECK_THROWS_AS(from({0, 1, 2, 5}), InputError);
  CHECK_NOTHROW(from({0, 1, 2, 4}));
}

TEST_CASE("the order of equal zones does not change the cut", "[partition]") {
  Random random(3);
  for (int i = 0; i < 40; ++i) {
    const std::size_t vertices = 2 + random.below(10);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    SlotTree tree = fixture::draw_zones(random, vertices, random.below(4));
    const std::int64_t cut = fast(graph, tree).cost.zone_cut;
    std::ranges::reverse(tree.free);
    CHECK(fast(graph, tree).cost.zone_cut == cut);
  }
}

TEST_CASE("a torus whose zones can be bands is cut along them, and proven so", "[partition]") {
  // 12 rows of 10 in zones of 40, 40, 20 and 20: four borders of 10 edges of weight 3.
  const fixture::Instance job = torus(12, 10);
  const SlotTree tree{{{0, 0, 0, 0}}, {40, 40, 20, 20}, 0, {10, 1}};
  const Mapping mapping = fast(job.graph, tree, job.coordinates);
  CHECK(mapping.cost.zone_cut == 4 * 30);
  REQUIRE(mapping.bound);
  CHECK(mapping.bound->value == 4 * 30);
}

TEST_CASE("with room to spare the shares are chosen for the cut", "[partition]") {
  // 12 rows of 10; the largest zone alone would take 65 and leave ragged borders.
  const fixture::Instance job = torus(12, 10);
  const SlotTree tree{{{0, 0, 0}}, {65, 64, 63}, 0, {10, 1}};
  const Mapping mapping = fast(job.graph, tree, job.coordinates);
  CHECK(mapping.cost.zone_cut == 2 * 30);
}

TEST_CASE("with room to spare zones get whole replicas also where pipelines are paths",
          "[partition]") {
  // Rings of 16, 16 of them in a ring of replicas, 16 stages whose closing edge is the lighter one.
  // Zones of 2, 2, 2, 4, 2 and 4 replicas have six borders of 16 edges of weight 520.
  std::vector<CommunicationGraph::Edge> edges;
  fixture::Instance job;
  const auto at = [](std::uint32_t rank, std::uint32_t replica, std::uint32_t stage) {
    return (stage * 16 + replica) * 16 + rank;
  };
  for (std::uint32_t stage = 0; stage < 16; ++stage) {
    for (std::uint32_t replica = 0; replica < 16; ++replica) {
      edges.push_back({at(15, replica, stage), at(0, (replica + 1) % 16, stage), 520});
      for (std::uint32_t rank = 0; rank < 16; ++rank) {
        const std::uint32_t v = at(rank, replica, stage);
        edges.push_back({v, at((rank + 1) % 16, replica, stage), 9203});
        edges.push_back({v, at(rank, replica, (stage + 1) % 16), stage < 15 ? 4167 : 2083});
        job.coordinates.push_back(
            {static_cast<int>(rank), static_cast<int>(replica), static_cast<int>(stage)});
      }
    }
  }
  job.graph = CommunicationGraph::from_edges(4096, std::move(edges));
  const SlotTree tree{
      {{0, 0, 0, 0, 0, 0, 0, 0}}, {754, 522, 751, 1215, 656, 588, 1032, 175}, 0, {10, 1}};
  CHECK(fast(job.graph, tree, job.coordinates).cost.zone_cut == 6 * 16 * 520);
}

TEST_CASE("trees too long for a bound are divided where slots are to spare", "[partition]") {
  Random random(1);
  const fixture::Instance job =
      fixture::draw_job(random, fixture::Family::TreePipeline, {.replicas = 2048});
  const SlotTree tree{{{0, 0}}, {1500, 1500}, 0, {10, 1}};
  for (const auto& coordinates : {job.coordinates, std::vector<Coordinates>{}}) {
    const Mapping mapping = fast(job.graph, tree, coordinates);
    CHECK(fixture::respects_capacities(mapping, tree));
  }
}

TEST_CASE("far more slots than vertices are no trouble", "[partition]") {
  SlotTree tree;
  tree.parent = {std::vector<std::uint32_t>(16, 0), {}};
  for (std::uint32_t rack = 0; rack < 512; ++rack) tree.parent[1].push_back(rack / 32);
  tree.free.assign(512, 32);
  tree.distance = {100, 10, 1};
  const fixture::Instance job = torus(2, 4);
  const Mapping mapping = fast(job.graph, tree, job.coordinates);
  CHECK(mapping.cost.zone_cut == 0);
  // All eight share one rack.
  CHECK(mapping.cost.cost == job.graph.total_weight());
}

TEST_CASE("the smallest jobs and trees work", "[partition]") {
  const auto single = CommunicationGraph::from_edges(1, {});
  CHECK(fast(single, SlotTree{{{0}}, {1}, 0, {10, 1}}).slot == std::vector<std::uint32_t>{0});
  // The first leaf is empty.
  CHECK(fast(single, SlotTree{{{0, 0}}, {0, 3}, 0, {10, 1}}).cost.zone_cut == 0);
  const auto silent = CommunicationGraph::from_edges(4, {{0, 1, 0}});
  const Mapping mapping = fast(silent, SlotTree{{{0, 0}}, {2, 2}, 0, {10, 1}});
  CHECK(mapping.cost == MappingCost{0, 0});
  CHECK(mapping.bound->value == 0);
  CHECK(fast(CommunicationGraph::from_edges(0, {}), SlotTree{{{0}}, {1}, 0, {10, 1}}).slot.empty());
}

TEST_CASE("too few slots are an input error that says how many there are", "[partition]") {
  const auto graph = CommunicationGraph::from_edges(3, {});
  const SlotTree tree{{{0, 0}}, {1, 1}, 0, {10, 1}};
  try {
    static_cast<void>(fast(graph, tree));
    FAIL("no error");
  } catch (const InputError& error) {
    CHECK(error.problems().front().what == "2 free slots for 3 vertices");
  }
}

TEST_CASE("a mapping that is none cannot be measured", "[partition]") {
  const auto graph = CommunicationGraph::from_edges(2, {{0, 1, 4}});
  const SlotTree tree{{{0, 0}, {0, 1}}, {1, 1}, 0, {100, 10, 1}};
  const std::vector<std::uint32_t> good{1, 0};
  CHECK(measure(graph, tree, good) == MappingCost{4, 400});
  const std::vector<std::uint32_t> twice{0, 0};
  CHECK_THROWS_AS(measure(graph, tree, twice), InternalError);
  const std::vector<std::uint32_t> outside{0, 2};
  CHECK_THROWS_AS(measure(graph, tree, outside), InternalError);
}

TEST_CASE("what every two vertices exchange does not hide the rest", "[partition]") {
  constexpr std::uint32_t kVertices = 96;
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < kVertices; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) edges.push_back({u, v, 5});
    edges.push_back({u, (u + 1) % kVertices, 700});
  }
  const auto graph = CommunicationGraph::from_edges(kVertices, std::move(edges));
  // Full, the ring cut three times; with slots to spare, the largest two full.
  const SlotTree full{{{0, 0, 0}}, {40, 30, 26}, 0, {10, 1}};
  const Mapping exact = fast(graph, full);
  CHECK(exact.cost.zone_cut == 5 * (40 * 30 + 40 * 26 + 30 * 26) + 3 * 700);
  REQUIRE(exact.bound);
  CHECK(exact.bound->value == exact.cost.zone_cut);
  const SlotTree spare{{{0, 0, 0, 0}}, {40, 20, 40, 30}, 0, {10, 1}};
  CHECK(fast(graph, spare).cost.zone_cut == 5 * (40 * 40 + 2 * 40 * 16) + 3 * 700);
}
