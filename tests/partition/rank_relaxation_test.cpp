#include "rank_relaxation.hpp"

#include <algorithm>
#include <bit>

#include "binary_tree.hpp"
#include "bound_ranks.hpp"
#include "enumerated_cuts.hpp"
#include "mapping_fixtures.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::between;

namespace {

constexpr std::int64_t kQuarter = 4;
constexpr std::size_t kSteps = 4'000'000;

std::int64_t below(Random& random, std::uint64_t most) {
  return static_cast<std::int64_t>(random.below(most));
}

std::vector<LineEdge> double_tree(std::size_t ranks, std::int64_t weight) {
  std::vector<LineEdge> edges;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (const auto up = tree_parent(rank, ranks)) edges.push_back(between(rank, *up, weight));
    if (const auto up = second_tree_parent(rank, ranks)) {
      edges.push_back(between(rank, *up, weight));
    }
  }
  return edges;
}

/// The trees of a collective, or any graph.
std::vector<LineEdge> draw_lines(Random& random, std::size_t ranks) {
  if (random.below(2) == 0) return double_tree(ranks, 1 + below(random, 20));
  std::vector<LineEdge> edges{between(0, ranks - 1, 1 + below(random, 9))};
  for (std::size_t e = 0; e < 2 * ranks; ++e) {
    const std::size_t u = random.below(ranks);
    const std::size_t v = random.below(ranks);
    if (u != v) edges.push_back(between(u, v, below(random, 9)));
  }
  return edges;
}

/// Ranks along axis 1, stages along axis 2, as grid_traffic.hpp has them.
struct TreeJob {
  GridTraffic grid;
  fixture::Instance instance;
  std::vector<std::uint32_t> sizes;
};

TreeJob job_of(std::size_t ranks, std::size_t stages, std::int64_t step, std::int64_t wrap,
               std::vector<LineEdge> lines, std::vector<std::uint32_t> sizes) {
  TreeJob job;
  job.grid.size = {1, static_cast<std::uint32_t>(ranks), static_cast<std::uint32_t>(stages)};
  job.grid.step[2] = step;
  job.grid.wrap[2] = wrap;
  std::vector<CommunicationGraph::Edge> edges;
  const auto at = [&](std::size_t rank, std::size_t stage) {
    return static_cast<std::uint32_t>(rank + ranks * stage);
  };
  for (std::size_t stage = 0; stage < stages; ++stage) {
    for (const LineEdge& e : lines) {
      edges.push_back({at(e.low, stage), at(e.high, stage), e.weight});
    }
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      if (stage + 1 < stages) edges.push_back({at(rank, stage), at(rank, stage + 1), step});
      if (stage + 1 == stages && wrap > 0) edges.push_back({at(rank, stage), at(rank, 0), wrap});
      job.instance.coordinates.push_back({0, static_cast<int>(rank), static_cast<int>(stage)});
    }
  }
  job.instance.graph = CommunicationGraph::from_edges(ranks * stages, std::move(edges));
  job.instance.tree = {{std::vector<std::uint32_t>(sizes.size(), 0)}, sizes, 0, {10, 1}};
  job.grid.lines = std::move(lines);
  job.sizes = std::move(sizes);
  return job;
}

/// With `slack`, zones hold up to so many vertices more than there are.
TreeJob draw_job(Random& random, std::size_t slack = 0) {
  const std::size_t stages = 2 + random.below(3);
  const std::size_t ranks = 2 + random.below(10 / stages - 1);
  const std::int64_t step = 1 + below(random, 20);
  const std::int64_t wraps[] = {0, step, below(random, static_cast<std::uint64_t>(step))};
  const std::int64_t wrap = stages > 2 ? wraps[random.below(3)] : 0;
  std::vector<std::uint32_t> sizes(2 + random.below(3), 0);
  const std::size_t more = slack == 0 ? 0 : 1 + random.below(slack);
  for (std::size_t v = 0; v < ranks * stages + more; ++v) ++sizes[random.below(sizes.size())];
  return job_of(ranks, stages, step, wrap, draw_lines(random, ranks), std::move(sizes));
}

RowLine line_of(const TreeJob& job) {
  return {job.grid.size[2], job.grid.size[1], kQuarter * job.grid.step[2],
          kQuarter * job.grid.wrap[2]};
}

std::vector<LineEdge> in_quarters_of(std::vector<LineEdge> edges) {
  for (LineEdge& edge : edges) edge.weight *= kQuarter;
  return edges;
}

std::uint32_t mirrored(std::uint32_t set, std::size_t length) {
  std::uint32_t image = 0;
  for (std::size_t v = 0; v < length; ++v) image |= (set >> v & 1U) << (length - 1 - v);
  return image;
}

std::int64_t cut_of(std::uint32_t set, const std::vector<LineEdge>& edges) {
  std::int64_t cut = 0;
  for (const LineEdge& e : edges) {
    if ((set >> e.low & 1U) != (set >> e.high & 1U)) cut += e.weight;
  }
  return cut;
}

std::vector<std::uint32_t> listed_sets(const LowCuts& cuts) {
  std::vector<std::uint32_t> found;
  for (const LowCuts::Set& set : cuts.sets) {
    std::uint32_t bits = 0;
    for (std::uint32_t run = 0; run < set.runs; ++run) {
      const std::uint32_t* end = &cuts.ends[set.first + 2 * run];
      for (std::uint32_t v = end[0]; v < end[1]; ++v) bits |= 1U << v;
    }
    found.push_back(bits);
  }
  return found;
}

bool is_palindrome(const LowCuts& cuts, const LowCuts::Set& set) {
  for (std::uint32_t i = 0; i < 2 * set.runs; ++i) {
    const std::uint32_t last = cuts.ends[set.first + 2 * set.runs - 1 - i];
    if (cuts.ends[set.first + i] + last != cuts.length) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("the sets that cut little are those of enumeration", "[partition]") {
  Random random(21);
  std::size_t listed = 0;
  for (int i = 0; i < 400; ++i) {
    const std::size_t length = 2 + random.below(9);
    const std::vector<LineEdge> edges = draw_lines(random, length);
    const std::size_t largest = 1 + random.below(length);
    const auto cuts = low_cuts(length, edges, 1 + random.below(200), largest, kSteps);
    if (!cuts) continue;
    INFO("graph " << i);
    const std::vector<std::uint32_t> found = listed_sets(*cuts);
    listed += found.size();
    for (std::size_t s = 0; s < found.size(); ++s) {
      CHECK(cuts->sets[s].cut == cut_of(found[s], edges));
      CHECK(cuts->sets[s].size == static_cast<std::uint32_t>(std::popcount(found[s])));
    }
    for (std::uint32_t set = 1; set < 1U << length; ++set) {
      const auto times = std::ranges::count(found, set);
      const auto image = std::ranges::count(found, mirrored(set, length));
      const bool same = mirrored(set, length) == set;
      const auto seen = cuts->mirrored && !same ? times + image : times;
      const bool small = static_cast<std::size_t>(std::popcount(set)) <= largest;
      REQUIRE(seen == (small && cut_of(set, edges) < cuts->others ? 1 : 0));
    }
  }
  CHECK(listed > 5000);
}

TEST_CASE("of 128 ranks of NCCL's trees few sets cut few edges", "[partition]") {
  const auto cuts = low_cuts(128, double_tree(128, 7), 2000, 128, kSteps);
  REQUIRE(cuts);
  CHECK(cuts->mirrored);
  CHECK(cuts->others == 8 * 7);
  // Both of a set and its mirror image.
  std::size_t sets = 0;
  for (const LowCuts::Set& set : cuts->sets) sets += is_palindrome(*cuts, set) ? 1U : 2U;
  CHECK(sets == 3781);
  CHECK_FALSE(low_cuts(128, double_tree(128, 7), 2000, 128, cuts->steps - 1));
}

TEST_CASE("no prices of ranks lift the bound above the optimum", "[partition]") {
  Random random(22);
  int solved = 0;
  for (int i = 0; i < 700; ++i) {
    const TreeJob job = draw_job(random);
    const auto cuts = low_cuts(job.grid.size[1], in_quarters_of(job.grid.lines),
                               1 + random.below(60), job.grid.size[1], kSteps);
    if (!cuts) continue;
    const std::int64_t optimum = fixture::brute_force_cut(job.instance.graph, job.instance.tree);
    RankRelaxation relaxation(line_of(job), *cuts, job.sizes);
    PieceMultipliers multipliers;
    PieceViolation violation;
    for (int draw = 0; draw < 4; ++draw) {
      multipliers.piece.assign(relaxation.pieces(), 0);
      for (double& price : multipliers.piece) {
        price = draw == 0 ? 0 : static_cast<double>(random.below(200)) / 2 - 20;
      }
      INFO("job " << i << ", draw " << draw);
      REQUIRE(relaxation.solve(multipliers, violation) <= static_cast<double>(kQuarter * optimum));
      ++solved;
    }
  }
  CHECK(solved > 1500);
}

TEST_CASE("the bound by ranks never exceeds the optimum, and often is it", "[partition]") {
  Random random(23);
  int positive = 0;
  int tight = 0;
  for (int i = 0; i < 700; ++i) {
    const TreeJob job = draw_job(random);
    const std::int64_t optimum = fixture::brute_force_cut(job.instance.graph, job.instance.tree);
    WorkBudget budget(3'000'000);
    const auto quarters = ranks_bound(job.grid, job.sizes, Filling::Full, budget, 1'000'000'000);
    INFO("job " << i);
    REQUIRE(quarters.value_or(0) <= kQuarter * optimum);
    if (optimum == 0) continue;
    ++positive;
    // Sums of prices are rounded down.
    if (quarters.value_or(0) > kQuarter * (optimum - 1)) ++tight;
  }
  CHECK(positive > 500);
  CHECK(tight > positive / 2);
}

TEST_CASE("with slots to spare the bound by ranks never exceeds the optimum", "[partition]") {
  Random random(24);
  int positive = 0;
  int known = 0;
  for (int i = 0; i < 500; ++i) {
    const TreeJob job = draw_job(random, 4);
    const std::int64_t optimum = fixture::brute_force_cut(job.instance.graph, job.instance.tree);
    WorkBudget budget(3'000'000);
    const auto quarters = ranks_bound(job.grid, job.sizes, Filling::Open, budget, 1'000'000'000);
    INFO("job " << i);
    REQUIRE(quarters.value_or(0) <= kQuarter * optimum);
    if (optimum == 0) continue;
    ++positive;
    if (quarters.value_or(0) > 3 * optimum) ++known;
    // Any prices, as above.
    const auto cuts = low_cuts(job.grid.size[1], in_quarters_of(job.grid.lines),
                               1 + random.below(60), job.grid.size[1], kSteps);
    if (!cuts) continue;
    RankRelaxation relaxation(line_of(job), *cuts, job.sizes, Filling::Open);
    PieceMultipliers multipliers;
    PieceViolation violation;
    multipliers.piece.assign(relaxation.pieces(), 0);
    for (double& price : multipliers.piece) price = static_cast<double>(random.below(200)) / 2 - 20;
    REQUIRE(relaxation.solve(multipliers, violation) <= static_cast<double>(kQuarter * optimum));
  }
  CHECK(positive > 300);
  CHECK(known > positive / 2);
}

TEST_CASE("of every size a zone costs the same whether others are asked for or not",
          "[partition]") {
  Random random(25);
  for (int i = 0; i < 200; ++i) {
    const TreeJob job = draw_job(random);
    const RowLine line = line_of(job);
    const auto largest = static_cast<std::uint32_t>(line.rows * line.length);
    StageShapes::Costs cost((line.rows + 1) / 2, std::vector<double>(line.length + 1, 0));
    for (std::vector<double>& costs : cost) {
      for (std::size_t x = 1; x < costs.size(); ++x) {
        costs[x] = static_cast<double>(random.below(100)) - 30;
      }
    }
    StageShapes open(line, std::vector{largest}, Filling::Open);
    open.choose(cost);
    for (std::uint32_t size = 1; size <= largest; ++size) {
      StageShapes shapes(line, std::vector{size, largest});
      shapes.choose(cost);
      CHECK(shapes.zones().front().cost == Approx(open.by_size()[size]).margin(1e-9));
    }
  }
}

TEST_CASE("trees over four equal zones are certified", "[partition]") {
  const TreeJob job = job_of(32, 8, 1500, 0, double_tree(32, 2600), {64, 64, 64, 64});
  const Mapping mapping = map_vertices(job.instance.graph, job.instance.tree,
                                       job.instance.coordinates, {Effort::Fast, 1, 1});
  CHECK(mapping.cost.zone_cut == 131'200);
  REQUIRE(mapping.bound);
  CHECK(mapping.bound->value == 131'200);
}

TEST_CASE("what longer trees must cut is known to a few percent", "[partition]") {
  // Zones of half a quarter of the ranks each: 10 edges of every stage and 128 of the middle.
  const TreeJob equal =
      job_of(128, 8, 300, 150, double_tree(128, 1100), std::vector<std::uint32_t>(8, 128));
  const auto bound =
      cut_lower_bound(equal.instance.graph, equal.instance.tree, equal.instance.coordinates);
  REQUIRE(bound);
  CHECK(bound->value <= 145'600);
  CHECK(bound->value > 143'000);
}
