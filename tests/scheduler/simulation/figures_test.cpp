// Figures against sums made by hand.
#include "simulation/simulated_world.hpp"
#include "support/catch.hpp"
#include "zonecut/scheduler/simulation_report.hpp"

using namespace zonecut;

namespace {

struct Ended {
  std::int64_t start;
  std::int64_t end;
};

/// One GPU each unless `workload` says more.
SimulationOutcome outcome_of(const std::vector<Ended>& times) {
  SimulationOutcome outcome;
  for (const auto& [start, end] : times) {
    JobRun& run = outcome.runs.emplace_back().emplace();
    run.start = start;
    run.end = end;
    run.zones = 1;
  }
  return outcome;
}

}  // namespace

TEST_CASE("waiting, completion and slowdown are those of the jobs", "[simulation]") {
  SimulatedWorld world(narrow_cluster("a: r[s1 s2 s3 s4]"));
  world.workload.jobs = {simulated(0, 20'000, 1), simulated(0, 40'000, 1),
                         simulated(10'000, 1'000, 1)};
  const SimulationFigures f = figures_of(
      world.cluster, world.workload, outcome_of({{0, 20'000}, {20'000, 60'000}, {14'000, 15'000}}));
  CHECK(f.done == 3);
  CHECK(f.wait.mean == Approx(8));
  CHECK(f.wait.median == Approx(4));
  CHECK(f.wait.p95 == Approx(20));
  CHECK(f.completion.mean == Approx(85. / 3));
  CHECK(f.slowdown.mean == Approx((1 + 1.5 + 1) / 3));  // 5 s of a job that counts as one of 10 s
  CHECK(f.makespan == Approx(60));
  CHECK(f.stretch == 1);
}

TEST_CASE("what communication costs is held beyond the ideal durations", "[simulation]") {
  SimulatedWorld world(narrow_cluster("a: r[s1 s2] b: r[s3 s4]"));
  world.workload.works = {ring_of_four()};
  world.workload.jobs = {simulated(0, 3'600'000, 1, 4, 0), simulated(0, 3'600'000, 1)};
  SimulationOutcome outcome = outcome_of({{0, 5'400'000}, {5'400'000, 9'000'000}});
  outcome.runs[0]->zones = 2;
  outcome.runs[0]->cross_zone = {7};
  outcome.runs[0]->communication = {3};
  outcome.runs[0]->alone = {2};
  const SimulationFigures f = figures_of(world.cluster, world.workload, outcome);
  CHECK(f.gpu_hours == Approx(7));
  CHECK(f.lost_gpu_hours == Approx(2));
  CHECK(f.stretch == Approx(1.5));
  CHECK(f.worst_stretch == Approx(1.5));
  CHECK(f.interference == Approx(1.5));
  CHECK(f.crossing == 1);
  CHECK(f.on_servers == 1);
  CHECK(f.cross_zone_bytes == Approx(7));
  CHECK(f.wait_on_servers.mean == 0);
}

TEST_CASE("jobs that never start count as too large and in nothing else", "[simulation]") {
  SimulatedWorld world(narrow_cluster("a: r[s1]"));
  world.workload.jobs = {simulated(0, 1'000, 1, 2), simulated(0, 1'000, 1)};
  SimulationOutcome outcome = outcome_of({{0, 0}, {0, 20'000}});
  outcome.runs[0].reset();
  const SimulationFigures f = figures_of(world.cluster, world.workload, outcome);
  CHECK(f.too_large == 1);
  CHECK(f.done == 1);
  CHECK(f.completion.median == Approx(20));
  CHECK(f.slowdown.p95 == Approx(2));
}
