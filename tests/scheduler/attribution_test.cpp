// What was measured taken apart, against predictions made by hand for each part.
#include "zonecut/scheduler/attribution.hpp"

#include <numeric>

#include "support/catch.hpp"
#include "support/sketch.hpp"

using namespace zonecut;

namespace {

Job ring_of(int servers, const std::string& name = "ring") {
  Job job = parse_job_text("tp=8,dp=" + std::to_string(servers) + ",model=llama3-8b");
  job.name = name;
  return job;
}

PlacementOptions fast() {
  PlacementOptions options;
  options.mapping.effort = Effort::Fast;
  return options;
}

SettledJob running(Setting& setting, const Sketch& cluster, const Job& job,
                   std::string_view servers) {
  return settle_on(setting, job, {}, cluster.servers(servers), std::nullopt);
}

double seconds(const Attribution& found, Cause cause) {
  for (const CauseShare& share : found.shares) {
    if (share.cause == cause) return share.seconds.count;
  }
  FAIL("no such cause");
  return 0;
}

Attribution attributed(const Setting& setting, const SettledJob& job,
                       const std::vector<SettledJob>& others, double measured) {
  const auto found = attribute(setting, job, others, Seconds{measured}, fast());
  if (const auto* refusal = std::get_if<NoFit>(&found)) FAIL(refusal->blockers.front().what);
  auto attribution = std::get<Attribution>(found);
  double sum = 0;
  for (const CauseShare& share : attribution.shares) sum += share.seconds.count;
  CHECK(sum == Approx(measured));
  CHECK(attribution.shares.size() == 7);
  return attribution;
}

double predicted(const Sketch& cluster, const SettledJob& job, std::string_view servers,
                 const Health& health, const Routing& routing = {},
                 const std::vector<RunningTraffic>& beside = {}) {
  const Fabric fabric = Fabric::build(*cluster.cluster, cluster.cluster->backend(), health);
  return predict(fabric, job.running.traffic, cluster.servers(servers), routing,
                 Background(fabric, beside, routing))
      .communication.count;
}

constexpr const char* kTwoZones = "a: r1[a1 a2] r2[a3 a4]\nb: r3[b1 b2] r4[b3 b4]";

}  // namespace

TEST_CASE("each cause is the difference of two predictions", "[scheduler][attribution]") {
  Sketch cluster = sketch(kTwoZones);
  const auto failed = find_switch(*cluster.cluster, cluster.cluster->backend(), "b/CTSW-1");
  REQUIRE(failed);
  cluster.view->health.failed_switches = {*failed};
  Routing hashed;
  hashed.scheme = RoutingScheme::Ecmp;
  Setting setting(*cluster.view, hashed);
  // Two of a's four are taken, so that four together are nowhere: two and two is the best there is.
  const SettledJob other = running(setting, cluster, ring_of(2, "other"), "a4 b4");
  const SettledJob job = running(setting, cluster, ring_of(4), "a1 b1 a2 b2");
  const Health well(*cluster.cluster);
  const Health& broken = cluster.view->health;
  const double alone = predicted(cluster, job, "a1 a2 a3 a4", well);
  const double best = predicted(cluster, job, "a1 a2 b1 b2", well);
  const double here = predicted(cluster, job, "a1 b1 a2 b2", well);
  const double routed = predicted(cluster, job, "a1 b1 a2 b2", well, hashed);
  const double with_failures = predicted(cluster, job, "a1 b1 a2 b2", broken, hashed);
  const double now = predicted(cluster, job, "a1 b1 a2 b2", broken, hashed, {other.running});
  REQUIRE(alone < best);
  REQUIRE(best < here);
  const Attribution found = attributed(setting, job, {other}, 2 * now);
  CHECK(seconds(found, Cause::Least) == Approx(alone));
  CHECK(seconds(found, Cause::Room) == Approx(best - alone));
  CHECK(seconds(found, Cause::Placement) == Approx(here - best));
  CHECK(seconds(found, Cause::Routing) == Approx(routed - here));
  CHECK(seconds(found, Cause::Failures) == Approx(with_failures - routed));
  CHECK(seconds(found, Cause::OtherJobs) == Approx(now - with_failures));
  CHECK(seconds(found, Cause::Unexplained) == Approx(now));
  CHECK(found.predicted.count == Approx(now));
  CHECK(found.predicted_low <= found.predicted);
  CHECK(found.predicted <= found.predicted_high);
  CHECK(main_cause(found) == Cause::Unexplained);
  CHECK(main_cause(attributed(setting, job, {other}, now)) != Cause::Unexplained);
  CHECK(seconds(attributed(setting, job, {other}, now / 2), Cause::Unexplained) < 0);
}

TEST_CASE("collisions on what a broken switch leaves are the failure's",
          "[scheduler][attribution]") {
  Sketch cluster = sketch(kTwoZones);
  Routing hashed;
  hashed.scheme = RoutingScheme::Ecmp;
  const auto attributed_now = [&] {
    Setting setting(*cluster.view, hashed);
    const SettledJob job = running(setting, cluster, ring_of(4), "b1 b2 b3 b4");
    return attributed(setting, job, {}, 1);
  };
  const Attribution well = attributed_now();
  REQUIRE(seconds(well, Cause::Routing) > 0);
  const auto failed = find_switch(*cluster.cluster, cluster.cluster->backend(), "b/CTSW-1");
  REQUIRE(failed);
  cluster.view->health.failed_switches = {*failed};
  const Attribution found = attributed_now();
  CHECK(seconds(found, Cause::Routing) == Approx(seconds(well, Cause::Routing)));
  CHECK(seconds(found, Cause::Failures) == Approx(found.predicted.count - well.predicted.count));
  CHECK(seconds(found, Cause::Failures) > 0);
}

TEST_CASE("waiting for receivers is no collision", "[scheduler][attribution]") {
  const Sketch cluster = sketch(kTwoZones);
  Routing windowed;
  windowed.admission_window = Bytes{64 << 10};
  Setting setting(*cluster.view, windowed);
  const SettledJob job = running(setting, cluster, ring_of(4), "a1 a2 a3 a4");
  const Health well(*cluster.cluster);
  const double now = predicted(cluster, job, "a1 a2 a3 a4", well, windowed);
  REQUIRE(now > predicted(cluster, job, "a1 a2 a3 a4", well));
  const Attribution found = attributed(setting, job, {}, now);
  CHECK(seconds(found, Cause::Least) == Approx(now));
  CHECK(seconds(found, Cause::Routing) == Approx(0).margin(1e-12));
}

TEST_CASE("a job that stands as well as can be has the least and nothing else",
          "[scheduler][attribution]") {
  const Sketch cluster = sketch(kTwoZones);
  Setting setting(*cluster.view, {});
  const SettledJob job = running(setting, cluster, ring_of(4), "b1 b2 b3 b4");
  const double now = predicted(cluster, job, "b1 b2 b3 b4", Health(*cluster.cluster));
  const Attribution found = attributed(setting, job, {}, now);
  CHECK(seconds(found, Cause::Least) == Approx(now));
  for (const CauseShare& share : found.shares) {
    if (share.cause != Cause::Least) CHECK(share.seconds.count == Approx(0).margin(1e-12));
  }
  CHECK(main_cause(found) == Cause::Least);
}

TEST_CASE("who is parted by failures cannot have been measured", "[scheduler][attribution]") {
  Sketch cluster = sketch(kTwoZones);
  for (int i = 0; i < cluster.cluster->backend().tiers[0].switches; ++i)
    cluster.view->health.failed_switches.push_back({Cluster::root(), 0, i});
  Setting setting(*cluster.view, {});
  const SettledJob job = running(setting, cluster, ring_of(2), "a1 b1");
  CHECK(std::holds_alternative<NoFit>(attribute(setting, job, {}, Seconds{1}, fast())));
}

TEST_CASE("servers that are down or drained under the job do not move it",
          "[scheduler][attribution]") {
  Sketch cluster = sketch("a: r1[a1~ a2!] r2[a3 a4]");
  Setting setting(*cluster.view, {});
  const SettledJob job = running(setting, cluster, ring_of(2), "a1 a2");
  const double now = predicted(cluster, job, "a1 a2", Health(*cluster.cluster));
  CHECK(seconds(attributed(setting, job, {}, now), Cause::Unexplained) == Approx(0).margin(1e-12));
}

TEST_CASE("what is down or drained leaves less room, and is no fault of the placement",
          "[scheduler][attribution]") {
  // Four together are nowhere: a lacks one that is drained, b one that is down.
  Sketch cluster = sketch("a: r1[a1 a2] r2[a3 a4~]\nb: r3[b1 b2] r4[b3 b4!]");
  Setting setting(*cluster.view, {});
  const SettledJob job = running(setting, cluster, ring_of(4), "a1 a2 b1 b2");
  const Health well(*cluster.cluster);
  const double least = predicted(cluster, job, "a1 a2 a3 a4", well);
  const double now = predicted(cluster, job, "a1 a2 b1 b2", well);
  REQUIRE(least < now);
  const Attribution found = attributed(setting, job, {}, now);
  CHECK(seconds(found, Cause::Least) == Approx(least));
  CHECK(seconds(found, Cause::Room) == Approx(now - least));
  CHECK(seconds(found, Cause::Placement) == Approx(0).margin(1e-12));
}

TEST_CASE("what was measured near the least or below it has no other cause",
          "[scheduler][attribution]") {
  const Sketch cluster = sketch(kTwoZones);
  Setting setting(*cluster.view, {});
  const SettledJob job = running(setting, cluster, ring_of(4), "a1 b1 a2 b2");
  const double least = predicted(cluster, job, "a1 a2 a3 a4", Health(*cluster.cluster));
  for (const double times : {0.001, 0.9, 1.0, 1.009})
    CHECK(main_cause(attributed(setting, job, {}, times * least)) == Cause::Least);
  CHECK(main_cause(attributed(setting, job, {}, 1.02 * least)) == Cause::Placement);
}
