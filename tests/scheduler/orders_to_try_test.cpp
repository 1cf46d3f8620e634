// Which of the orders that are tried is chosen, by its time.
#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include "placed.hpp"
#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/engine.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

constexpr const char* kFourZones = R"(format: cluster/v1
levels: [zone, rack]
domains:
  - {zone: a, rack: r1, servers: "a[1-5]"}
  - {zone: b, rack: r1, servers: "b[1-6]"}
  - {zone: c, rack: r1, servers: "c[1-6]"}
  - {zone: d, rack: r1, servers: "d[1-5]"}
)";

/// Of an empty and sound cluster.
PlacementResult place_in(const Cluster& cluster, const std::string& job_text,
                         const Constraints& constraints = {}) {
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  const ClusterView view(cluster);
  const Job job = parse_job_text(job_text);
  return place(pose(view, fabric, job, constraints), constraints, {});
}

}  // namespace

TEST_CASE(
    "the wider zones of two buildings are taken where that is faster, unless one is preferred",
    "[scheduler]") {
  // Building x holds the job, but in a zone of one server behind narrow uplinks.
  const Cluster cluster = parse_cluster(R"(format: cluster/v1
levels: [building, zone, rack]
domains:
  - {building: x, zone: large, rack: r1, servers: "a[1-8]"}
  - {building: x, zone: small, rack: r1, servers: b1}
  - {building: y, zone: wide, rack: r1, servers: "c[1-6]"}
)",
                                        "cluster.yaml");
  const auto in_small = [&](const Constraints& constraints) {
    const auto result = place_in(cluster, "tp=8,dp=9,model=llama3-8b", constraints);
    return std::ranges::count(placed(result).servers, cluster.find_server("b1").value());
  };
  CHECK(in_small({}) == 0);
  Constraints preferred;
  preferred.preferred_level = 1;
  CHECK(in_small(preferred) == 1);
  Constraints required;
  required.required_level = 1;
  CHECK(in_small(required) == 1);
}

TEST_CASE("slices are put into the wider zones of two buildings, and of a campus where that is all",
          "[scheduler]") {
  const Cluster cluster = parse_cluster(R"(format: cluster/v1
levels: [campus, building, zone, rack]
domains:
  - {campus: p, building: x, zone: large, rack: r1, servers: "a[1-8]"}
  - {campus: p, building: x, zone: small, rack: r1, servers: "b[1-2]"}
  - {campus: p, building: y, zone: wide, rack: r1, servers: "c[1-6]"}
  - {campus: q, building: z, zone: far, rack: r1, servers: "d[1-7]"}
)",
                                        "cluster.yaml");
  const auto zones_of_job = [&](std::optional<int> required) {
    Constraints constraints;
    constraints.slices = {{cluster.zone_level(), 16}};
    constraints.required_level = required;
    const Placement found = placed(place_in(cluster, "tp=8,dp=10,model=llama3-8b", constraints));
    std::set<std::string> zones;
    for (const ServerId server : found.servers)
      zones.insert(cluster.server(server).name.substr(0, 1));
    return zones;
  };
  CHECK(zones_of_job(1) == std::set<std::string>{"a", "c"});
  CHECK(zones_of_job({}).count("b") == 0);
  CHECK(zones_of_job(2) == std::set<std::string>{"a", "b"});
}

TEST_CASE("where the links between buildings are scarce, a job is divided between buildings first",
          "[scheduler]") {
  const auto placed_at = [](const std::string& above_buildings) {
    const Cluster cluster = parse_cluster(R"(format: cluster/v1
levels: [building, zone, rack]
backend:
  tiers:
    building: {oversubscription: )" + above_buildings +
                                              R"(}
    zone: {oversubscription: 2}
domains:
  - {building: x, zone: z1, rack: r1, servers: "a[1-6]"}
  - {building: x, zone: z2, rack: r1, servers: "b[1-5]"}
  - {building: y, zone: z1, rack: r1, servers: "c[1-5]"}
  - {building: y, zone: z2, rack: r1, servers: "d[1-4]"}
)",
                                          "cluster.yaml");
    return placed(place_in(cluster, "tp=8,pp=2,dp=8,model=llama3-8b"));
  };
  const auto between_buildings = [](const Placement& placement) {
    return placement.prediction.bytes_by_level.front().count;
  };
  const Placement wide = placed_at("1");
  const Placement scarce = placed_at("14");
  CHECK(wide.candidates.front().name == "minimum cut");
  CHECK(scarce.candidates.front().name == "minimum cut, building first");
  // A hop of the pipeline instead of rings: a twentieth of the bytes there, though more in all.
  CHECK(between_buildings(scarce) * 20 < between_buildings(wide));
  CHECK(scarce.prediction.cross_zone > wide.prediction.cross_zone);
  const auto plain = std::ranges::find(scarce.candidates, "minimum cut", &Candidate::name);
  REQUIRE(plain != scarce.candidates.end());
  CHECK(scarce.prediction.communication.count < 0.8 * plain->communication.count);
}

TEST_CASE("where phases wait for the links between zones, these are loaded evenly", "[scheduler]") {
  const Cluster cluster = parse_cluster(kFourZones, "cluster.yaml");
  const Placement found = placed(place_in(cluster, "tp=8,pp=2,dp=8,model=llama3-8b"));
  const auto plain = std::ranges::find(found.candidates, "minimum cut", &Candidate::name);
  REQUIRE(plain != found.candidates.end());
  CHECK(found.candidates.front().name == "busiest zone eased");
  CHECK(found.prediction.cross_zone > plain->cross_zone);
  CHECK(found.prediction.communication.count < 0.75 * plain->communication.count);
}

TEST_CASE("slices stay whole where the links between zones are loaded evenly", "[scheduler]") {
  const Cluster cluster = parse_cluster(kFourZones, "cluster.yaml");
  Constraints constraints;
  constraints.slices = {{cluster.zone_level(), 32}};
  const Placement found = placed(place_in(cluster, "tp=8,pp=2,dp=8,model=llama3-8b", constraints));
  CHECK(std::ranges::count(found.candidates, "busiest zone eased", &Candidate::name) == 1);
  for (std::size_t v = 0; v < found.servers.size(); ++v) {
    CHECK(cluster.common_level(found.servers[v], found.servers[v / 4 * 4]) >= cluster.zone_level());
  }
}

TEST_CASE("links between zones are asked for what another job leaves of them", "[scheduler]") {
  const Sketch cluster = sketch(R"(
a: r1[a0* a1 a2 a3 a4 a5 a6 a7 a8 a9]
b: r2[b1 b2 b3 b4 b5 b6]
c: r3[c0* c1 c2 c3 c4 c5 c6]
d: r4[d1 d2 d3 d4 d5 d6 d7]
e: r5[e1* e2*]
)");
  const Job exchange =
      parse_job_file("gpus: 16\ncollectives:\n  - {kind: all-to-all, ranks: 0-15, bytes: 1GiB}\n",
                     "job.yaml")
          .job;
  const Job job = parse_job_text("tp=8,pp=2,dp=8,model=llama3-8b");
  const auto placed_beside = [&](std::string_view servers) {
    const RunningTraffic other = {"other", traffic_of(exchange, 8), cluster.servers(servers), {}};
    return placed(
        place(pose(*cluster.view, *cluster.fabric, job, {}, {.beside = {other}}), {}, {}));
  };
  const auto is_beside = [](const Candidate& candidate) {
    return candidate.name.starts_with("busiest zone eased beside other jobs");
  };
  const Placement found = placed_beside("a0 c0");
  CHECK(is_beside(found.candidates.front()));
  for (const std::string name : {"minimum cut", "busiest zone eased"}) {
    const auto slower = std::ranges::find(found.candidates, name, &Candidate::name);
    REQUIRE(slower != found.candidates.end());
    CHECK(found.prediction.communication.count < 0.7 * slower->communication.count);
  }
  // Within a zone the other takes nothing of these links.
  const Placement apart = placed_beside("e1 e2");
  CHECK(std::ranges::count(apart.candidates, "busiest zone eased", &Candidate::name) == 1);
  CHECK(std::ranges::none_of(apart.candidates, is_beside));
}

TEST_CASE("where a rule of others spreads a job best over zones, it fills racks in them",
          "[scheduler]") {
  std::string text = "format: cluster/v1\nlevels: [building, zone, rack]\ndomains:\n";
  for (const std::string_view zone : {"x1", "x2", "x3", "x4", "y1", "y2", "y3", "y4"}) {
    text += "  - {building: " + std::string(zone.substr(0, 1)) + ", zone: " + std::string(zone) +
            ", rack: \"r[1-4]\", servers: \"" + std::string(zone) + "-[1-12]\"}\n";
  }
  const Cluster cluster = parse_cluster(text, "cluster.yaml");
  const std::string job =
      "kind=inference,model=llama3-70b,prefill_replicas=8,decode_replicas=20,rps=12.5";
  const Placement found = placed(place_in(cluster, job));
  const auto rule = std::ranges::find(found.candidates, "kubernetes", &Candidate::name);
  REQUIRE(rule != found.candidates.end());
  CHECK(found.candidates.front().name == "kubernetes, nearer in each zone");
  CHECK(found.prediction.cross_zone == rule->cross_zone);
  CHECK(found.cost < rule->cost);
  // Zones hold three or four servers of it; racks have three.
  CHECK(rule->half_used_racks == 22);
  CHECK(found.leftover.half_used_racks == 4);
}

TEST_CASE("a rule of others that is best in one rack is not tried on other racks of its zone",
          "[scheduler]") {
  const Cluster cluster = parse_cluster(R"(format: cluster/v1
levels: [building, zone, rack]
zone_level: building
domains:
  - {building: x, zone: y, rack: r1, servers: "a[1-3]"}
  - {building: x, zone: y, rack: r2, servers: "b[1-6]"}
  - {building: x, zone: z, rack: r1, servers: "c[1-4]"}
  - {building: x, zone: z, rack: r2, servers: "d[1-3]"}
)",
                                        "cluster.yaml");
  Constraints constraints;
  constraints.required_level = cluster.rack_level();
  const Placement found = placed(
      place_in(cluster, "tp=1,ep=8,dp=40,ranks_per_server=2,model=mixtral-8x7b", constraints));
  CHECK(found.candidates.front().name == "slurm-tree");
  CHECK(found.leftover.half_used_racks > 0);
  for (const Candidate& candidate : found.candidates)
    CHECK(candidate.name.find("nearer") == std::string::npos);
}

TEST_CASE("of zones with equal room the widest are taken, in whatever order they stand",
          "[scheduler]") {
  const std::string narrow = "a: r1[a1 a2 a3]\n";
  const std::string wide =
      "b: r2[b1 b2 b3] r3[b4* b5* b6*]\n"
      "c: r4[c1 c2 c3] r5[c4* c5* c6*]\n";
  for (const std::string& drawing : {narrow + wide, wide + narrow}) {
    const Sketch cluster = sketch(drawing);
    const Placement six = placed(place_in(cluster, parse_job_text("tp=8,dp=6,model=llama3-8b")));
    CHECK(zones_of(cluster, six) == std::set<std::string>{"b", "c"});
  }
}

TEST_CASE("a server that holds the job whole is found behind tighter racks", "[scheduler]") {
  const Sketch cluster =
      sketch("a: r1[s1/4 s2/4] r2[s3/4 s4/4] r3[s5/4 s6/4] r4[s7/4 s8/4] r5[s9 s10/4]");
  Job job = parse_job_text("tp=4,dp=2,model=llama3-8b");
  job.ranks_per_server = 4;
  CHECK(cluster.names(placed(place_in(cluster, job)).servers) == "s9 s9");
}

TEST_CASE("traffic that hides behind computation is cut where that lets the rest go faster",
          "[scheduler]") {
  std::string drawing;
  for (const char zone : {'a', 'b'}) {
    drawing += std::string{zone} + ": ";
    for (int rack = 1; rack <= 4; ++rack) {
      drawing += "r" + std::string{zone} + std::to_string(rack) + "[";
      for (const int server : {2 * rack - 1, 2 * rack})
        drawing += std::string{zone} + std::to_string(server) + " ";
      drawing += "] ";
    }
    drawing += "\n";
  }
  const Sketch cluster = sketch(drawing);
  const std::string job = "tp=8,pp=2,dp=8,vpp=5,model=llama3-8b";
  const Placement shown = placed(place_in(cluster, parse_job_text(job)));
  const Placement hidden = placed(place_in(cluster, parse_job_text(job + ",overlap.dp=0.9")));
  CHECK(hidden.prediction.cross_zone.count > shown.prediction.cross_zone.count);
  const auto time_of = [&](const char* name) {
    const auto found = std::ranges::find(hidden.candidates, name, &Candidate::name);
    REQUIRE(found != hidden.candidates.end());
    return found->communication.count;
  };
  CHECK(time_of("minimum cut, exposed traffic only") < time_of("minimum cut"));
}
