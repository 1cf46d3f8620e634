#include "zonecut/scheduler/engine.hpp"

#include <algorithm>
#include <set>

#include "placed.hpp"
#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "support/sketch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/baseline.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

/// Two zones of four and one of two servers, racks of two.
constexpr const char* kThreeZones = R"(
  a: r1[a1 a2] r2[a3 a4]
  b: r3[b1 b2] r4[b3 b4]
  c: r5[c1 c2]
)";

const Job kRingOfFour = parse_job_text("tp=8,dp=4,model=llama3-8b");

}  // namespace

TEST_CASE("a problem is not posed on the fabric of another cluster, alike or not", "[scheduler]") {
  const Sketch here = sketch(kThreeZones);
  const Sketch alike = sketch(kThreeZones);
  const Job job = parse_job_text("tp=8,dp=2,model=llama3-8b");
  CHECK_THROWS_AS(pose(*here.view, *alike.fabric, job, {}), InternalError);
  CHECK_NOTHROW(pose(*here.view, *here.fabric, job, {}));
}

TEST_CASE("a job that fits one zone crosses none, and takes the zone with the least room",
          "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  const Placement placement =
      placed(place_in(cluster, parse_job_text("tp=8,dp=2,model=llama3-8b")));
  CHECK(placement.prediction.cross_zone == Bytes{0});
  CHECK(placement.gap == 0.0);
  CHECK(std::set(placement.servers.begin(), placement.servers.end()).size() == 2);
  // Two servers fit a rack; all racks are equally tight, so the first is as good as any, but it
  // must be one rack.
  CHECK(cluster.cluster->server(placement.servers[0]).rack ==
        cluster.cluster->server(placement.servers[1]).rack);
}

TEST_CASE("drained, down and held servers are never given out", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2*] r2[a3 a4]
    b: r3[b1 b2] r4[b3~ b4!]
  )");
  const Placement placement =
      placed(place_in(cluster, parse_job_text("tp=8,dp=5,model=llama3-8b")));
  std::vector<ServerId> used = placement.servers;
  std::sort(used.begin(), used.end());
  CHECK(used == cluster.servers("a1 a3 a4 b1 b2"));
}

TEST_CASE("half a server's GPUs hold a job of four ranks a server", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1/4 a2/4]");
  Job job = parse_job_text("tp=4,dp=2,model=llama3-8b");
  job.ranks_per_server = 4;
  const Placement placement = placed(place_in(cluster, job));
  REQUIRE(placement.gpus.size() == 8);
  for (const GpuId gpu : placement.gpus) CHECK(gpu.index < 4);
}

TEST_CASE("a server with room for two vertices holds both", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1]");
  Job job = parse_job_text("tp=4,dp=2,model=llama3-8b");
  job.ranks_per_server = 4;
  const Placement placement = placed(place_in(cluster, job));
  CHECK(cluster.names(placement.servers) == "a1 a1");
  std::set<GpuId> distinct(placement.gpus.begin(), placement.gpus.end());
  CHECK(distinct.size() == 8);
}

TEST_CASE("given servers are all used, and only their order is chosen", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.only = cluster.servers("a1 b1 a2 b2");
  const Placement placement = placed(place_in(cluster, kRingOfFour, constraints));
  std::vector<ServerId> used = placement.servers;
  std::sort(used.begin(), used.end());
  CHECK(used == cluster.servers("a1 a2 b1 b2"));
  // A ring over two zones crosses twice, whatever the order given.
  const std::int64_t edge = placement.prediction.cross_zone.count / 2;
  CHECK(placement.prediction.cross_zone.count == 2 * edge);
  CHECK(placement.gap == 0.0);
}

TEST_CASE("given servers that are too few or too many are refused with both numbers",
          "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.only = cluster.servers("a1 a2 a3");
  const PlacementResult result = place_in(cluster, kRingOfFour, constraints);
  const auto& none = std::get<NoFit>(result);
  REQUIRE(none.blockers.size() == 1);
  CHECK(none.blockers[0].what.find("needs 4 servers") != std::string::npos);
  CHECK(none.blockers[0].what.find("room for 3") != std::string::npos);
}

TEST_CASE("a required level that holds the job nowhere names the best domain and the next level",
          "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.required_level = 1;
  const PlacementResult result =
      place_in(cluster, parse_job_text("tp=8,dp=6,model=llama3-8b"), constraints);
  const auto& none = std::get<NoFit>(result);
  REQUIRE(none.blockers.size() == 1);
  CHECK(none.blockers[0].constraint == "required level: zone");
  CHECK(none.blockers[0].what.find("the most are 4 in a") != std::string::npos);
  CHECK(none.blockers[0].nearest == "the whole cluster has room for 10");
}

TEST_CASE("a preferred level gives way", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.preferred_level = 1;
  CHECK(zones_of(cluster, placed(place_in(cluster, kRingOfFour, constraints))).size() == 1);
  CHECK(zones_of(cluster, placed(place_in(cluster, parse_job_text("tp=8,dp=6,model=llama3-8b"),
                                          constraints)))
            .size() == 2);
}

TEST_CASE("nested slices stay whole in their zones and racks", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2] r2[a3] r3[a4 a5]
    b: r4[b1 b2] r5[b3 b4] r6[b5]
    c: r7[c1]
  )");
  Constraints constraints;
  constraints.slices = {{2, 16}, {1, 32}};  // 16 GPUs a rack in 32 a zone
  const Placement placement =
      placed(place_in(cluster, parse_job_text("tp=8,dp=8,model=llama3-8b"), constraints));
  for (std::size_t v = 0; v < 8; v += 2) {
    CHECK(cluster.cluster->common_level(placement.servers[v], placement.servers[v + 1]) == 2);
  }
  for (std::size_t v = 0; v < 8; v += 4) {
    CHECK(cluster.cluster->common_level(placement.servers[v], placement.servers[v + 3]) >= 1);
  }
}

TEST_CASE("slices that find no room say how many do, and which size would", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2] r2[a3 a4*]
    b: r3[b1 b2] r4[b3]
  )");
  Constraints constraints;
  constraints.slices = {{2, 16}};
  const PlacementResult result =
      place_in(cluster, parse_job_text("tp=8,dp=6,model=llama3-8b"), constraints);
  const auto& none = std::get<NoFit>(result);
  REQUIRE(none.blockers.size() == 1);
  CHECK(none.blockers[0].constraint == "slice: 16 GPUs per rack");
  CHECK(none.blockers[0].what == "the job is 3 such slices; there is room for 2");
  CHECK(none.blockers[0].nearest == "slices of 8 GPUs would fit");
}

TEST_CASE("slices that do not nest or do not divide the job are the user's mistake",
          "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.slices = {{1, 48}};
  CHECK_THROWS_AS(place_in(cluster, kRingOfFour, constraints), InputError);
  constraints.slices = {{1, 32}, {2, 24}};
  CHECK_THROWS_AS(place_in(cluster, kRingOfFour, constraints), InputError);
  constraints.slices = {{2, 12}};
  CHECK_THROWS_AS(place_in(cluster, kRingOfFour, constraints), InputError);
}

TEST_CASE("whole racks are shared with nobody", "[scheduler]") {
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2*] r2[a3 a4]
    b: r3[b1 b2]
  )");
  Constraints constraints;
  constraints.whole_racks = true;
  const Placement placement = placed(place_in(cluster, kRingOfFour, constraints));
  for (const ServerId server : placement.servers) CHECK(server != cluster.server("a1"));
  const PlacementResult five =
      place_in(cluster, parse_job_text("tp=8,dp=5,model=llama3-8b"), constraints);
  CHECK(std::get<NoFit>(five).blockers.front().constraint == "whole_racks");
}

TEST_CASE("a spread caps every domain of its level", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.spread = Spread{1, 2};
  const Placement placement = placed(place_in(cluster, kRingOfFour, constraints));
  CHECK(zones_of(cluster, placement).size() == 2);
  const PlacementResult seven =
      place_in(cluster, parse_job_text("tp=8,dp=7,model=llama3-8b"), constraints);
  const auto& none = std::get<NoFit>(seven);
  CHECK(none.blockers.front().constraint == "spread: 2 servers per zone");
  CHECK(none.blockers.front().nearest == "3 servers per zone would fit");
}

TEST_CASE("an exclusion that forbids the job is named", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  Constraints constraints;
  constraints.excluded = cluster.servers("a1 a2 a3");
  const PlacementResult result =
      place_in(cluster, parse_job_text("tp=8,dp=8,model=llama3-8b"), constraints);
  CHECK(std::get<NoFit>(result).blockers.front().constraint == "exclude: 3 servers");
}

TEST_CASE("too large a job is refused with what is free", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1 a2~]");
  const PlacementResult result = place_in(cluster, kRingOfFour);
  const auto& none = std::get<NoFit>(result);
  CHECK(none.blockers.front().constraint == "free capacity");
  CHECK(none.blockers.front().what ==
        "the job needs 4 servers with 8 GPUs; 1 is free, and 1 server is drained or down");
  CHECK(none.blockers.front().nearest == "8 GPUs would fit now");
}

TEST_CASE("a refused job is told that one of its name runs", "[scheduler]") {
  Sketch cluster = sketch("a: r1[a1 a2] r2[a3 a4]");
  Occupancy& occupancy = cluster.view->occupancy;
  const JobId same = occupancy.add_job(kRingOfFour.name);
  for (int gpu = 0; gpu < 8; ++gpu) occupancy.hold(same, {cluster.server("a2"), gpu});
  const PlacementResult result = place_in(cluster, kRingOfFour);
  CHECK(std::get<NoFit>(result).blockers.front().what ==
        "the job needs 4 servers with 8 GPUs; 3 are free; a job called " + kRingOfFour.name +
            " holds 8 GPUs");
}

TEST_CASE("the engine is never worse than a rule it stands beside", "[scheduler]") {
  const auto check = [](const Sketch& cluster, const char* text) {
    INFO(text);
    const Job job = parse_job_text(text);
    const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
    const PlacementOptions options;
    const Placement ours = placed(place(problem, {}, options));
    for (const Baseline baseline : all_baselines()) {
      const auto order = baseline_order(baseline, problem, ours.servers, 7);
      REQUIRE(order);
      const Placement theirs = evaluate(problem, *order, "");
      INFO(baseline_name(baseline));
      CHECK(ours.prediction.communication.count <=
            theirs.prediction.communication.count * (1 + options.tolerance) + 1e-12);
    }
    if (ours.lower_bound) CHECK(*ours.lower_bound <= ours.prediction.cross_zone);
  };
  const Sketch uneven = sketch(R"(
    a: r1[a1 a2] r2[a3 a4*] r3[a5 a6]
    b: r4[b1 b2*] r5[b3 b4]
    c: r6[c1 c2] r7[c3 c4] r8[c5 c6] r9[c7]
  )");
  for (const char* text :
       {"tp=8,dp=12,model=llama3-8b", "tp=8,pp=4,dp=3,model=llama3-70b",
        "tp=8,pp=3,dp=4,vpp=2,model=llama3-70b", "tp=8,pp=6,dp=2,model=llama3-70b"}) {
    check(uneven, text);
  }
  // Where a cut that is least takes longer than one that divides no group.
  const Sketch even = sketch(R"(
    a: r1[a1 a2 a3 a4]
    b: r2[b1 b2 b3 b4]
    c: r3[c1 c2 c3 c4]
    d: r4[d1 d2 d3 d4]
    e: r5[e1 e2 e3 e4]
    f: r6[f1 f2 f3 f4]
  )");
  check(even, "tp=8,pp=4,dp=6,model=llama3-8b");
}

TEST_CASE("the same input gives the same placement", "[scheduler]") {
  const Sketch cluster = sketch(kThreeZones);
  const Job job = parse_job_text("tp=8,pp=2,dp=4,model=llama3-8b");
  const Placement first = placed(place_in(cluster, job));
  const Placement second = placed(place_in(cluster, job));
  CHECK(first.servers == second.servers);
  CHECK(first.gpus == second.gpus);
}

namespace {

/// The drawing with some links failed or degraded; keeps the sketch's cluster and view.
Sketch with_faults(Sketch sketch, std::vector<SwitchRef> switches, std::vector<LinkFault> links) {
  std::sort(switches.begin(), switches.end());
  sketch.view->health.failed_switches = std::move(switches);
  sketch.view->health.link_faults = std::move(links);
  sketch.fabric = std::make_unique<Fabric>(
      Fabric::build(*sketch.cluster, sketch.cluster->backend(), sketch.view->health));
  return sketch;
}

SwitchRef switch_of(const Sketch& sketch, std::string_view name) {
  const auto found = find_switch(*sketch.cluster, sketch.cluster->backend(), name);
  REQUIRE(found);
  return *found;
}

}  // namespace

TEST_CASE("servers behind a failed switch are left alone while others hold the job",
          "[scheduler]") {
  Sketch drawn = sketch(kThreeZones);
  const SwitchRef dead = switch_of(drawn, "a/r1/RTSW-1");
  const Sketch cluster = with_faults(std::move(drawn), {dead}, {});
  const Placement placement =
      placed(place_in(cluster, parse_job_text("tp=8,dp=8,model=llama3-8b")));
  for (const ServerId server : placement.servers) {
    CHECK(server != cluster.server("a1"));
    CHECK(server != cluster.server("a2"));
  }
}

TEST_CASE("given servers in racks that others share break whole racks", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1 a2] r2[a3 a4*]");
  Constraints constraints;
  constraints.whole_racks = true;
  const Job two = parse_job_text("tp=8,dp=2,model=llama3-8b");
  constraints.only = cluster.servers("a1 a2");
  CHECK(std::holds_alternative<Placement>(place_in(cluster, two, constraints)));
  constraints.only = cluster.servers("a2 a3");
  const auto result = place_in(cluster, two, constraints);
  const auto* none = std::get_if<NoFit>(&result);
  REQUIRE(none != nullptr);
  CHECK(none->blockers.front().constraint == "whole_racks");
  // Who holds a given server is taken for the job itself.
  constraints.only = cluster.servers("a3 a4");
  CHECK(std::holds_alternative<Placement>(place_in(cluster, two, constraints)));
}

TEST_CASE("a zone whose links failed holds no job, and what crosses then is proven",
          "[scheduler]") {
  const std::string_view drawn = R"(
    a: r1[a1 a2] r2[a3 a4] r3[a5 a6]
    b: r4[b1 b2]
    c: r5[c1 c2]
  )";
  const Sketch sound = sketch(drawn);
  const Job job = parse_job_text("tp=8,dp=4,model=llama3-8b");
  std::vector<SwitchRef> spines;
  for (const char* name : {"a/CTSW-1", "a/CTSW-2", "a/CTSW-3", "a/CTSW-4"})
    spines.push_back(switch_of(sound, name));
  const Sketch cluster = with_faults(sketch(drawn), spines, {});
  const Placement placement = placed(place_in(cluster, job));
  CHECK(placement.prediction.cross_zone.count > 0);
  CHECK(placement.lower_bound == placement.prediction.cross_zone);
  CHECK(placement.reasons.front() ==
        "no zone holds the job over links that work: it needs 4 servers, the most that reach each "
        "other in one is 2; 2 of 3 zones are used");
  // Two jobs in one that have nothing to do with each other: each may stand in a rack.
  const Job two = parse_job_file("gpus: 32\nmatrix: [[0, 8, 1GB], [16, 24, 1GB]]", "j.yaml").job;
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, two, {});
  const Placement apart = evaluate(problem, cluster.servers("a1 a2 a3 a4"), "by hand");
  CHECK(apart.prediction.cross_zone.count == 0);
  CHECK(apart.lower_bound == Bytes{0});
}

TEST_CASE("an order is parted where failed links lie between servers that communicate",
          "[scheduler]") {
  Sketch cluster = sketch(kThreeZones);
  cluster.view->health.link_faults.clear();
  for (int i = 0; i < 4; ++i)
    cluster.view->health.failed_switches.push_back({Cluster::root(), 0, i});
  *cluster.fabric =
      Fabric::build(*cluster.cluster, cluster.cluster->backend(), cluster.view->health);
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, kRingOfFour, {});
  CHECK_FALSE(parted(problem, cluster.servers("a1 a2 a3 a4")));
  const auto refusal = parted(problem, cluster.servers("a1 a2 b1 b2"));
  REQUIRE(refusal);
  REQUIRE(refusal->blockers.size() == 2);
  CHECK(refusal->blockers[0].what.find("from a,") != std::string::npos);
}

TEST_CASE("a zone that is cut off holds a job of its own, and no part of a larger one",
          "[scheduler]") {
  Sketch drawn = sketch(kThreeZones);
  std::vector<SwitchRef> roof;
  for (const char* name : {"ATSW-1", "ATSW-2", "ATSW-3", "ATSW-4"})
    roof.push_back(switch_of(drawn, name));
  const Sketch cluster = with_faults(std::move(drawn), roof, {});
  CHECK(zones_of(cluster, placed(place_in(cluster, kRingOfFour))).size() == 1);
  const PlacementResult five = place_in(cluster, parse_job_text("tp=8,dp=5,model=llama3-8b"));
  const auto& none = std::get<NoFit>(five);
  REQUIRE(none.blockers.size() == 1);
  CHECK(none.blockers[0].constraint == "failed links");
  CHECK(none.blockers[0].what.find("at most 4 together, in a") != std::string::npos);
}

TEST_CASE("a link that has lost most of its capacity is avoided while others hold the job",
          "[scheduler]") {
  Sketch drawn = sketch(kThreeZones);
  const LinkFault slow{drawn.server("a1"), switch_of(drawn, "a/r1/RTSW-1"),
                       BytesPerSecond{125'000'000}};
  const Sketch cluster = with_faults(std::move(drawn), {}, {slow});
  const Placement nine = placed(place_in(cluster, parse_job_text("tp=8,dp=9,model=llama3-8b")));
  for (const ServerId server : nine.servers) CHECK(server != cluster.server("a1"));
  // All ten are needed: then it is used, and named as what binds.
  const Placement ten = placed(place_in(cluster, parse_job_text("tp=8,dp=10,model=llama3-8b")));
  CHECK(ten.prediction.communication.count > 10 * nine.prediction.communication.count);
}

TEST_CASE("a link that has lost a little is avoided where that costs nothing", "[scheduler]") {
  Sketch drawn = sketch("a: r1[a1 a2 a3]");
  const LinkFault weak{
      drawn.server("a1"), switch_of(drawn, "a/r1/RTSW-1"),
      BytesPerSecond{drawn.fabric->injection_capacity(drawn.server("a1")).count * 6 / 10}};
  const Sketch cluster = with_faults(std::move(drawn), {}, {weak});
  const Placement two = placed(place_in(cluster, parse_job_text("tp=8,dp=2,model=llama3-8b")));
  CHECK(cluster.names(two.servers) == "a2 a3");
}

TEST_CASE("servers of one scale-up domain are kept together", "[scheduler]") {
  const Cluster cluster = parse_cluster(
      "format: cluster/v1\nlevels: [zone, rack]\ngpus: 4\nscale_up: {servers: 2}\n"
      "domains:\n  - {zone: a, rack: r1, servers: 's[1-4]'}\n",
      "c.yaml");
  ClusterView view(cluster);
  const JobId other = view.occupancy.add_job("other");
  for (int gpu = 0; gpu < 4; ++gpu) view.occupancy.hold(other, {*cluster.find_server("s1"), gpu});
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = parse_job_text("tp=4,dp=2,model=llama3-8b");
  const Placement placement = placed(place(pose(view, fabric, job, {}), {}, {}));
  std::set<std::string> names;
  for (const ServerId server : placement.servers) names.insert(cluster.server(server).name);
  CHECK(names == std::set<std::string>{"s3", "s4"});
}

TEST_CASE("a smaller cut that takes longer is named", "[scheduler]") {
  // Zone c is small, and so is its uplink: the least cut puts a replica there.
  const Sketch cluster = sketch(R"(
    a: r1[a1 a2] r2[a3 a4] r3[a5 a6] r4[a7 a8] r5[a9 a10]
    b: r6[b1 b2] r7[b3 b4] r8[b5 b6]
    c: r9[c1 c2] r10[c3 c4]
  )");
  const Placement placement =
      placed(place_in(cluster, parse_job_text("tp=8,pp=4,dp=4,vpp=5,gbs=64,model=llama3-70b")));
  const bool smaller = std::any_of(
      placement.candidates.begin(), placement.candidates.end(),
      [&](const Candidate& c) { return c.cross_zone < placement.prediction.cross_zone; });
  REQUIRE(smaller);
  const bool named = std::any_of(
      placement.reasons.begin(), placement.reasons.end(),
      [](const std::string& reason) { return reason.starts_with("a smaller cut was found"); });
  CHECK(named);
}

TEST_CASE("an order in which some flows have no path is none to choose", "[scheduler]") {
  FabricSpec spec;
  spec.leaves = LeafWiring::Rail;
  spec.nics_per_server = 4;
  const BytesPerSecond uplink{50'000'000'000};
  spec.tiers = {
      {"ATSW", 1, 0, {}, 0, {}}, {"CTSW", 4, 1, uplink, 0, {}}, {"RTSW", 4, 4, uplink, 0, {}}};
  const Cluster cluster = drawn_cluster("z: r1[s1 s2] r2[s3]", spec, 4);
  ClusterView view(cluster);
  const ServerId maimed = cluster.find_server("s1").value();
  const DomainId rack = cluster.domain_of(maimed, cluster.rack_level());
  view.health.link_faults.push_back({maimed, SwitchRef{rack, 0, 2}, std::nullopt});
  const Fabric fabric = Fabric::build(cluster, spec, view.health);
  const Job of_two = parse_job_text("tp=4,dp=2,model=llama3-8b");
  const Job of_three = parse_job_text("tp=4,dp=3,model=llama3-8b");
  for (const RoutingScheme scheme : {RoutingScheme::Engineered, RoutingScheme::Pinned}) {
    const PlacementProblem two = pose(view, fabric, of_two, {}, {.routing = {scheme}});
    const std::vector<ServerId> with_it = {maimed, ServerId{1}};
    const PlacementResult judged = judge(two, with_it, "given");
    REQUIRE(std::holds_alternative<NoFit>(judged));
    CHECK(std::get<NoFit>(judged).blockers.front().constraint == "failed links");
    const Placement chosen = placed(place(two, {}, {}));
    CHECK(std::ranges::count(chosen.servers, maimed) == 0);
    const PlacementProblem three = pose(view, fabric, of_three, {}, {.routing = {scheme}});
    const PlacementResult none = place(three, {}, {});
    REQUIRE(std::holds_alternative<NoFit>(none));
    CHECK(std::get<NoFit>(none).blockers.front().constraint == "failed links");
    // Who runs like that is stuck, and takes nothing from others.
    const RunningTraffic stuck{"stuck", two.traffic, with_it, std::nullopt};
    CHECK(Background(fabric, {stuck}, {scheme}).empty());
  }
}
