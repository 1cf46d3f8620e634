#include "exact/exact_search.hpp"

#include <limits>
#include <utility>

#include "partition/mapping_fixtures.hpp"
#include "shares.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max();

/// A graph of any kind, and zones for it with slots to spare or without.
struct AnyJob {
  CommunicationGraph graph;
  SlotTree tree;

  AnyJob(Random& random, std::size_t vertices)
      : graph(fixture::draw_graph(random, vertices)),
        tree(fixture::draw_zones(random, vertices, random.below(3))) {}

  [[nodiscard]] PartitionProblem problem() const {
    return {graph, room_of_zones(tree, graph.vertices()), {}};
  }
};

/// Zones filled one after the other.
Partition in_order(const PartitionProblem& problem) {
  Partition result;
  for (std::uint32_t p = 0; p < problem.parts(); ++p) {
    for (std::uint32_t i = 0; i < problem.capacity[p]; ++i) {
      if (result.part.size() < problem.graph.vertices()) result.part.push_back(p);
    }
  }
  result.cut = cut_weight(problem.graph, result.part);
  return result;
}

void check_valid(const PartitionProblem& problem, const Partition& partition) {
  std::vector<std::uint32_t> size(problem.parts(), 0);
  for (const std::uint32_t p : partition.part) ++size.at(p);
  for (std::size_t p = 0; p < size.size(); ++p) CHECK(size[p] <= problem.capacity[p]);
  CHECK(partition.cut == cut_weight(problem.graph, partition.part));
}

/// Jobs of up to nine vertices and their optimum.
template <class Check>
void for_each_job(std::uint64_t seed, const Check& check) {
  Random random(seed);
  for (int i = 0; i < 600; ++i) {
    INFO("job " << i);
    const AnyJob job(random, 1 + random.below(9));
    check(random, job.problem(), fixture::brute_force_cut(job.graph, job.tree));
  }
}

}  // namespace

TEST_CASE("branch and bound comes to the optimum from any partition", "[partition]") {
  for_each_job(11, [](Random&, const PartitionProblem& problem, std::int64_t optimum) {
    Partition best = in_order(problem);
    ExactSearch search(problem);
    WorkBudget budget(kUnlimited);
    search.run(best, 0, budget);
    check_valid(problem, best);
    CHECK(best.cut == optimum);
    CHECK(search.bound() == optimum);
  });
}

TEST_CASE("what branch and bound has proven so far is never above the optimum", "[partition]") {
  int unfinished = 0;
  for_each_job(12, [&](Random& random, const PartitionProblem& problem, std::int64_t optimum) {
    Partition best = in_order(problem);
    ExactSearch search(problem);
    // A turn grows with every round, so small budgets come to an end too.
    for (std::int64_t most = 1; best.cut > search.bound(); most *= 2) {
      WorkBudget budget(1 +
                        static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(most))));
      const std::int64_t before = search.bound();
      search.run(best, 0, budget);
      check_valid(problem, best);
      CHECK(search.bound() >= before);
      CHECK(search.bound() <= optimum);
      CHECK(best.cut >= optimum);
      if (best.cut > search.bound()) ++unfinished;
    }
    CHECK(best.cut == optimum);
  });
  CHECK(unfinished > 600);
}

TEST_CASE("a bound from elsewhere ends branch and bound", "[partition]") {
  for_each_job(13, [](Random&, const PartitionProblem& problem, std::int64_t optimum) {
    Partition best = in_order(problem);
    ExactSearch search(problem);
    WorkBudget budget(kUnlimited);
    search.run(best, optimum, budget);
    check_valid(problem, best);
    CHECK(best.cut == optimum);
    CHECK(search.bound() <= optimum);
  });
}

TEST_CASE("up to twenty vertices every cut is proven, whatever the traffic", "[partition]") {
  Random random(14);
  for (int i = 0; i < 40; ++i) {
    INFO("job " << i);
    const AnyJob job(random, 13 + random.below(8));
    const Mapping mapping = map_vertices(job.graph, job.tree, {}, {.effort = Effort::Balanced});
    REQUIRE(mapping.bound.has_value());
    CHECK(mapping.bound->value == mapping.cost.zone_cut);
    CHECK(fixture::respects_capacities(mapping, job.tree));
  }
}

TEST_CASE("the bound alone is the optimum, too, whatever the traffic", "[partition]") {
  for_each_job(16, [](Random&, const PartitionProblem& problem, std::int64_t optimum) {
    const SlotTree tree{
        {std::vector<std::uint32_t>(problem.parts(), 0)}, problem.capacity, 0, {10, 1}};
    CHECK(cut_lower_bound(problem.graph, tree, {}).value().value == optimum);
  });
}

TEST_CASE("as many vertices and zones as branch and bound takes are no trouble", "[partition]") {
  Random random(15);
  for (const std::size_t parts : {std::size_t{2}, std::size_t{9}, kMostExactVertices}) {
    const CommunicationGraph graph = fixture::draw_graph(random, kMostExactVertices);
    PartitionProblem problem{graph, {}, {}};
    const std::size_t each = (kMostExactVertices + parts - 1) / parts;
    problem.capacity.assign(parts, static_cast<std::uint32_t>(each));
    problem.capacity.push_back(0);
    Partition best = in_order(problem);
    const std::int64_t before = best.cut;
    ExactSearch search(problem);
    WorkBudget budget(3'000'000);
    search.run(best, 0, budget);
    check_valid(problem, best);
    CHECK(best.cut <= before);
    CHECK(search.bound() <= best.cut);
    CHECK((budget.spent() || search.bound() == best.cut));
  }
}
