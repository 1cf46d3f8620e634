#include <rapidcheck.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "find_partition.hpp"
#include "metis_bisections.hpp"
#include "partition/mapping_families.hpp"
#include "partition/mapping_fixtures.hpp"
#include "refine/divide_anew.hpp"
#include "refine/refine_cycles.hpp"
#include "refine/refine_distance.hpp"
#include "refine/refine_pairs.hpp"
#include "refine/refine_search.hpp"
#include "refine/repair.hpp"
#include "shares.hpp"
#include "starts/slicing_forest.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// What comes to stdout, by whatever means, while this lives.
class WrittenToStdout {
 public:
  WrittenToStdout() : file_(std::tmpfile()) {
    std::fflush(stdout);
    dup2(fileno(file_), STDOUT_FILENO);
  }
  ~WrittenToStdout() {
    std::fflush(stdout);
    dup2(before_, STDOUT_FILENO);
    close(before_);
    std::fclose(file_);
  }
  WrittenToStdout(const WrittenToStdout&) = delete;
  WrittenToStdout& operator=(const WrittenToStdout&) = delete;

  [[nodiscard]] long bytes() const {
    std::fflush(stdout);
    return static_cast<long>(lseek(fileno(file_), 0, SEEK_END));
  }

 private:
  int before_ = dup(STDOUT_FILENO);
  std::FILE* file_;
};

struct Drawn {
  CommunicationGraph graph;
  PartitionProblem problem;
  std::vector<std::uint32_t> part;  ///< respects the capacities

  explicit Drawn(Random& random)
      : graph(fixture::draw_graph(random, 4 + random.below(40))), problem{graph, {}, {}} {
    const SlotTree zones = fixture::draw_zones(random, graph.vertices(), random.below(6));
    problem.capacity = zones.free;
    for (std::uint32_t p = 0; p < problem.parts(); ++p) {
      part.insert(part.end(), problem.capacity[p], p);
    }
    random.shuffle(std::span(part));
    part.resize(graph.vertices());
  }
  Drawn(const Drawn&) = delete;
  Drawn& operator=(const Drawn&) = delete;
};

bool fits(const WorkingPartition& partition) {
  for (std::size_t p = 0; p < partition.parts(); ++p) {
    if (partition.room(p) < 0) return false;
  }
  return true;
}

bool cut_is_true(const WorkingPartition& partition) {
  return partition.cut() == cut_weight(partition.graph(), partition.all());
}

/// `refine` keeps capacities, keeps its books and never worsens the cut; returns how often it
/// helped.
template <class Refine>
int helps_and_never_harms(Refine refine) {
  int helped = 0;
  CHECK(rc::check([&] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Drawn drawn(random);
    WorkingPartition partition(drawn.problem, drawn.part);
    const std::int64_t before = partition.cut();
    WorkBudget budget(200'000);
    refine(partition, random, budget);
    RC_ASSERT(fits(partition));
    RC_ASSERT(cut_is_true(partition));
    RC_ASSERT(partition.cut() <= before);
    if (partition.cut() < before) ++helped;
  }));
  return helped;
}

}  // namespace

TEST_CASE("what moves and is taken back leaves books that are true", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Drawn drawn(random);
    WorkingPartition partition(drawn.problem, drawn.part);
    std::vector<WorkingPartition::Record> moves;
    const auto books_are_true = [&] {
      const WorkingPartition anew(drawn.problem, {partition.all().begin(), partition.all().end()});
      for (std::size_t p = 0; p < partition.parts(); ++p) {
        RC_ASSERT(partition.border(p) == anew.border(p));
        RC_ASSERT(partition.members(p).size() == anew.members(p).size());
        for (const std::uint32_t v : partition.members(p)) RC_ASSERT(partition.part(v) == p);
      }
      RC_ASSERT(partition.cut() == anew.cut());
    };
    partition.begin_journal();
    for (int i = 0; i < 40; ++i) {
      if (!moves.empty() && random.below(3) == 0) {
        partition.take_back(moves.back());
        moves.pop_back();
      } else {
        const auto v = static_cast<std::uint32_t>(random.below(drawn.graph.vertices()));
        moves.push_back(
            partition.move(v, static_cast<std::uint32_t>(random.below(partition.parts()))));
      }
      books_are_true();
    }
    partition.roll_back_to(partition.journal().size() / 2);
    books_are_true();
    partition.roll_back();
    books_are_true();
    RC_ASSERT(std::ranges::equal(partition.all(), drawn.part));
  }));
}

TEST_CASE("pair passes never make the cut worse", "[partition]") {
  CHECK(helps_and_never_harms([](WorkingPartition& partition, Random&, WorkBudget& budget) {
          PairRefinement(partition, 16).improve_all(budget);
        }) > 50);
}

TEST_CASE("cycles never make the cut worse", "[partition]") {
  CHECK(helps_and_never_harms([](WorkingPartition& partition, Random&, WorkBudget& budget) {
          refine_cycles(partition, budget);
        }) > 10);
}

TEST_CASE("after turns of pairs and cycles neither finds anything, seen anew", "[partition]") {
  int cycles = 0;
  CHECK(rc::check([&] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const Drawn drawn(random);
    WorkingPartition partition(drawn.problem, drawn.part);
    WorkBudget budget(100'000'000);
    const auto turn_cycles = [&] {
      const std::vector<std::uint32_t> before(partition.all().begin(), partition.all().end());
      const std::vector<std::uint32_t> changed = refine_cycles(partition, budget);
      // All that differ are among them.
      for (std::size_t v = 0; v < before.size(); ++v) {
        if (before[v] == partition.part(v)) continue;
        RC_ASSERT(std::ranges::binary_search(changed, before[v]));
        RC_ASSERT(std::ranges::binary_search(changed, partition.part(v)));
      }
      if (!changed.empty()) ++cycles;
      RC_ASSERT(refine_cycles(partition, budget).empty());
      return changed;
    };
    turn_cycles();
    PairRefinement pairs(partition, PairRefinement::kPatience);
    pairs.improve_all(budget);
    for (auto changed = turn_cycles(); !changed.empty(); changed = turn_cycles()) {
      pairs.improve_around(changed, budget);
    }
    RC_ASSERT(!budget.spent());
    const std::int64_t cut = partition.cut();
    PairRefinement(partition, PairRefinement::kPatience).improve_all(budget);
    RC_ASSERT(partition.cut() == cut);
  }));
  CHECK(cycles > 20);
}

TEST_CASE("a search ends where passes over pairs find nothing, whatever balls moved last",
          "[partition]") {
  const PartitionEffort effort{
      .metis_starts = 1, .polish_steps = 10'000'000, .search_steps = 1'000'000, .kept = 2};
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    Random random(seed);
    const CommunicationGraph graph = fixture::draw_graph(random, 30 + random.below(60));
    const std::vector<std::uint32_t> zones = fixture::draw_zones(random, graph.vertices(), 0).free;
    const PartitionProblem problem{graph, zones, {}};
    const std::vector<Shares> choices{zones};
    const Partition found = find_partition(problem, choices, effort, {.seed = seed});
    WorkingPartition partition(problem, found.part);
    WorkBudget budget(10'000'000);
    PairRefinement(partition, PairRefinement::kPatience).improve_all(budget);
    CAPTURE(seed);
    CHECK(partition.cut() == found.cut);
  }
}

TEST_CASE("ball search never makes the cut worse", "[partition]") {
  CHECK(helps_and_never_harms([](WorkingPartition& partition, Random& random, WorkBudget& budget) {
          search_by_balls(partition, random, budget, 0);
        }) > 50);
}

TEST_CASE("parts divided anew never make the cut worse, however badly they are divided",
          "[partition]") {
  CHECK(helps_and_never_harms([](WorkingPartition& partition, Random& random, WorkBudget& budget) {
          const DivideParts badly = [](const PartitionProblem& problem, const Shares& shares,
                                       std::uint64_t seed) {
            Partition division;
            for (std::uint32_t p = 0; p < shares.size(); ++p) {
              division.part.insert(division.part.end(), shares[p], p);
            }
            Random(seed).shuffle(std::span(division.part));
            division.cut = cut_weight(problem.graph, division.part);
            return division;
          };
          divide_anew(partition, random, 1000, budget, 0, badly);
        }) > 20);
}

TEST_CASE("dividing a few parts at a time mends a poor partition", "[partition]") {
  Random random(11);
  int mended = 0;
  for (int i = 0; i < 28; ++i) {
    const fixture::Family family = fixture::kFamilies[random.below(fixture::kFamilies.size())];
    const fixture::FamilyShape shape = fixture::draw_large_shape(random, family, 60, 200);
    const fixture::Instance job = fixture::draw_job(random, family, shape);
    const std::size_t vertices = job.graph.vertices();
    PartitionProblem problem{job.graph, {}, job.coordinates};
    // Coordinates are in random order, so parts in order of vertices are torn.
    std::vector<std::uint32_t> part;
    for (std::uint32_t p = 0; p < 6; ++p) {
      problem.capacity.push_back(static_cast<std::uint32_t>(vertices * (p + 1) / 21 + 6));
      part.insert(part.end(), problem.capacity.back(), p);
    }
    part.resize(vertices);
    WorkingPartition partition(problem, part);
    const std::int64_t before = partition.cut();
    const DivideParts slice = [](const PartitionProblem& parts, const Shares& shares,
                                 std::uint64_t seed) {
      const std::vector<Shares> choices{shares};
      return find_partition(parts, choices, {.metis_starts = 0, .anneal_steps = 20'000, .kept = 1},
                            {.seed = seed});
    };
    INFO("job " << i);
    for (int division = 0; division < 60; ++division) {
      const std::int64_t last = partition.cut();
      WorkBudget one(1);
      divide_anew(partition, random, 20'000, one, 0, slice);
      REQUIRE(partition.cut() <= last);
    }
    REQUIRE(fits(partition));
    REQUIRE(cut_is_true(partition));
    if (partition.cut() < before - before / 10) ++mended;
  }
  CHECK(mended > 20);
}

TEST_CASE("a cycle of three solves what no pair of parts can", "[partition]") {
  // Each vertex stands one part before its only friends.
  const auto graph = CommunicationGraph::from_edges(9, {{0, 4, 5},
                                                        {0, 5, 5},
                                                        {3, 7, 5},
                                                        {3, 8, 5},
                                                        {6, 1, 5},
                                                        {6, 2, 5},
                                                        {1, 2, 9},
                                                        {4, 5, 9},
                                                        {7, 8, 9}});
  const PartitionProblem problem{graph, {3, 3, 3}, {}};
  WorkingPartition partition(problem, {0, 0, 0, 1, 1, 1, 2, 2, 2});
  WorkBudget budget(100'000);
  CHECK(partition.cut() == 30);
  CHECK(refine_cycles(partition, budget) == std::vector<std::uint32_t>{0, 1, 2});
  CHECK(partition.cut() == 0);
}

TEST_CASE("an empty part sends nothing around a cycle, whatever the others gain", "[partition]") {
  const std::int64_t heavy = (std::int64_t{1} << 61) + 1000;
  const auto graph = CommunicationGraph::from_edges(
      8, {{4, 1, heavy}, {5, 6, 10}, {6, 7, 10}, {5, 7, 10}, {2, 3, 10}, {0, 2, 1}});
  const PartitionProblem problem{graph, {0, 4, 4}, {}};
  WorkingPartition partition(problem, {2, 2, 2, 2, 1, 1, 1, 1});
  WorkBudget budget(100'000);
  refine_cycles(partition, budget);
  CHECK(partition.members(0).empty());
  CHECK(partition.members(1).size() == 4);
}

TEST_CASE("repair brings any partition within its capacities", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    Drawn drawn(random);
    for (std::uint32_t& p : drawn.part) {
      p = static_cast<std::uint32_t>(random.below(drawn.problem.parts()));
    }
    WorkingPartition partition(drawn.problem, drawn.part);
    repair(partition);
    RC_ASSERT(fits(partition));
    RC_ASSERT(cut_is_true(partition));
  }));
}

TEST_CASE("METIS is asked only what it can answer", "[partition]") {
  const auto graph = CommunicationGraph::from_edges(4, {{0, 1, 1}, {1, 2, 0}, {2, 3, 1}});
  CHECK_FALSE(metis_partition(graph, {4}, MetisMethod::Kway, 1));
  CHECK_FALSE(metis_partition(graph, {4, 0}, MetisMethod::Recursive, 1));
  CHECK_FALSE(metis_partition(graph, {1, 1, 1, 1}, MetisMethod::Kway, 1));
  const std::int64_t heavy = std::int64_t{1} << 58;
  const auto large = CommunicationGraph::from_edges(
      6, {{0, 1, heavy}, {1, 2, heavy}, {3, 4, heavy}, {4, 5, heavy}, {2, 3, 1}});
  const auto part = metis_partition(large, {3, 0, 3}, MetisMethod::Recursive, 1);
  REQUIRE(part);
  CHECK(cut_weight(large, *part) <= heavy);
  CHECK(std::ranges::count(*part, 1u) == 0);
}

TEST_CASE("METIS by twos gives every part its share, and writes nothing", "[partition]") {
  Random random(31);
  int small = 0;
  int wrong = 0;
  long bytes = 0;
  for (int i = 0; i < 1500; ++i) {
    const auto graph = fixture::draw_graph(random, 4 + random.below(60));
    // Of most parts one vertex, of a few the rest.
    Shares shares(2 + random.below(graph.vertices() - 2), 1);
    for (std::size_t left = graph.vertices() - shares.size(); left > 0;) {
      const std::size_t more = 1 + random.below(left);
      shares[random.below(shares.size())] += static_cast<std::uint32_t>(more);
      left -= more;
    }
    if (!has_small_part(shares)) continue;
    ++small;
    const PartitionProblem problem{graph, shares, {}};
    const std::vector<Shares> choices{shares};
    const PartitionEffort effort{.metis_starts = 2, .polish_steps = 1000, .kept = 1};
    const WrittenToStdout written;
    Shares sizes(shares.size(), 0);
    for (const std::uint32_t p : metis_bisections(graph, shares, i)) ++sizes.at(p);
    if (sizes != shares) ++wrong;
    const Partition found = find_partition(problem, choices, effort, {});
    if (found.cut != cut_weight(graph, found.part)) ++wrong;
    bytes += written.bytes();
  }
  CHECK(small > 1000);
  CHECK(wrong == 0);
  CHECK(bytes == 0);
}

TEST_CASE("shares add up and respect every capacity", "[partition]") {
  const std::vector<std::uint32_t> capacity{5, 9, 0, 4, 7};
  for (std::size_t vertices = 0; vertices <= 25; ++vertices) {
    for (const Shares& shares :
         {fewest_parts(capacity, vertices), proportional_shares(capacity, vertices)}) {
      std::size_t sum = 0;
      for (std::size_t p = 0; p < shares.size(); ++p) {
        CHECK(shares[p] <= capacity[p]);
        sum += shares[p];
      }
      CHECK(sum == vertices);
    }
  }
  // The largest is full, and the rest goes where it fits most tightly.
  CHECK(fewest_parts(capacity, 13) == Shares{0, 9, 0, 4, 0});
}

namespace {

/// Some vertices lose an axis, so that there are two grids; their places then differ in number.
fixture::Instance draw_ragged_grid(Random& random) {
  fixture::Instance job = fixture::draw_grid(random, 60);
  if (random.below(2) == 0) {
    for (Coordinates& c : job.coordinates) c[2] = c[2] == 0 ? -1 : c[2];
  }
  return job;
}

/// How many vertices of each grid a part gets.
std::vector<Shares> draw_shares(Random& random, const LineModel& model, std::size_t parts) {
  std::vector<Shares> shares;
  for (const LineLayout::Grid& grid : model.grids()) {
    shares.emplace_back(parts, 0);
    for (std::size_t v = 0; v < grid.vertices; ++v) ++shares.back()[random.below(parts)];
  }
  return shares;
}

void anneal_keeps_sizes_and_books(const fixture::Instance& job, const LineModel& model,
                                  Random& random) {
  const std::size_t parts = 2 + random.below(5);
  const std::vector<Shares> shares = draw_shares(random, model, parts);
  std::vector<std::uint32_t> capacity(parts, static_cast<std::uint32_t>(random.below(3)));
  std::vector<std::uint32_t> order(parts);
  for (std::uint32_t p = 0; p < parts; ++p) {
    order[p] = p;
    for (const Shares& of_grid : shares) capacity[p] += of_grid[p];
  }
  SlicingForest forest(model, capacity, shares, order);
  forest.sweep_all(random.below(4));
  RC_ASSERT(forest.cut() == cut_weight(job.graph, forest.part()));
  forest.sweep_best();
  const std::int64_t before = forest.cut();
  RC_ASSERT(before == cut_weight(job.graph, forest.part()));
  WorkBudget budget(300'000);
  forest.anneal(0.05, random, budget, 0);
  RC_ASSERT(forest.cut() <= before);
  RC_ASSERT(forest.cut() == cut_weight(job.graph, forest.part()));
  for (std::uint32_t p = 0; p < parts; ++p) {
    RC_ASSERT(static_cast<std::size_t>(std::ranges::count(forest.part(), p)) <= capacity[p]);
  }
}

}  // namespace

TEST_CASE("annealing keeps to the capacities and its cut is true", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const fixture::Instance job = draw_ragged_grid(random);
    const LineModel separate(job.graph, lay_out_lines(job.graph, job.coordinates));
    anneal_keeps_sizes_and_books(job, separate, random);
    if (const auto joint = lay_out_jointly(job.graph, job.coordinates)) {
      anneal_keeps_sizes_and_books(job, LineModel(job.graph, *joint), random);
    }
  }));
}

TEST_CASE("the last swaps never raise the cut, nor J at an equal cut", "[partition]") {
  CHECK(rc::check([] {
    Random random(*rc::gen::arbitrary<std::uint64_t>());
    const std::size_t vertices = 2 + random.below(30);
    const CommunicationGraph graph = fixture::draw_graph(random, vertices);
    const SlotTree tree = fixture::draw_tree(random, vertices, 4);
    std::vector<std::uint32_t> leaf = tree.leaf_of_slot();
    random.shuffle(std::span(leaf));
    leaf.resize(vertices);
    const auto cost = [&] {
      std::vector<std::uint32_t> next(tree.leaves(), 0);
      for (std::size_t l = 1; l < next.size(); ++l) next[l] = next[l - 1] + tree.free[l - 1];
      std::vector<std::uint32_t> slot;
      for (const std::uint32_t l : leaf) slot.push_back(next[l]++);
      return measure(graph, tree, slot);
    };
    const MappingCost before = cost();
    WorkBudget budget(1'000'000);
    refine_distance(graph, tree, leaf, budget);
    RC_ASSERT(cost() <= before);
  }));
}
