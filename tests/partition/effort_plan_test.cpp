#include "effort_plan.hpp"

#include <rapidcheck.h>

#include <vector>

#include "support/catch.hpp"

using namespace zonecut;

namespace {

constexpr PartitionEffort kWhole{.metis_starts = 8,
                                 .anneal_steps = 1'200'000,
                                 .anneal_runs = 3,
                                 .polish_steps = 600'000,
                                 .search_steps = 240'000,
                                 .box_steps = 120'000,
                                 .part_steps = 999,
                                 .kept = 4};

std::vector<std::int64_t> steps_of(const PartitionEffort& effort) {
  return {effort.anneal_steps, effort.polish_steps, effort.search_steps, effort.box_steps};
}

std::vector<std::int64_t> steps_for(std::size_t members, std::size_t vertices) {
  return steps_of(effort_for(kWhole, members, vertices));
}

}  // namespace

TEST_CASE("a zone of a twelfth or more has all steps, a smaller one its share", "[partition]") {
  CHECK(steps_for(1200, 1200) == steps_of(kWhole));
  CHECK(steps_for(100, 1200) == steps_of(kWhole));
  CHECK(steps_for(50, 1200) == std::vector<std::int64_t>{600'000, 300'000, 120'000, 60'000});
  CHECK(steps_for(1, 1200) == std::vector<std::int64_t>{12'000, 6'000, 2'400, 1'200});
  CHECK(steps_for(0, 1200) == std::vector<std::int64_t>{0, 0, 0, 0});
}

TEST_CASE("beyond the vertices for a second a zone's steps depend on its own size alone",
          "[partition]") {
  CHECK(steps_for(128, 8 * kVerticesForASecond) == steps_for(128, kVerticesForASecond));
  CHECK(steps_for(128, kVerticesForASecond) < steps_of(kWhole));
  CHECK(steps_for(342, 1'000'000) == steps_of(kWhole));  // 12 · 342 > 4096
}

TEST_CASE("a search in part has so much of every kind of steps", "[partition]") {
  for (const Effort effort : {Effort::Fast, Effort::Balanced, Effort::Thorough}) {
    const PartitionEffort whole = effort_plan(effort, 1000).zones.back();
    const PartitionEffort half = in_part(whole, 0.5);
    for (const auto steps : {&PartitionEffort::pack_steps, &PartitionEffort::pack_anew_steps,
                             &PartitionEffort::interval_steps, &PartitionEffort::column_steps,
                             &PartitionEffort::stack_steps, &PartitionEffort::block_steps,
                             &PartitionEffort::anneal_steps, &PartitionEffort::polish_steps,
                             &PartitionEffort::search_steps, &PartitionEffort::box_steps,
                             &PartitionEffort::divide_steps}) {
      CHECK(half.*steps == whole.*steps / 2);
    }
    CHECK(half.part_steps == whole.part_steps);
    CHECK(half.kept == whole.kept);
  }
}

TEST_CASE("only steps of a zone are shared out, not its starts and runs", "[partition]") {
  const PartitionEffort part = effort_for(kWhole, 1, 1200);
  CHECK(part.metis_starts == kWhole.metis_starts);
  CHECK(part.anneal_runs == kWhole.anneal_runs);
  CHECK(part.part_steps == kWhole.part_steps);
  CHECK(part.kept == kWhole.kept);
}

TEST_CASE("all zones together have at most the steps of twelve, and larger ones no fewer",
          "[partition]") {
  CHECK(rc::check([] {
    const auto sizes = *rc::gen::nonEmpty(
        rc::gen::container<std::vector<std::size_t>>(rc::gen::inRange<std::size_t>(1, 300)));
    std::size_t vertices = 0;
    for (const std::size_t size : sizes) vertices += size;
    RC_PRE(vertices <= kVerticesForASecond);
    std::int64_t all = 0;
    for (const std::size_t size : sizes) {
      all += effort_for(kWhole, size, vertices).anneal_steps;
      RC_ASSERT(steps_for(size, vertices) <= steps_of(kWhole));
      RC_ASSERT(steps_for(size, vertices) <= steps_for(size + 1, vertices));
    }
    RC_ASSERT(all <= 12 * kWhole.anneal_steps);
  }));
}

TEST_CASE("up to 24 parts have all annealing runs, more parts fewer, but five", "[partition]") {
  for (const std::size_t parts : {0u, 1u, 2u, 24u}) CHECK(runs_for(64, parts) == 64);
  CHECK(runs_for(64, 25) == 61);
  CHECK(runs_for(64, 48) == 32);
  CHECK(runs_for(64, 307) == 5);
  CHECK(runs_for(64, 1'000'000) == 5);
  CHECK(runs_for(3, 1'000'000) == 3);  // no more than there are
  CHECK(runs_for(0, 48) == 0);
}
