#include "effort_plan.hpp"

#include <algorithm>

#include "exact/exact_search.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMillion = 1'000'000;
constexpr std::size_t kMostTimes = 4;  // the time for a second's vertices

std::int64_t in_proportion(std::int64_t steps, std::size_t vertices) {
  const std::size_t counted =
      std::clamp(vertices, kVerticesForASecond, kMostTimes * kVerticesForASecond);
  return steps * static_cast<std::int64_t>(counted) /
         static_cast<std::int64_t>(kVerticesForASecond);
}

PartitionEffort fast_zones(std::size_t vertices) {
  // METIS and the exchange of balls find what slicing cannot express, which small jobs have time
  // for.
  const bool small = vertices <= 1024;
  const bool few = vertices <= kMostExactVertices;
  const std::int64_t divide = small ? 4 : 5;
  return {.metis_starts = small ? 2 : 0,
          .pack_steps = 8 * kMillion,
          .pack_runs = 2,
          .row_steps = 100'000,
          .interval_steps = 2 * kMillion,
          .interval_runs = 3,
          .column_steps = 3 * kMillion,
          .column_starts = 2,
          .stack_steps = 12 * kMillion,
          .stack_runs = 8,
          .anneal_steps = (few ? 10 : 13) * kMillion + 800 * static_cast<std::int64_t>(vertices),
          .anneal_runs = small ? std::size_t{6} : 4,
          .polish_steps = 5 * kMillion,
          .search_steps = small ? kMillion : kMillion / 2,
          .box_steps = (few ? 3 : 6) * kMillion,
          .divide_steps = divide * kMillion,
          .part_steps = 150'000,
          .kept = 3};
}

PartitionEffort balanced_zones(std::size_t vertices) {
  const bool small = vertices <= 1024;
  const bool few = vertices <= kMostExactVertices;
  const std::int64_t anneal = few ? 100 : small ? 150 : 125;
  const auto scaled = [&](std::int64_t steps) { return in_proportion(steps, vertices); };
  return {.metis_starts = small ? 32 : 2,
          .pack_steps = scaled(90 * kMillion),
          .pack_runs = 8,
          .pack_anew_steps = scaled(20 * kMillion),
          .row_steps = 200'000,
          .interval_steps = scaled(10 * kMillion),
          .interval_runs = 12,
          .column_steps = scaled(10 * kMillion),
          .stack_steps = scaled(70 * kMillion),
          .stack_runs = 16,
          .block_steps = scaled(28 * kMillion),
          .block_runs = 24,
          .anneal_steps = scaled(anneal * kMillion + 2600 * static_cast<std::int64_t>(vertices)),
          .anneal_runs = 18,
          .polish_steps = 10 * kMillion,
          .search_steps = scaled((small ? 7 : 6) * kMillion),
          .box_steps = scaled((few     ? 30
                               : small ? 90
                                       : 120) *
                              kMillion),
          .divide_steps = scaled((few ? 30 : 45) * kMillion),
          .part_steps = kMillion,
          .kept = 8};
}

PartitionEffort thorough_zones(std::size_t vertices) {
  return {.metis_starts = 60,
          .pack_steps = 600 * kMillion,
          .pack_runs = 12,
          .pack_anew_steps = 200 * kMillion,
          .row_steps = 2 * kMillion,
          .interval_steps = 400 * kMillion,
          .interval_runs = 40,
          .column_steps = 200 * kMillion,
          .column_starts = 20,
          .stack_steps = 2000 * kMillion,
          .stack_runs = 40,
          .block_steps = 2000 * kMillion,
          .block_runs = 80,
          .anneal_steps = 3000 * kMillion + 20'000 * static_cast<std::int64_t>(vertices),
          .anneal_runs = 60,
          .polish_steps = 50 * kMillion,
          .search_steps = 200 * kMillion,
          .box_steps = 1500 * kMillion,
          .divide_steps = 1000 * kMillion,
          .part_steps = 3 * kMillion,
          .kept = 16};
}

/// The more vertices, the longer each takes.
std::size_t nearer_tries(std::size_t most, std::size_t vertices) {
  constexpr std::size_t kForMost = 1024;
  return vertices <= kForMost ? most : most * kForMost / vertices;
}

}  // namespace

EffortPlan effort_plan(Effort effort, std::size_t vertices) {
  switch (effort) {
    case Effort::Fast:
      return {.zones = {fast_zones(vertices)},
              .below = {.metis_starts = 0,
                        .polish_steps = kMillion,
                        .kept = vertices <= 1024 ? 2u : 1u},
              .distance_steps = 5 * kMillion,
              .bound_steps = 10 * kMillion,
              .exact_steps = 30 * kMillion,
              .nearer_tries = nearer_tries(2, vertices)};
    case Effort::Balanced:
      return {.zones = {fast_zones(vertices), balanced_zones(vertices)},
              .below = {.metis_starts = 0,
                        .anneal_steps = 300'000,
                        .polish_steps = 700'000,
                        .search_steps = 300'000},
              .distance_steps = 50 * kMillion,
              .bound_steps = in_proportion(300 * kMillion, vertices),
              .exact_steps = 350 * kMillion,
              .nearer_tries = nearer_tries(6, vertices)};
    case Effort::Thorough:
      break;
  }
  return {.zones = {fast_zones(vertices), balanced_zones(vertices), thorough_zones(vertices)},
          .below = {.metis_starts = 8,
                    .anneal_steps = 10 * kMillion,
                    .anneal_runs = 2,
                    .polish_steps = 10 * kMillion,
                    .search_steps = 10 * kMillion,
                    .kept = 4},
          .distance_steps = 500 * kMillion,
          .bound_steps = 2500 * kMillion,
          .exact_steps = 2000 * kMillion,
          .nearer_tries = nearer_tries(40, vertices)};
}

PartitionEffort in_part(const PartitionEffort& effort, double part) {
  PartitionEffort result = effort;
  for (std::int64_t PartitionEffort::* steps :
       {&PartitionEffort::pack_steps, &PartitionEffort::pack_anew_steps,
        &PartitionEffort::interval_steps, &PartitionEffort::column_steps,
        &PartitionEffort::stack_steps, &PartitionEffort::block_steps,
        &PartitionEffort::anneal_steps, &PartitionEffort::polish_steps,
        &PartitionEffort::search_steps, &PartitionEffort::box_steps,
        &PartitionEffort::divide_steps}) {
    result.*steps = static_cast<std::int64_t>(part * static_cast<double>(effort.*steps));
  }
  return result;
}

PartitionEffort effort_for(const PartitionEffort& effort, std::size_t members,
                           std::size_t vertices) {
  constexpr std::size_t kZones = 12;
  const auto all = static_cast<double>(std::min(vertices, kVerticesForASecond));
  return in_part(effort, std::min(1.0, static_cast<double>(kZones * members) / all));
}

std::size_t runs_for(std::size_t runs, std::size_t parts) {
  constexpr std::size_t kFew = 5;
  constexpr std::size_t kManyParts = 24;
  const std::size_t fewer = runs * kManyParts / std::max(kManyParts, parts);
  return std::min(runs, std::max(kFew, fewer));
}

}  // namespace zonecut
