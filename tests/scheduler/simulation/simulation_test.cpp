// Small cases worked by hand: who starts when, and how long it then takes.
#include "zonecut/scheduler/simulation.hpp"

#include <algorithm>
#include <set>

#include "simulation/simulated_world.hpp"
#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/simulation_report.hpp"

using namespace zonecut;

namespace {

/// One rack of so many servers of 8 GPUs.
SimulatedWorld rack_of(int servers) {
  const std::vector<std::string> levels = {"cluster", "zone", "rack"};
  return SimulatedWorld(even_cluster(1, 1, servers, FabricSpec::clos(levels, 1, 7)));
}

std::string times_of(const SimulationOutcome& outcome) {
  std::string text;
  for (const auto& run : outcome.runs) {
    if (!text.empty()) text += " ";
    text += run ? std::to_string(run->start) + "-" + std::to_string(run->end) : "never";
    if (run && run->backfilled) text += "b";
  }
  return text;
}

/// s1 s3 s5 s7 in one zone, s2 s4 s6 s8 in the other: what goes by name goes to and fro.
SimulatedWorld two_zones() {
  SimulatedWorld world(narrow_cluster("a: r[s1 s3 s5 s7] b: r[s2 s4 s6 s8]"));
  world.workload.works = {ring_of_four()};
  world.options.communication_share = 0.5;
  return world;
}

/// r1 r2 and r3 r4 are the blocks of two racks; jobs of two servers lose no time by
/// communication.
SimulatedWorld two_blocks() {
  SimulatedWorld world(narrow_cluster("a: r1[s1] r2[s2] r3[s3] r4[s4]"));
  Job two = parse_job_text("model=llama3-8b,dp=2");
  two.ranks_per_server = 1;
  world.workload.works = {two};
  world.options.communication_share = 0;
  return world;
}

}  // namespace

TEST_CASE("first come, first served: nobody passes the first", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.options.queue = QueueRule::Fifo;
  world.workload.jobs = {simulated(0, 100, 6), simulated(10, 50, 4), simulated(20, 10, 2)};
  CHECK(times_of(world.run("zonecut")) == "0-100 100-150 100-110");
}

TEST_CASE("a later job that ends before the first can start fills the hole", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.workload.jobs = {simulated(0, 100, 6), simulated(10, 50, 4), simulated(20, 80, 2)};
  const SimulationOutcome outcome = world.run("zonecut");
  CHECK(times_of(outcome) == "0-100 100-150 20-100b");
  CHECK(outcome.runs[1]->promised == 100);
}

TEST_CASE("a later job that would delay the first waits", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.workload.jobs = {simulated(0, 100, 6), simulated(10, 50, 8), simulated(20, 81, 2)};
  CHECK(times_of(world.run("zonecut")) == "0-100 100-150 150-231");
}

TEST_CASE("a later job that leaves the first its room may run beyond its start", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.workload.jobs = {simulated(0, 100, 6), simulated(10, 50, 6), simulated(20, 900, 2)};
  CHECK(times_of(world.run("zonecut")) == "0-100 100-150 20-920b");
}

TEST_CASE("two later jobs that only together would delay the first do not both start",
          "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.workload.jobs = {simulated(0, 100, 4), simulated(10, 50, 6), simulated(20, 900, 2),
                         simulated(20, 900, 2), simulated(20, 80, 2)};
  CHECK(times_of(world.run("zonecut")) == "0-100 100-150 20-920b 150-1050 20-100b");
}

TEST_CASE("what ends when the first can start is in nobody's way", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.workload.jobs = {simulated(0, 100, 3), simulated(0, 100, 3), simulated(10, 50, 8),
                         simulated(20, 80, 2)};
  CHECK(times_of(world.run("zonecut")) == "0-100 0-100 100-150 20-100b");
  // Both make room at that moment, though one were enough for the first.
  world.workload.jobs = {simulated(0, 100, 3), simulated(0, 100, 3), simulated(10, 50, 5),
                         simulated(20, 900, 2)};
  CHECK(times_of(world.run("zonecut")) == "0-100 0-100 100-150 20-920b");
}

TEST_CASE("no more than so many later jobs are looked at", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.workload.jobs = {simulated(0, 100, 6), simulated(10, 50, 8), simulated(11, 500, 2),
                         simulated(12, 20, 2)};
  world.options.backfill_depth = 1;
  CHECK(times_of(world.run("zonecut")) == "0-100 100-150 150-650 150-170");
  world.options.backfill_depth = 2;
  CHECK(times_of(world.run("zonecut")) == "0-100 100-150 150-650 12-32b");
}

TEST_CASE("jobs that would end beyond what is counted exactly are refused", "[simulation]") {
  SimulatedWorld world(narrow_cluster("a: r1[s1]"));
  for (int i = 0; i < 2; ++i)
    world.workload.jobs.push_back(simulated(0, (std::int64_t{1} << 52) + i, 1));
  CHECK_THROWS_AS(world.run("linear"), InputError);
  world.workload.jobs.pop_back();
  CHECK(world.run("linear").runs[0]->end == std::int64_t{1} << 52);
}

TEST_CASE("jobs that share a server leave others whole", "[simulation]") {
  SimulatedWorld world = rack_of(3);
  world.workload.jobs = {simulated(0, 100, 3), simulated(0, 100, 6), simulated(0, 100, 2),
                         simulated(0, 100, 4), simulated(0, 100, 8)};
  const SimulationOutcome outcome = world.run("random");
  const auto server = [&](std::size_t job) { return outcome.runs[job]->gpus.front().server; };
  CHECK(server(2) == server(1));  // two free beat five
  CHECK(server(3) == server(0));
  CHECK(server(0) != server(1));
  CHECK(times_of(outcome) == "0-100 0-100 0-100 0-100 0-100");
}

TEST_CASE("two jobs may share servers that each of them uses by half", "[simulation]") {
  const std::vector<std::string> levels = {"cluster", "zone", "rack"};
  SimulatedWorld world(even_cluster(2, 1, 2, FabricSpec::clos(levels, 1, 7), 4));
  world.workload.works = {parse_job_text("model=llama3-8b,tp=2,dp=4")};
  world.workload.works.front().ranks_per_server = 2;
  world.workload.jobs = {simulated(0, 100, 2, 4, 0), simulated(0, 100, 2, 4, 0),
                         simulated(0, 100, 1)};
  for (const SimulationPolicy& policy : all_simulation_policies()) {
    INFO(policy_name(policy));
    const SimulationOutcome outcome = world.run(policy_name(policy));
    std::set<GpuId> held;
    for (const std::size_t job : {0u, 1u})
      held.insert(outcome.runs[job]->gpus.begin(), outcome.runs[job]->gpus.end());
    CHECK(held.size() == 16);
    CHECK(outcome.runs[1]->start == 0);
    CHECK(outcome.runs[2]->start == std::min(outcome.runs[0]->end, outcome.runs[1]->end));
  }
}

TEST_CASE("a job larger than the cluster never starts, and holds up nobody", "[simulation]") {
  SimulatedWorld world = rack_of(2);
  world.options.queue = QueueRule::Fifo;
  world.workload.jobs = {simulated(0, 100, 8, 3), simulated(5, 100, 8)};
  CHECK(times_of(world.run("zonecut")) == "never 5-105");
}

TEST_CASE("where zones are crossed a job takes as much longer as its iteration does",
          "[simulation]") {
  SimulatedWorld world = two_zones();
  world.workload.jobs = {simulated(0, 6000, 1, 4, 0)};
  // Alone in a zone: 3 s, and as long computes what half of an iteration is.
  const SimulationOutcome ours = world.run("zonecut");
  CHECK(ours.runs[0]->communication.count == Approx(3).epsilon(1e-4));
  CHECK(ours.runs[0]->end == 6000);
  CHECK(ours.runs[0]->zones == 1);
  // By name: two hops of 3 GB leave each zone over 0.5 GB/s.
  const SimulationOutcome theirs = world.run("linear");
  CHECK(theirs.runs[0]->communication.count == Approx(12).epsilon(1e-4));
  CHECK(theirs.runs[0]->end == Approx(6000 * 15 / 6.).margin(2));
  CHECK(theirs.runs[0]->zones == 2);
  CHECK(theirs.runs[0]->cross_zone.count == 12'000'000'000);
  // The same servers, each zone's one after the other: one hop leaves each.
  const SimulationOutcome ordered = world.run("linear+order");
  CHECK(ordered.runs[0]->communication.count == Approx(6).epsilon(1e-4));
  CHECK(ordered.runs[0]->end == Approx(6000 * 9 / 6.).margin(2));
}

TEST_CASE("what runs on the same links when a job starts makes it longer", "[simulation]") {
  SimulatedWorld world = two_zones();
  world.workload.jobs = {simulated(0, 6000, 1, 4, 0), simulated(1, 6000, 1, 4, 0)};
  // The first sends 12 s of 15 and wants the whole link; of equal flows half is left to ours:
  // 1 - 12/15 · 1/2 = 0.6.
  const SimulationOutcome outcome = world.run("linear");
  CHECK(outcome.runs[0]->communication.count == Approx(12).epsilon(1e-4));
  CHECK(outcome.runs[1]->alone.count == Approx(12).epsilon(1e-4));
  CHECK(outcome.runs[1]->communication.count == Approx(20).epsilon(1e-4));
  CHECK(outcome.runs[1]->end == Approx(1 + 6000 * 23 / 6.).margin(2));

  world.options.interference = false;
  CHECK(world.run("linear").runs[1]->communication.count == Approx(12).epsilon(1e-4));
}

TEST_CASE("jobs that meet on a larger server share its links within a rack, too", "[simulation]") {
  const std::vector<std::string> levels = {"cluster", "zone", "rack"};
  SimulatedWorld world(even_cluster(1, 1, 3, FabricSpec::clos(levels, 1, 7), 4));
  world.workload.server_gpus = 2;  // as if most servers of a larger cluster had so many
  world.workload.works = {parse_job_text("model=llama3-8b,tp=2,dp=3")};
  world.workload.works.front().ranks_per_server = 2;
  world.workload.jobs = {simulated(0, 100'000, 2, 3, 0), simulated(1, 100'000, 2, 3, 0)};
  const SimulationOutcome outcome = world.run("linear");
  REQUIRE(outcome.runs[0]->gpus.back().server == outcome.runs[1]->gpus.front().server);
  CHECK(outcome.runs[1]->racks == 1);
  CHECK(outcome.runs[1]->communication.count > outcome.runs[1]->alone.count);
}

TEST_CASE("what has ended disturbs nobody", "[simulation]") {
  SimulatedWorld world = two_zones();
  world.workload.jobs = {simulated(0, 6000, 1, 4, 0), simulated(15'100, 6000, 1, 4, 0)};
  const SimulationOutcome outcome = world.run("linear");
  REQUIRE(outcome.runs[0]->end < 15'100);
  CHECK(outcome.runs[1]->communication.count == Approx(12).epsilon(1e-4));
}

TEST_CASE("where communication takes no share placements change nothing", "[simulation]") {
  SimulatedWorld world = two_zones();
  world.options.communication_share = 0;
  world.workload.jobs = {simulated(0, 6000, 1, 4, 0), simulated(1, 6000, 1, 4, 0)};
  CHECK(times_of(world.run("linear")) == "0-6000 1-6001");
}

TEST_CASE("a work that no room of the cluster holds never starts", "[simulation]") {
  SimulatedWorld world(narrow_cluster("a: r[s1 s2 s3]"));
  world.workload.works = {ring_of_four()};
  world.workload.jobs = {simulated(0, 6000, 1, 4, 0)};
  CHECK(times_of(world.run("zonecut")) == "never");
}

TEST_CASE("what runs at first is in the way until it ends, or all along", "[simulation]") {
  SimulatedWorld world = rack_of(2);
  world.stands("short", {"s0"}, 50);
  world.workload.jobs = {simulated(0, 10, 8), simulated(1, 10, 8), simulated(2, 200, 8)};
  CHECK(times_of(world.run("zonecut")) == "0-10 10-20 20-220");
  world.stands("long", {"s1"});
  CHECK(times_of(world.run("zonecut")) == "50-60 60-70 70-270");
  world.workload.jobs = {simulated(60, 10, 8), simulated(60, 10, 8, 2)};
  CHECK(times_of(world.run("zonecut")) == "60-70 never");
}

TEST_CASE("a job that waits is promised the end of one that runs at first", "[simulation]") {
  SimulatedWorld world = rack_of(1);
  world.start.view.ends.push_back({world.start.view.occupancy.add_job("old"), Seconds{0.1}});
  for (int gpu = 0; gpu < 6; ++gpu) world.start.view.occupancy.hold(JobId{0}, {ServerId{0}, gpu});
  world.workload.jobs = {simulated(0, 10, 8), simulated(1, 100, 2), simulated(2, 98, 2)};
  const SimulationOutcome outcome = world.run("zonecut");
  CHECK(times_of(outcome) == "100-110 110-210 2-100b");
  CHECK(outcome.runs[0]->promised == 100);
}

TEST_CASE("nothing starts on what is broken, drained or cut off", "[simulation]") {
  SimulatedWorld world = rack_of(4);
  ClusterView& view = world.start.view;
  view.health.servers[ServerId{0}] = ServerHealth::Down;
  view.health.servers[ServerId{1}] = ServerHealth::Drained;
  view.health.failed_gpus = {{ServerId{2}, 0}};
  const JobId drained = world.stands("drained", {"s1"}, 5);
  world.workload.jobs = {simulated(0, 10, 8), simulated(0, 10, 7), simulated(0, 10, 8)};
  const SimulationOutcome outcome = world.run("zonecut");
  CHECK(times_of(outcome) == "0-10 0-10 10-20");
  CHECK(outcome.runs[0]->gpus.front().server == ServerId{3});
  CHECK(outcome.runs[1]->gpus.front() == GpuId{ServerId{2}, 1});
  CHECK(figures_of(world.start).lost_gpus == 17);
  CHECK(figures_of(world.start).staying_jobs == 0);
  CHECK(view.occupancy.held(drained).size() == 8);
  const DomainId rack = world.cluster.server(ServerId{3}).rack;
  for (int leaf = 0; leaf < world.cluster.backend().tiers.back().switches; ++leaf)
    view.health.link_faults.push_back({ServerId{3}, SwitchRef{rack, 0, leaf}, std::nullopt});
  CHECK(times_of(world.run("zonecut")) == "never 0-10 never");
}

TEST_CASE("what jobs send that run at first disturbs those that start beside them",
          "[simulation]") {
  SimulatedWorld world = two_zones();
  const JobId old = world.stands("old", {"s1", "s2", "s3", "s4"}, 20'000);
  std::vector<ServerId> servers;
  for (const char* name : {"s1", "s2", "s3", "s4"})
    servers.push_back(world.cluster.find_server(name).value());
  world.start.running.emplace_back(
      old, RunningTraffic{"old", traffic_of(ring_of_four(), 1), servers, std::nullopt});
  world.workload.jobs = {simulated(0, 6000, 1, 4, 0), simulated(30'000, 6000, 1, 4, 0)};
  const SimulationOutcome outcome = world.run("linear");
  CHECK(outcome.runs[0]->alone.count == Approx(12).epsilon(1e-4));
  CHECK(outcome.runs[0]->communication.count == Approx(24).epsilon(1e-4));
  CHECK(outcome.runs[1]->communication.count == Approx(12).epsilon(1e-4));
  world.options.interference = false;
  CHECK(world.run("linear").runs[0]->communication.count == Approx(12).epsilon(1e-4));
}

TEST_CASE("the means over the arrivals are those of what is held", "[simulation]") {
  SimulatedWorld world = rack_of(2);
  world.workload.jobs = {simulated(0, 60, 8), simulated(100, 10, 1)};
  const ArrivalPeriod period = world.run("zonecut").period;
  CHECK(period.length == 100);
  CHECK(period.busy_gpus == Approx(4.8));
  CHECK(period.free_servers == Approx(1.4));
  CHECK(period.largest_free_block == Approx(1.4));
  CHECK(period.waiting_jobs == Approx(0));
  // Broken GPUs are not busy; held ones are until they are free.
  world.start.view.health.servers[ServerId{1}] = ServerHealth::Down;
  CHECK(world.run("zonecut").period.busy_gpus == Approx(4.8));
  world.stands("old", {"s1"}, 50);
  CHECK(world.run("zonecut").period.busy_gpus == Approx(8.8));
}

TEST_CASE("a job of Slurm's block waits for a block, and others behind it do not delay it",
          "[simulation]") {
  SimulatedWorld world = two_blocks();
  world.stands("old", {"s1"}, 100);
  world.stands("older", {"s3"}, 60);
  world.workload.jobs = {simulated(0, 50, 1, 2, 0), simulated(10, 50, 1), simulated(10, 51, 1)};
  // s2 and s4 are free, and no block is until s3 is: s4 is for who is gone by then.
  CHECK(times_of(world.run("slurm-tree")) == "0-50 50-100 50-101");
  const SimulationOutcome outcome = world.run("slurm-block");
  CHECK(times_of(outcome) == "60-110 10-60b 10-61b");
  CHECK(outcome.runs[0]->promised == 60);
  CHECK(times_of(world.run("slurm-block+order")) == times_of(outcome));
}

TEST_CASE("a job of which what never comes free leaves no block never starts by Slurm's block",
          "[simulation]") {
  SimulatedWorld world = two_blocks();
  world.stands("old", {"s1"});
  world.start.view.health.servers[ServerId{2}] = ServerHealth::Drained;
  world.workload.jobs = {simulated(0, 50, 1, 2, 0), simulated(10, 50, 1)};
  CHECK(times_of(world.run("slurm-tree")) == "0-50 50-100");
  CHECK(times_of(world.run("slurm-block")) == "never 10-60");
}

TEST_CASE("policies are zonecut and the baselines that choose servers", "[simulation]") {
  std::vector<std::string> names = {"zonecut"};
  for (const std::string order : {"", "+order"}) {
    for (const Baseline baseline : all_baselines()) {
      if (why_no_policy(baseline).empty())
        names.push_back(std::string(baseline_name(baseline)) + order);
      CHECK(why_no_policy(baseline).empty() == chooses_servers(baseline));
    }
  }
  std::vector<std::string> found;
  for (const SimulationPolicy& policy : all_simulation_policies())
    found.push_back(policy_name(policy));
  CHECK(found == names);
  CHECK(std::ranges::count(found, "slurm-block") == 1);
}

TEST_CASE("every policy is found by its name", "[simulation]") {
  for (const SimulationPolicy& policy : all_simulation_policies())
    CHECK(find_policy(policy_name(policy)) == policy);
  CHECK_FALSE(find_policy("framework"));
  CHECK_FALSE(find_policy("zonecut+order"));
}
