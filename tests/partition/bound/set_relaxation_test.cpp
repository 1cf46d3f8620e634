#include "bound/set_relaxation.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "bound/bound.hpp"
#include "bound/bound_sets.hpp"
#include "bound/size_cases.hpp"
#include "bound/swept_sets.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "partition/mapping_fixtures.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kQuarter = 4;
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

struct Drawn {
  CommunicationGraph graph;
  SlotTree zones;
  [[nodiscard]] PartitionProblem problem() const { return {graph, zones.free, {}}; }
  [[nodiscard]] Filling filling() const {
    return zones.slots() == graph.vertices() ? Filling::Full : Filling::Open;
  }
};

Drawn draw_job(Random& random, std::size_t slack) {
  const std::size_t vertices = 2 + random.below(8);
  return {fixture::draw_graph(random, vertices), fixture::draw_zones(random, vertices, slack)};
}

/// No zone holds more than all.
std::vector<std::uint32_t> sizes_of(const Drawn& job) {
  std::vector<std::uint32_t> sizes = job.zones.free;
  const auto all = static_cast<std::uint32_t>(job.graph.vertices());
  for (std::uint32_t& size : sizes) size = std::min(size, all);
  return sizes;
}

/// A double binary tree in zones with so many slots.
Drawn tree_of(std::size_t ranks, std::int64_t weight, std::vector<std::uint32_t> slots) {
  std::vector<CommunicationGraph::Edge> edges;
  for (const LineEdge& edge : fixture::double_tree(ranks, weight)) {
    edges.push_back({edge.low, edge.high, edge.weight});
  }
  const std::vector<std::uint32_t> roots(slots.size(), 0);
  return {CommunicationGraph::from_edges(ranks, std::move(edges)),
          {{roots}, std::move(slots), 0, {10, 1}}};
}

std::int64_t least_found(const Drawn& job) {
  const Mapping mapping = map_vertices(job.graph, job.zones, {}, {.effort = Effort::Balanced});
  return measure(job.graph, job.zones, mapping.slot).zone_cut;
}

std::vector<LineEdge> edges_of(const CommunicationGraph& graph) {
  std::vector<LineEdge> edges;
  for (std::uint32_t v = 0; v < graph.vertices(); ++v) {
    for (const CommunicationGraph::Neighbour& to : graph.neighbours(v)) {
      if (v < to.vertex) edges.push_back({v, to.vertex, kQuarter * to.weight});
    }
  }
  return edges;
}

std::optional<SharedBound> bound_by_sets(const Drawn& job, std::int64_t steps,
                                         std::int64_t enough = kUnknown) {
  WorkBudget budget(steps);
  return sets_bound(job.problem(), WeightUnit(), budget, 0, enough);
}

}  // namespace

TEST_CASE("whatever vertices are worth, zones as sets bound the cut", "[partition]") {
  Random random(31);
  int positive = 0;
  for (int i = 0; i < 2000; ++i) {
    const Drawn job = draw_job(random, i % 3 == 0 ? 3 : 0);
    const std::int64_t optimum = fixture::brute_force_cut(job.graph, job.zones);
    const std::size_t vertices = job.graph.vertices();
    const Fineness fineness = i % 2 == 0 ? Fineness::Bits16 : Fineness::Bits32;
    const std::vector<std::uint32_t> sizes = sizes_of(job);
    auto sets = SweptSets::make(std::vector<std::uint32_t>(vertices, 1), edges_of(job.graph),
                                std::ranges::max(sizes), 1 << 20, fineness);
    REQUIRE(sets);
    SetRelaxation relaxation(*sets, sizes, job.filling());
    for (const std::uint64_t most : {1U, 10U, 1000U, 1000000U}) {
      PieceMultipliers prices;
      for (std::size_t v = 0; v < vertices; ++v) {
        prices.piece.push_back(static_cast<double>(random.below(2 * most)) / 2 -
                               static_cast<double>(most) / 4);
      }
      PieceViolation violation;
      const double bound = relaxation.solve(prices, violation);
      INFO("job " << i << ", prices up to " << most);
      REQUIRE(bound <= static_cast<double>(kQuarter * optimum));
      if (bound > 0) ++positive;
    }
  }
  CHECK(positive > 500);
}

TEST_CASE("the bound by sets never exceeds the optimum, and mostly is it", "[partition]") {
  Random random(32);
  int positive = 0;
  int tight = 0;
  for (int i = 0; i < 1500; ++i) {
    const Drawn job = draw_job(random, i % 2 == 0 ? 0 : 4);
    const std::int64_t optimum = fixture::brute_force_cut(job.graph, job.zones);
    const auto bound = bound_by_sets(job, 1'000'000);
    INFO("job " << i);
    if (job.graph.edges() == 0) {
      REQUIRE(!bound);
      continue;
    }
    REQUIRE(bound);
    REQUIRE(bound->quarters <= kQuarter * optimum);
    if (!bound->shares.empty()) {
      CHECK(job.filling() == Filling::Open);
      CHECK(std::reduce(bound->shares.begin(), bound->shares.end(), std::size_t{0}) ==
            job.graph.vertices());
      for (std::size_t z = 0; z < bound->shares.size(); ++z) {
        CHECK(bound->shares[z] <= job.zones.free[z]);
      }
    }
    if (optimum == 0) continue;
    ++positive;
    if (bound->quarters > kQuarter * (optimum - 1)) ++tight;
  }
  CHECK(positive > 600);
  CHECK(tight > positive * 3 / 4);
}

TEST_CASE("case by case of sizes, whatever vertices are worth, sets bound the cut", "[partition]") {
  Random random(34);
  int positive = 0;
  int higher = 0;
  int tight = 0;
  for (int i = 0; i < 1500; ++i) {
    const Drawn job = draw_job(random, 2 + random.below(5));
    const std::int64_t optimum = fixture::brute_force_cut(job.graph, job.zones);
    const std::size_t vertices = job.graph.vertices();
    const std::vector<std::uint32_t> sizes = sizes_of(job);
    auto sets = SweptSets::make(std::vector<std::uint32_t>(vertices, 1), edges_of(job.graph),
                                std::ranges::max(sizes), 1 << 20, Fineness::Bits32);
    REQUIRE(sets);
    SetRelaxation relaxation(*sets, sizes, Filling::Open);
    WorkBudget budget(4'000'000);
    Ascent ascent(relaxation, budget, 0, 1e18);
    if (i % 2 == 0) ascent.climb_evenly(200, 0.05);
    SizeCases cases(relaxation, budget, ascent.best_multipliers(), ascent.best());
    const double bound = cases.run(1e18);
    INFO("job " << i);
    REQUIRE(bound <= static_cast<double>(kQuarter * optimum));
    REQUIRE(bound >= ascent.best());
    // All sizes are allowed again.
    PieceViolation violation;
    REQUIRE(relaxation.solve(ascent.best_multipliers(), violation) <=
            static_cast<double>(kQuarter * optimum));
    if (optimum == 0 || i % 2 == 1) continue;
    ++positive;
    if (bound > ascent.best() + 1) ++higher;
    if (bound > static_cast<double>(kQuarter * (optimum - 1))) ++tight;
  }
  CHECK(higher > 5);
  CHECK(tight > positive * 9 / 10);
}

TEST_CASE("where slots are to spare, sizes that would mix are bounded case by case",
          "[partition]") {
  const Drawn job = tree_of(48, 100, {21, 17, 14, 13, 8});
  const auto bound = bound_by_sets(job, 300'000'000);
  REQUIRE(bound);
  CHECK(bound->quarters > kQuarter * (least_found(job) - 10));
}

TEST_CASE("double binary trees without a pipeline are proven", "[partition]") {
  const Drawn job = tree_of(32, 5, {13, 8, 6, 5});
  const auto bound = bound_by_sets(job, 50'000'000);
  REQUIRE(bound);
  const std::int64_t cut = least_found(job);
  CHECK(cut == 55);
  CHECK(bound->quarters > kQuarter * (cut - 1));
}

TEST_CASE("the bound by sets ends at what is enough, and needs narrow traffic", "[partition]") {
  Random random(33);
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t v = 0; v + 2 < 60; ++v) {
    edges.push_back({v, v + 1, 7});
    edges.push_back({v, v + 2, 1 + static_cast<std::int64_t>(random.below(5))});
  }
  Drawn job{CommunicationGraph::from_edges(60, edges), {{{0, 0, 0}}, {25, 20, 15}, 0, {10, 1}}};
  const auto all = bound_by_sets(job, 100'000'000);
  REQUIRE(all);
  WorkBudget budget(100'000'000);
  const auto some = sets_bound(job.problem(), WeightUnit(), budget, 0, all->quarters / 2);
  REQUIRE(some);
  CHECK(some->quarters >= all->quarters / 2);
  CHECK(budget.left() > 50'000'000);
  // Too few steps for ten solutions.
  CHECK_FALSE(bound_by_sets(job, 1000));
  // Forty vertices of a clique lie open.
  for (std::uint32_t u = 0; u < 40; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) edges.push_back({u, v, 1});
  }
  job.graph = CommunicationGraph::from_edges(60, edges);
  CHECK_FALSE(bound_by_sets(job, 100'000'000));
}
