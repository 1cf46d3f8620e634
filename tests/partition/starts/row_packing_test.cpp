#include "starts/row_packing.hpp"

#include <algorithm>
#include <numeric>

#include "find_partition.hpp"
#include "partition/bound/drawn_grid.hpp"
#include "starts/packed_starts.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// A job of context parallelism whose rows are replicas.
std::optional<fixture::DrawnGrid> draw_replicas(Random& random, int /*turn*/) {
  const fixture::FamilyShape shape{2 + random.below(4), 2 + random.below(4), 1 + random.below(5),
                                   0};
  auto drawn = fixture::draw_grid(random, fixture::Family::ContextParallel, shape);
  if (drawn && !has_group_replicas(drawn->grid)) drawn.reset();
  return drawn;
}

template <class Check>
int for_each_job(std::uint64_t seed, int jobs, const Check& check) {
  return fixture::for_each_drawn(seed, jobs, draw_replicas, check);
}

/// By its definition: pieces, and the largest of each run of rows.
std::int64_t cost_of(const RowModel& model, const RowPacking& packing, std::size_t parts) {
  std::int64_t cost = 0;
  for (std::size_t part = 0; part < parts; ++part) {
    std::uint32_t least = packing.held(part, 0);
    std::uint32_t most = least;
    for (std::size_t row = 0; row < model.rows; ++row) {
      const std::uint32_t held = packing.held(part, row);
      least = std::min(least, held);
      most = std::max(most, held);
      if (held < model.length) cost += model.inside[held];
      const std::size_t before = row == 0 ? model.rows - 1 : row - 1;
      if (held == 0 || packing.held(part, before) > 0) continue;
      std::uint32_t largest = 0;
      for (std::size_t i = row; packing.held(part, i % model.rows) > 0; ++i) {
        largest = std::max(largest, packing.held(part, i % model.rows));
      }
      cost += 2 * model.across[largest];
    }
    if (least > 0) cost += 2 * (model.across[most] - model.around[least]);
  }
  return cost;
}

void check_filled(const RowModel& model, const RowPacking& packing, const Shares& shares) {
  for (std::size_t row = 0; row < model.rows; ++row) {
    std::size_t sum = 0;
    for (std::size_t part = 0; part < shares.size(); ++part) sum += packing.held(part, row);
    CHECK(sum == model.length);
  }
  for (std::size_t part = 0; part < shares.size(); ++part) {
    std::size_t sum = 0;
    for (std::size_t row = 0; row < model.rows; ++row) sum += packing.held(part, row);
    CHECK(sum == shares[part]);
  }
}

}  // namespace

TEST_CASE("a packing fills every row and every part, and its cost is what the model says",
          "[partition]") {
  int lower = 0;
  const int checked = for_each_job(71, 200, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const RowModel model = *row_model(drawn.grid, Rows::Replicas);
    RowPacking packing(model, drawn.sizes, drawn.grid.size[0], Random(random.next()));
    check_filled(model, packing, drawn.sizes);
    const std::int64_t before = packing.cost();
    CHECK(before == cost_of(model, packing, drawn.sizes.size()));
    WorkBudget budget(20'000);
    packing.anneal(budget);
    check_filled(model, packing, drawn.sizes);
    CHECK(packing.cost() == cost_of(model, packing, drawn.sizes.size()));
    CHECK(packing.cost() <= before);
    if (packing.cost() < before) ++lower;
  });
  CHECK(checked > 100);
  CHECK(lower > checked / 2);
}

TEST_CASE("parts of whole rows are packed so that no row is divided", "[partition]") {
  Random random(72);
  const fixture::Instance job =
      fixture::draw_job(random, fixture::Family::ContextParallel, {4, 8, 3, 0});
  const GridTraffic grid = recover_grids(job.graph, job.coordinates).at(0);
  REQUIRE(has_group_replicas(grid));
  const RowModel model = *row_model(grid, Rows::Replicas);
  // Three rows and a half, twice, and one row.
  const Shares shares{42, 12, 42};
  RowPacking packing(model, shares, 4, Random(1));
  WorkBudget budget(200'000);
  packing.anneal(budget);
  int divided = 0;
  for (std::size_t row = 0; row < model.rows; ++row) {
    if (packing.held(0, row) % 12 != 0 || packing.held(1, row) % 12 != 0) ++divided;
  }
  CHECK(divided == 1);
}

TEST_CASE("packed starts keep shares and measure their cut", "[partition]") {
  int found = 0;
  const int checked = for_each_job(73, 60, [&](Random& random, const fixture::DrawnGrid& drawn) {
    const PartitionProblem problem{drawn.job.graph, drawn.sizes, drawn.job.coordinates};
    const DivideRow divide = [](const PartitionProblem& row, const Shares& shares) {
      const std::vector<Shares> choices{shares};
      return find_partition(row, choices, {.metis_starts = 0, .polish_steps = 1000}, {}).part;
    };
    const PackingEffort effort{20'000, 3, 2};
    const std::vector<Partition> starts =
        packed_starts(problem, drawn.sizes, effort, random.next(), divide);
    CHECK(starts.size() <= 2);
    if (drawn.grid.clique == 0) CHECK(!starts.empty());
    for (const Partition& start : starts) {
      ++found;
      CHECK(start.cut == cut_weight(drawn.job.graph, start.part));
      Shares held(drawn.sizes.size(), 0);
      for (const std::uint32_t part : start.part) ++held.at(part);
      CHECK(held == drawn.sizes);
    }
  });
  CHECK(checked > 30);
  CHECK(found > checked / 2);
}
