// keep(): a job that runs, and servers, GPUs and links that fail under it.
#include <algorithm>
#include <set>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/scheduler/engine.hpp"

using namespace zonecut;

namespace {

Job ring_of(int servers) {
  return parse_job_text("tp=8,dp=" + std::to_string(servers) + ",model=llama3-8b");
}

void fail_nic(Sketch& cluster, std::string_view server, std::string_view leaf,
              std::optional<BytesPerSecond> remaining = std::nullopt) {
  const auto found = find_switch(*cluster.cluster, cluster.cluster->backend(), leaf);
  REQUIRE(found);
  cluster.view->health.link_faults.push_back({cluster.server(server), *found, remaining});
  *cluster.fabric =
      Fabric::build(*cluster.cluster, cluster.cluster->backend(), cluster.view->health);
}

void fail_roof(Sketch& cluster) {
  for (int i = 0; i < 4; ++i)
    cluster.view->health.failed_switches.push_back({Cluster::root(), 0, i});
  *cluster.fabric =
      Fabric::build(*cluster.cluster, cluster.cluster->backend(), cluster.view->health);
}

Placement kept(const Sketch& cluster, const Job& job, std::string_view before,
               std::span<const GpuId> held = {}, const Constraints& constraints = {}) {
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, constraints);
  const auto result = keep(problem, constraints, cluster.servers(before), {}, held);
  if (const auto* none = std::get_if<NoFit>(&result))
    FAIL(none->blockers.front().constraint << ": " << none->blockers.front().what);
  return std::get<Placement>(result);
}

}  // namespace

TEST_CASE("who must move does not go to a server that is cut off", "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2] r2[a3]\nb: r3[b1! b2]");
  fail_nic(cluster, "a1", "a/r1/RTSW-1");
  CHECK(cluster.names(kept(cluster, ring_of(2), "a2 b1").servers) == "a2 a3");
}

TEST_CASE("who must move goes where links are sound", "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2!] r2[a3 a4]\nb: r3[b1 b2]");
  fail_nic(cluster, "a3", "a/r2/RTSW-1", BytesPerSecond{1'000'000'000});
  const Placement placement = kept(cluster, ring_of(2), "a1 a2");
  CHECK(cluster.names(placement.servers) == "a1 a4");
  REQUIRE(placement.candidates.size() == 2);
  CHECK(placement.candidates.front().name == "kept, sound links only");
  CHECK(placement.candidates.front().communication < placement.candidates.back().communication);
  // Whoever is on weak links already stays there.
  CHECK(cluster.names(kept(cluster, ring_of(2), "a3 a2").servers) == "a3 a4");
}

TEST_CASE(
    "who must move may go where less is sent between zones, for as long as the tolerance says",
    "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2!] r2[a3]\nb: r3[b1]", 1);
  fail_nic(cluster, "a3", "a/r2/RTSW-1", BytesPerSecond{10'000'000'000});
  const Job job = ring_of(2);
  const auto after = [&](std::optional<double> of_job, const KeepOptions& options) {
    Constraints constraints;
    constraints.time_tolerance = of_job;
    const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, constraints);
    const auto result = keep(problem, constraints, cluster.servers("a1 a2"), options);
    return cluster.names(std::get<Placement>(result).servers);
  };
  CHECK(after(std::nullopt, {}) == "a1 b1");
  CHECK(after(std::nullopt, {.tolerance = 100}) == "a1 a3");
  // What the job says goes before.
  CHECK(after(100, {.tolerance = 0}) == "a1 a3");
  CHECK(after(0, {.tolerance = 100}) == "a1 b1");
}

TEST_CASE("links that a job does not use keep it from no server", "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2!] r2[a3 a4]\nb: r3[b1 b2]");
  const auto spine = find_switch(*cluster.cluster, cluster.cluster->backend(), "a/CTSW-1");
  REQUIRE(spine);
  const BytesPerSecond little{1'000'000};
  // What leads out of the zone is weak, too.
  const FabricSpec& spec = cluster.cluster->backend();
  for (int i = 0; i < spec.tiers[1].switches; ++i) {
    for (int j = 0; j < spec.tiers[0].switches; ++j) {
      cluster.view->health.link_faults.push_back(
          {SwitchRef{spine->domain, 0, i}, SwitchRef{Cluster::root(), 0, j}, little});
    }
  }
  fail_nic(cluster, "a3", "a/r2/RTSW-1", little);
  CHECK(cluster.names(kept(cluster, ring_of(2), "a1 a2").servers) == "a1 a4");
}

TEST_CASE("a weak server takes nobody beside those who stay there", "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2!] r2[a3 a4] r3[a5]\nb: r4[b1 b2]");
  fail_nic(cluster, "a1", "a/r1/RTSW-1", BytesPerSecond{1'000'000});
  Job job = parse_job_text("tp=4,dp=4,model=llama3-8b");
  job.ranks_per_server = 4;
  // In a ring the third is nobody's neighbour on a1, so its traffic would pass those links, too.
  // But for a5 all others have no room left.
  for (const char* full : {"a3", "a4", "b1", "b2"}) {
    const JobId others = cluster.view->occupancy.add_job(std::string("beside ") + full);
    for (int gpu = 4; gpu < 8; ++gpu)
      cluster.view->occupancy.hold(others, {cluster.server(full), gpu});
  }
  CHECK(cluster.names(kept(cluster, job, "a1 a3 a2 a4").servers) == "a1 a3 a5 a4");
}

TEST_CASE("who is cut off moves, and alone", "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2] r2[a3]\nb: r3[b1 b2]");
  fail_nic(cluster, "a1", "a/r1/RTSW-1");
  CHECK(cluster.names(kept(cluster, ring_of(2), "a1 b1").servers) == "b2 b1");
}

TEST_CASE("a job whose zone is cut off stays in it, though others have room", "[scheduler][keep]") {
  Sketch cluster = sketch("a: r1[a1 a2] r2[a3!]\nb: r3[b1 b2] r4[b3 b4]");
  fail_roof(cluster);
  CHECK(cluster.names(kept(cluster, ring_of(2), "a1 a2").servers) == "a1 a2");
  CHECK(cluster.names(kept(cluster, ring_of(2), "a1 a3").servers) == "a1 a2");
}

TEST_CASE("ranks that stay keep their GPUs", "[scheduler][keep]") {
  const Sketch cluster = sketch("a: r1[s1 s2! s3]");
  Job job = parse_job_text("tp=4,dp=3,model=llama3-8b");
  job.ranks_per_server = 4;
  std::vector<GpuId> held;
  for (int gpu = 0; gpu < 8; ++gpu) held.push_back({cluster.server("s1"), gpu});
  for (int gpu = 4; gpu < 8; ++gpu) held.push_back({cluster.server("s2"), gpu});
  // The second of s1 has GPUs 4 to 7 and stays, whoever comes and goes beside it.
  const Placement placement = kept(cluster, job, "s1 s1 s2", held);
  CHECK(cluster.names(placement.servers) == "s1 s1 s3");
  for (int i = 0; i < 4; ++i) {
    CHECK(placement.gpus[static_cast<std::size_t>(i)] == GpuId{cluster.server("s1"), i});
    CHECK(placement.gpus[static_cast<std::size_t>(4 + i)] == GpuId{cluster.server("s1"), 4 + i});
    CHECK(placement.gpus[static_cast<std::size_t>(8 + i)] == GpuId{cluster.server("s3"), i});
  }
  // Half a server, held from its other end.
  const std::vector<GpuId> upper(held.begin() + 4, held.begin() + 8);
  job = parse_job_text("tp=4,dp=2,model=llama3-8b");
  job.ranks_per_server = 4;
  const Placement half = kept(cluster, job, "s1 s2", upper);
  CHECK(half.gpus.front() == GpuId{cluster.server("s1"), 4});
}

TEST_CASE("of the ranks on one server those move whose GPUs have failed", "[scheduler][keep]") {
  const Sketch cluster = sketch("a: r1[s1 s2 s3]");
  Job job = parse_job_text("tp=4,dp=4,model=llama3-8b");
  job.ranks_per_server = 4;
  std::vector<GpuId> held;
  for (const char* server : {"s1", "s2"}) {
    for (int gpu = 0; gpu < 8; ++gpu) held.push_back({cluster.server(server), gpu});
  }
  cluster.view->health.failed_gpus = {{cluster.server("s1"), 0}};
  CHECK(cluster.names(kept(cluster, job, "s1 s1 s2 s2", held).servers) == "s3 s1 s2 s2");
  cluster.view->health.failed_gpus = {{cluster.server("s1"), 7}};
  CHECK(cluster.names(kept(cluster, job, "s1 s1 s2 s2", held).servers) == "s1 s3 s2 s2");
}

TEST_CASE("a required level holds for who must move", "[scheduler][keep]") {
  const Sketch cluster = sketch("a: r1[a1 a2!] r2[a3*]\nb: r3[b1 b2]");
  Constraints constraints;
  constraints.required_level = 1;
  const Job job = ring_of(2);
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, constraints);
  const auto result = keep(problem, constraints, cluster.servers("a1 a2"));
  const auto* none = std::get_if<NoFit>(&result);
  REQUIRE(none != nullptr);
  CHECK(none->blockers.front().constraint == "staying in a");
}

TEST_CASE("where nobody can stay, a required level is held where there is room",
          "[scheduler][keep]") {
  const Sketch cluster = sketch("a: r1[a1! a2!] r2[a3]\nb: r3[b1 b2]");
  Constraints constraints;
  constraints.required_level = 1;
  CHECK(cluster.names(kept(cluster, ring_of(2), "a1 a2", {}, constraints).servers) == "b1 b2");
}
