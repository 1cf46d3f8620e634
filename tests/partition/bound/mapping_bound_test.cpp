#include <rapidcheck.h>

#include <algorithm>

#include "bound/bound.hpp"
#include "bound/counted_pieces.hpp"
#include "bound/possible_cut.hpp"
#include "partition/mapping_families.hpp"
#include "partition/mapping_fixtures.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("the bound never exceeds the optimum of a small job", "[partition]") {
  std::size_t tight = 0;
  std::size_t positive = 0;
  Random random(7);
  for (int i = 0; i < 6000; ++i) {
    const fixture::Instance instance = fixture::draw_grid(random, i % 50 == 0 ? 12 : 9);
    const auto bound =
        fixture::bound_by_structure(instance.graph, instance.tree, instance.coordinates);
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

namespace {

struct Tightness {
  double ratio = 0;  ///< bound over optimum, on average
  int worse = 0;     ///< bounds above the optimum
};

std::int64_t bound_value(const fixture::Instance& job) {
  const auto bound = fixture::bound_by_structure(job.graph, job.tree, job.coordinates);
  return bound ? bound->value : 0;
}

/// By a search that knows no bound.
std::int64_t found_cut(const fixture::Instance& job) {
  const MappingOptions options{.effort = Effort::Fast, .prove = false};
  const Mapping mapping = map_vertices(job.graph, job.tree, {}, options);
  return measure(job.graph, job.tree, mapping.slot).zone_cut;
}

struct Torus {
  std::size_t replicas, stages;
  std::int64_t ring, step, closing;
};

fixture::Instance torus(const Torus& shape, const std::vector<std::uint32_t>& zones) {
  fixture::Instance job;
  std::vector<CommunicationGraph::Edge> edges;
  const auto at = [&](std::size_t r, std::size_t p) {
    return static_cast<std::uint32_t>(r % shape.replicas + shape.replicas * (p % shape.stages));
  };
  for (std::size_t p = 0; p < shape.stages; ++p) {
    for (std::size_t r = 0; r < shape.replicas; ++r) {
      job.coordinates.push_back({0, static_cast<int>(r), static_cast<int>(p)});
      edges.push_back({at(r, p), at(r + 1, p), shape.ring});
      edges.push_back({at(r, p), at(r, p + 1), p + 1 < shape.stages ? shape.step : shape.closing});
    }
  }
  job.graph = CommunicationGraph::from_edges(shape.replicas * shape.stages, edges);
  job.tree = {{std::vector<std::uint32_t>(zones.size(), 0)}, zones, 0, {10, 1}};
  return job;
}

/// Every edge between stages weighs so much.
void weigh_pipeline(fixture::Instance& job, std::int64_t weight) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v < job.graph.vertices(); ++v) {
    for (const auto& [u, old] : job.graph.neighbours(v)) {
      const bool between = job.coordinates[u][2] != job.coordinates[v][2];
      if (u > v) edges.push_back({v, u, between ? weight : old});
    }
  }
  job.graph = CommunicationGraph::from_edges(job.graph.vertices(), edges);
}

/// `slack`: more slots than vertices, at most.
Tightness tightness(fixture::Family family, int instances, std::size_t vertices,
                    std::size_t slack) {
  Random random(17 * vertices + slack);
  Tightness result;
  int positive = 0;
  for (int i = 0; i < instances; ++i) {
    const fixture::FamilyShape shape = fixture::draw_shape(random, family, vertices);
    fixture::Instance instance = fixture::draw_job(random, family, shape);
    const std::size_t more = slack == 0 ? 0 : 1 + random.below(slack);
    instance.tree = fixture::draw_zones(random, instance.graph.vertices(), more);
    const auto bound =
        fixture::bound_by_structure(instance.graph, instance.tree, instance.coordinates);
    const std::int64_t optimum = fixture::brute_force_cut(instance.graph, instance.tree);
    const std::int64_t value = bound ? bound->value : 0;
    if (value > optimum) ++result.worse;
    if (optimum == 0) continue;
    ++positive;
    result.ratio += static_cast<double>(value) / static_cast<double>(optimum);
  }
  result.ratio /= positive;
  return result;
}

/// The bound, with each of these budgets.
void expect_no_more_than_found(const fixture::Instance& job,
                               std::initializer_list<std::int64_t> budgets) {
  PartitionProblem problem{job.graph, {}, job.coordinates, {}};
  for (const std::uint64_t room : job.tree.capacity(0)) {
    problem.capacity.push_back(static_cast<std::uint32_t>(room));
  }
  const std::int64_t cut = found_cut(job);
  for (const std::int64_t steps : budgets) {
    const auto bound = bound_of(problem, steps);
    CHECK((bound ? bound->cut.value : 0) <= cut);
  }
}

}  // namespace

TEST_CASE("the bound of no family exceeds the optimum", "[partition]") {
  for (const fixture::Family family : fixture::kFamilies) {
    INFO("family " << static_cast<int>(family));
    CHECK(tightness(family, 800, 10, 0).worse == 0);
    CHECK(tightness(family, 250, 9, 4).worse == 0);
    CHECK(tightness(family, 40, 12, 0).worse == 0);
  }
}

TEST_CASE("the bound of no family exceeds a cut that is found", "[partition]") {
  Random random(41);
  for (std::size_t i = 0; i < 30 * fixture::kFamilies.size(); ++i) {
    const fixture::Family family = fixture::kFamilies[i % fixture::kFamilies.size()];
    const fixture::FamilyShape shape = fixture::draw_large_shape(random, family, 60, 400);
    fixture::Instance job = fixture::draw_job(random, family, shape);
    const std::size_t slack = random.below(2) * random.below(job.graph.vertices() / 4);
    job.tree = fixture::draw_zones(random, job.graph.vertices(), slack);
    INFO("job " << i << ", family " << static_cast<int>(family));
    REQUIRE(bound_value(job) <= found_cut(job));
  }
}

TEST_CASE("the bound of open sizes stays one where shapes are not all worked out", "[partition]") {
  const Torus jobs[] = {{10, 17, 1, 1, 1}, {14, 15, 1, 3, 3}, {8, 14, 2, 3, 3}};
  const std::vector<std::uint32_t> zones[] = {{54, 73, 43, 7}, {99, 111, 19}, {62, 50, 10}};
  for (std::size_t i = 0; i < std::size(jobs); ++i) {
    const fixture::Instance job = torus(jobs[i], zones[i]);
    INFO("job " << i);
    CHECK(bound_value(job) <= found_cut(job));
  }
}

TEST_CASE("the bound stays one where light edges round to nothing", "[partition]") {
  Random random(8);
  for (int i = 0; i < 40; ++i) {
    fixture::Instance job = fixture::draw_job(random, fixture::Family::TreePipeline, {1, 4, 3, 0});
    weigh_pipeline(job, std::int64_t{1} << (50 + random.below(8)));
    job.tree = fixture::draw_zones(random, job.graph.vertices(), 0);
    CHECK(bound_value(job) <= fixture::brute_force_cut(job.graph, job.tree));
  }
}

TEST_CASE("the bound of layers stays one with any budget", "[partition]") {
  Random random(12);
  for (std::size_t i = 0; i < 24; ++i) {
    const fixture::FamilyShape shape =
        fixture::draw_large_shape(random, fixture::Family::Encoder, 200, 600);
    fixture::Instance job = fixture::draw_job(random, fixture::Family::Encoder, shape);
    job.tree = fixture::draw_zones(random, job.graph.vertices(), i % 2 * 20);
    INFO("job " << i);
    expect_no_more_than_found(job, {20'000, 100'000, 500'000, 2'000'000, 10'000'000});
  }
}

TEST_CASE("a bound of short trees ends with any budget", "[partition]") {
  Random random(9);
  for (const std::size_t replicas : {3U, 5U, 9U, 12U, 13U}) {
    fixture::Instance job =
        fixture::draw_job(random, fixture::Family::TreePipeline, {1, replicas, 60, 0});
    for (const std::size_t slack : {0U, 40U}) {
      job.tree = fixture::draw_zones(random, job.graph.vertices(), slack);
      expect_no_more_than_found(job, {100, 200, 400, 1000, 2000, 5000, 20'000, 100'000});
    }
  }
}

TEST_CASE("the bound of every family is worth something", "[partition]") {
  using fixture::Family;
  const std::pair<Family, double> floors[] = {
      {Family::RingPipeline, 0.98},    {Family::TreePipeline, 0.94},
      {Family::ShardedReplicas, 0.98}, {Family::ShardedTrees, 0.90},
      {Family::ContextParallel, 0.94}, {Family::Experts, 0.82},
      {Family::Encoder, 0.70}};
  for (const auto& [family, least] : floors) {
    INFO("family " << static_cast<int>(family));
    CHECK(tightness(family, 150, 10, 0).ratio > least);
  }
}

TEST_CASE("what every two vertices exchange is bounded by itself", "[partition]") {
  Random random(12);
  std::size_t tight = 0;
  constexpr std::size_t kJobs = 400;
  for (std::size_t i = 0; i < kJobs; ++i) {
    const fixture::Instance plain = fixture::draw_grid(random, 8);
    const auto weight = static_cast<std::int64_t>(1 + random.below(9));
    const auto vertices = static_cast<std::uint32_t>(plain.graph.vertices());
    const bool alone = random.below(4) == 0;
    std::vector<CommunicationGraph::Edge> edges;
    for (std::uint32_t u = 0; u < vertices; ++u) {
      for (std::uint32_t v = 0; v < u; ++v) edges.push_back({u, v, weight});
      for (const auto& [v, more] : plain.graph.neighbours(u)) {
        if (u < v && !alone) edges.push_back({u, v, more});
      }
    }
    const auto graph = CommunicationGraph::from_edges(vertices, std::move(edges));
    const std::int64_t optimum = fixture::brute_force_cut(graph, plain.tree);
    const auto bound = fixture::bound_by_structure(graph, plain.tree, plain.coordinates);
    REQUIRE(bound.has_value());
    CHECK(bound->value <= optimum);
    if (alone) CHECK(bound->value == optimum);
    if (bound->value == optimum) ++tight;
  }
  CHECK(tight > kJobs / 2);
}

TEST_CASE("so many pieces with such a sum cost no less than their bound", "[partition]") {
  Random random(5);
  for (int i = 0; i < 200; ++i) {
    const std::size_t kinds = 2 + random.below(7);
    std::vector<double> price(kinds, 0);
    for (double& p : price) p = static_cast<double>(random.below(40)) - 10;
    CountedPieces counted;
    counted.set_prices(price);
    // least[sum] of k pieces.
    const std::size_t k = 1 + random.below(6);
    std::vector<double> least{0};
    for (std::size_t n = 0; n < k; ++n) {
      std::vector<double> next(least.size() + kinds - 1, 1e9);
      for (std::size_t sum = 0; sum < least.size(); ++sum) {
        for (std::size_t x = 1; x < kinds; ++x) {
          next[sum + x] = std::min(next[sum + x], least[sum] + price[x]);
        }
      }
      least = std::move(next);
    }
    for (std::size_t sum = k; sum <= k * (kinds - 1); ++sum) {
      std::vector<PieceCount> pieces;
      CHECK(counted.bound(k, sum, pieces) <= least[sum] + 1e-9);
      double count = 0;
      double total = 0;
      for (const PieceCount& p : pieces) {
        count += p.count;
        total += p.count * static_cast<double>(p.piece);
      }
      CHECK(count == Approx(static_cast<double>(k)));
      CHECK(total == Approx(static_cast<double>(sum)));
    }
  }
}

TEST_CASE("where every zone holds one vertex all is cut, and no more", "[partition]") {
  // Nothing is left to relax: multipliers that are sought nevertheless grow beyond all measure.
  Random random(31);
  for (int i = 0; i < 60; ++i) {
    const auto family = i % 2 == 0 ? fixture::Family::ContextParallel : fixture::Family::Experts;
    const fixture::Instance job =
        fixture::draw_job(random, family, {2 + random.below(3), 2 + random.below(2), 1, 0});
    const std::int64_t all = job.graph.total_weight();
    const std::vector<std::uint32_t> single(job.graph.vertices(), 1);
    const PartitionProblem problem{job.graph, single, job.coordinates};
    for (const std::int64_t steps : {300'000, 1'000'000, 6'000'000}) {
      for (const std::int64_t enough : {all, all + 1, 2 * all}) {
        INFO("job " << i << ", steps " << steps << ", enough " << enough << " of " << all);
        const auto bound = bound_of(problem, steps, enough);
        CHECK((!bound || bound->cut.value <= all));
      }
    }
  }
}

TEST_CASE("a bound goes up to the next sum of edge weights", "[partition]") {
  const auto graph = CommunicationGraph::from_edges(4, {{0, 1, 50}, {1, 2, 44}, {2, 3, 50}});
  CHECK(next_possible_cut(graph, 0) == 0);
  CHECK(next_possible_cut(graph, 1) == 44);
  CHECK(next_possible_cut(graph, 45) == 50);
  CHECK(next_possible_cut(graph, 51) == 88);
  CHECK(next_possible_cut(graph, 89) == 94);
}

TEST_CASE("the next sum of edge weights is soon found where they differ by orders of magnitude",
          "[partition]") {
  constexpr std::int64_t kHeavy = (std::int64_t{1} << 50) + 1;
  const auto graph = CommunicationGraph::from_edges(4, {{0, 1, kHeavy}, {1, 2, 3}, {2, 3, 2}});
  CHECK(next_possible_cut(graph, kHeavy - 1) == kHeavy - 1);
  const auto even = CommunicationGraph::from_edges(4, {{0, 1, kHeavy}, {1, 2, 4}, {2, 3, 2}});
  // It gives up in the end, and goes no further than what is possible.
  CHECK(next_possible_cut(even, kHeavy - 2) >= kHeavy - 2);
  CHECK(next_possible_cut(even, kHeavy - 2) <= kHeavy - 1);
  CHECK(next_possible_cut(even, kHeavy) == kHeavy);
}

TEST_CASE("the bound of open zones holds where weights differ by orders of magnitude",
          "[partition]") {
  constexpr std::int64_t kHeavy = 4'000'000'000'000;
  const auto graph =
      CommunicationGraph::from_edges(4, {{0, 2, kHeavy}, {1, 3, kHeavy}, {0, 1, 2}, {2, 3, 2}});
  const std::vector<Coordinates> coordinates{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}};
  const SlotTree tree{{{0, 0, 0}}, {2, 3, 2}, 0, {10, 1}};
  const auto bound = fixture::bound_by_structure(graph, tree, coordinates);
  REQUIRE(bound);
  CHECK(bound->value <= fixture::brute_force_cut(graph, tree));
  CHECK(bound->value > 0);
}

TEST_CASE("the bound of a graph without coordinates never exceeds the optimum", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 2 + random.below(7);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_zones(random, vertices, random.below(4));
    const auto bound = fixture::bound_by_structure(graph, tree, {});
    RC_ASSERT((bound ? bound->value : 0) <= fixture::brute_force_cut(graph, tree));
  }));
}

TEST_CASE("a job that fits one zone has the bound 0", "[partition]") {
  const auto graph = CommunicationGraph::from_edges(2, {{0, 1, 5}});
  const SlotTree tree{{{0, 0}}, {1, 2}, 0, {10, 1}};
  const auto bound = fixture::bound_by_structure(graph, tree, {});
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
  CHECK(fixture::bound_by_structure(graph, tree, coordinates)->value == 21);
  // Without coordinates it is narrow all the same.
  CHECK(fixture::bound_by_structure(graph, tree, {})->value == 21);
  // Without work only connectedness is known: two edges of a spanning tree.
  CHECK(bound_of({graph, tree.free, {}}, 0)->cut.value == 14);
}

TEST_CASE("which of two axes is the pipeline does not matter to the bound", "[partition]") {
  // Pairs, a ring of 7 replicas and 9 stages: 126 vertices.
  std::vector<CommunicationGraph::Edge> edges;
  std::vector<Coordinates> stages_last;
  std::vector<Coordinates> stages_first;
  const auto at = [](std::uint32_t c, std::uint32_t r, std::uint32_t p) {
    return c + 2 * (r % 7 + 7 * p);
  };
  for (std::uint32_t p = 0; p < 9; ++p) {
    for (std::uint32_t r = 0; r < 7; ++r) {
      edges.push_back({at(0, r, p), at(1, r, p), 1000});
      for (std::uint32_t c = 0; c < 2; ++c) {
        edges.push_back({at(c, r, p), at(c, r + 1, p), 50});
        if (p < 8) edges.push_back({at(c, r, p), at(c, r, p + 1), 9});
        stages_last.push_back({static_cast<int>(c), static_cast<int>(r), static_cast<int>(p)});
        stages_first.push_back({static_cast<int>(c), static_cast<int>(p), static_cast<int>(r)});
      }
    }
  }
  const auto graph = CommunicationGraph::from_edges(126, edges);
  const SlotTree tree{{{0, 0, 0}}, {56, 42, 28}, 0, {10, 1}};
  const auto bound = fixture::bound_by_structure(graph, tree, stages_last);
  CHECK(bound->value == 2 * 14 * 9);
  CHECK(fixture::bound_by_structure(graph, tree, stages_first)->value == bound->value);
  // Nor whether there are coordinates at all.
  CHECK(cut_lower_bound(graph, tree, {})->value == bound->value);
}

TEST_CASE("weights near the limit do not overflow the bound", "[partition]") {
  const std::int64_t weight = std::int64_t{1} << 59;
  const auto graph = CommunicationGraph::from_edges(
      4, {{0, 1, weight}, {1, 2, weight}, {2, 3, weight}, {3, 0, weight}});
  const std::vector<Coordinates> coordinates{{0, 0, 0}, {0, 1, 0}, {0, 2, 0}, {0, 3, 0}};
  const SlotTree tree{{{0, 0}}, {2, 2}, 0, {10, 1}};
  CHECK(fixture::bound_by_structure(graph, tree, coordinates)->value == 2 * weight);
}

TEST_CASE("a gap is relative to the bound", "[partition]") {
  CHECK(relative_gap(0, 0) == 0.0);
  CHECK(relative_gap(11, 10) == Approx(0.1));
  CHECK_FALSE(relative_gap(1, 0));
}
