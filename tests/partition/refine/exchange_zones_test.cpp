#include "refine/exchange_zones.hpp"

#include <algorithm>
#include <numeric>

#include "effort_plan.hpp"
#include "nearest_zones.hpp"
#include "partition/mapping_families.hpp"
#include "partition/mapping_fixtures.hpp"
#include "shares.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// Zones of these sizes in two or three buildings of two and more.
SlotTree in_buildings(Random& random, std::vector<std::uint32_t> sizes) {
  SlotTree tree;
  tree.parent = {{}, {}};
  const std::size_t buildings = std::min<std::size_t>(2 + random.below(2), sizes.size() / 2);
  tree.parent[0].assign(buildings, 0);
  for (std::uint32_t zone = 0; zone < sizes.size(); ++zone) {
    tree.parent[1].push_back(static_cast<std::uint32_t>(zone * buildings / sizes.size()));
  }
  tree.free = std::move(sizes);
  tree.cut_level = 1;
  tree.distance = {100, 10, 1};
  return tree;
}

}  // namespace

TEST_CASE("exchanges put a few zones where J is least", "[partition]") {
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    Random random(seed);
    const std::size_t zones = 4 + random.below(3);
    const CommunicationGraph graph = fixture::draw_graph(random, zones * (1 + random.below(4)));
    const SlotTree tree = in_buildings(
        random,
        std::vector<std::uint32_t>(zones, static_cast<std::uint32_t>(graph.vertices() / zones)));
    std::vector<std::uint32_t> zone(graph.vertices());
    for (std::uint32_t v = 0; v < zone.size(); ++v) zone[v] = v % static_cast<std::uint32_t>(zones);
    std::vector<std::uint32_t> stands(zones);
    std::iota(stands.begin(), stands.end(), 0u);
    double least = cost_between_zones(graph, tree, zone);
    do {
      std::vector<std::uint32_t> other = zone;
      for (std::uint32_t& z : other) z = stands[z];
      least = std::min(least, cost_between_zones(graph, tree, other));
    } while (std::ranges::next_permutation(stands).found);
    exchange_zones(graph, tree, zone);
    CAPTURE(seed);
    CHECK(cost_between_zones(graph, tree, zone) == Approx(least));
  }
}

TEST_CASE("of partitions that cut as little the one with the least J is taken", "[partition]") {
  std::size_t nearer = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    Random random(seed);
    const fixture::Family family = fixture::kFamilies[seed % fixture::kFamilies.size()];
    const fixture::Instance job =
        fixture::draw_job(random, family, fixture::draw_large_shape(random, family, 24, 96));
    std::vector<std::uint32_t> sizes(4 + random.below(4), 1);
    for (std::size_t i = sizes.size(); i < job.graph.vertices() + 4; ++i)
      ++sizes[random.below(sizes.size())];
    const SlotTree tree = in_buildings(random, std::move(sizes));
    const EffortPlan plan = effort_plan(Effort::Fast, job.graph.vertices());
    const PartitionProblem problem{job.graph, tree.free, job.coordinates};
    const std::vector<Shares> choices{fewest_parts(tree.free, job.graph.vertices())};
    const Partition found = find_partition(problem, choices, plan.zones.front(), {});
    std::vector<std::uint32_t> exchanged = found.part;
    exchange_zones(job.graph, tree, exchanged);

    const Partition nearest = nearest_zones(problem, tree, plan.zones.front(), 4, {}, found);
    CAPTURE(seed);
    CHECK(nearest.cut <= found.cut);
    CHECK(nearest.cut == cut_weight(job.graph, nearest.part));
    for (std::uint32_t z = 0; z < tree.free.size(); ++z)
      CHECK(std::ranges::count(nearest.part, z) <= std::int64_t{tree.free[z]});
    const double before = cost_between_zones(job.graph, tree, exchanged);
    const double now = cost_between_zones(job.graph, tree, nearest.part);
    if (nearest.cut == found.cut) CHECK(now <= before);
    if (nearest.cut == found.cut && now < 0.99 * before) ++nearer;
  }
  CHECK(nearer > 0);
}
