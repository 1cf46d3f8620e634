#include "zonecut/scheduler/lint.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/topology/cluster_file.hpp"

using namespace zonecut;

namespace {

constexpr const char* kTwoZones = R"(
  a: r1[a1 a2] r2[a3 a4]
  b: r3[b1 b2] r4[b3 b4]
)";

std::vector<Finding> findings(const Sketch& sketch, std::string_view job, std::string_view order) {
  const Job parsed = parse_job_text(job);
  const PlacementProblem problem = pose(*sketch.view, *sketch.fabric, parsed, {});
  return lint(problem, sketch.servers(order));
}

std::vector<Finding> findings(std::string_view job, std::string_view order) {
  return findings(sketch(kTwoZones), job, order);
}

std::vector<std::string> rules(const std::vector<Finding>& found) {
  std::vector<std::string> names;
  for (const Finding& finding : found) names.push_back(finding.rule);
  return names;
}

bool has(const std::vector<Finding>& found, const std::string& rule) {
  const auto names = rules(found);
  return std::find(names.begin(), names.end(), rule) != names.end();
}

constexpr const char* kRingOfFour = "tp=8,dp=4,model=llama3-8b";

}  // namespace

TEST_CASE("nothing is wrong with whole racks of one zone in their order", "[scheduler]") {
  CHECK(findings(kRingOfFour, "a1 a2 a3 a4").empty());
}

TEST_CASE("a ring that goes to and fro between two zones is found, with the least it could do",
          "[scheduler]") {
  const auto found = findings(kRingOfFour, "a1 b1 a2 b2");
  REQUIRE(has(found, "zone-changes"));
  // Eight rings, one for each rank of a server: four changes each, where two would do.
  CHECK(found.front().what.find("8 rings change zone 32 times together; 16 would do") !=
        std::string::npos);
}

TEST_CASE("a ring over two zones that changes twice does what it must", "[scheduler]") {
  CHECK_FALSE(has(findings(kRingOfFour, "a1 a2 b1 b2"), "zone-changes"));
}

TEST_CASE("pipelines over a zone's border are counted", "[scheduler]") {
  const auto found = findings("tp=8,pp=2,dp=2,model=llama3-8b", "a1 a2 b1 b2");
  REQUIRE(has(found, "split-groups"));
  CHECK(found.front().what.find("16 of 16 pipelines are split between zones") != std::string::npos);
  CHECK_FALSE(has(findings("tp=8,pp=2,dp=2,model=llama3-8b", "a1 b1 a2 b2"), "split-groups"));
}

TEST_CASE("tensor-parallel groups between servers are counted, with what would keep them whole",
          "[scheduler]") {
  const auto split_of = [](std::string_view job, std::string_view order) {
    const auto found = findings(job, order);
    const auto split = std::ranges::find(found, "split-tensors", &Finding::rule);
    return split == found.end() ? Finding{} : *split;
  };
  // Ranks 6 to 8 and 15 to 17.
  const Finding uneven = split_of("tp=3,dp=8", "a1 a2 a3");
  CHECK(uneven.what == "tp: 2 of 8 tensor-parallel groups are split between servers");
  CHECK(uneven.hint == "ranks_per_server=6 keeps each on one server");
  CHECK(split_of("tp=3,dp=4,ranks_per_server=4", "a1 a2 a3").hint ==
        "ranks_per_server=3 keeps each on one server");
  CHECK(split_of("tp=16,dp=1", "a1 a2").hint ==
        "tensor parallelism sends most of all: up to 8 of its ranks stay on a server");
  CHECK(split_of("tp=8,dp=2,order=dp-tp-cp-ep-pp", "a1 a2").hint ==
        "let tp be the first axis of the job's order: its members then stand together");
  CHECK(split_of("tp=4,dp=4", "a1 a2") == Finding{});
}

TEST_CASE("tensor-parallel groups on servers that NVLink joins are whole", "[scheduler]") {
  const Cluster cluster = parse_cluster(
      "format: cluster/v1\nlevels: [zone, rack]\ngpus: 4\nscale_up: {servers: 2}\n"
      "domains:\n  - {zone: a, rack: r1, servers: 's[1-4]'}\n",
      "c.yaml");
  const ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job = parse_job_text("tp=8,dp=2");
  const PlacementProblem problem = pose(view, fabric, job, {});
  const auto servers = [&](std::initializer_list<const char*> names) {
    std::vector<ServerId> ids;
    for (const char* name : names) ids.push_back(*cluster.find_server(name));
    return ids;
  };
  CHECK_FALSE(split_tensor_groups(problem, servers({"s1", "s2", "s3", "s4"})));
  const auto split = split_tensor_groups(problem, servers({"s1", "s3", "s2", "s4"}));
  REQUIRE(split);
  CHECK(split->what ==
        "tp: 2 of 2 tensor-parallel groups are split between servers that NVLink does not join");
  CHECK(split->hint == "each takes 2 servers that NVLink joins, next to each other in the order");
}

TEST_CASE("an order over two zones is found where one has room for the whole job", "[scheduler]") {
  const auto found_in = [](const Sketch& cluster, std::string_view order,
                           const Constraints& constraints = {}) {
    const Job job = parse_job_text(kRingOfFour);
    const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
    for (const Finding& finding : lint(problem, cluster.servers(order), constraints)) {
      if (finding.rule == "needless-zones") return finding.what;
    }
    return std::string();
  };
  Sketch cluster = sketch(kTwoZones);
  CHECK(found_in(cluster, "a1 a2 a3 a4").empty());
  CHECK(found_in(cluster, "a1 a2 b1 b2") ==
        "the order uses 2 zones, and a alone has room for the whole job");

  Constraints constraints;
  constraints.excluded = {cluster.server("a4")};
  CHECK(found_in(cluster, "a1 a2 b1 b2", constraints).find("and b alone") != std::string::npos);
  constraints.spread = Spread{cluster.cluster->zone_level(), 2};
  CHECK(found_in(cluster, "a1 a2 b1 b2", constraints).empty());
  constraints = {};
  constraints.slices = {{cluster.cluster->zone_level(), 16}};
  CHECK_FALSE(found_in(cluster, "a1 a2 b1 b2", constraints).empty());

  const JobId other = cluster.view->occupancy.add_job("other");
  cluster.view->occupancy.hold(other, {cluster.server("a3"), 0});
  CHECK(found_in(cluster, "a1 a2 b1 b2").find("and b alone") != std::string::npos);
  cluster.view->health.servers[cluster.server("b3")] = ServerHealth::Drained;
  CHECK(found_in(cluster, "a1 a2 b1 b2").empty());
}

TEST_CASE("zones between which nothing is sent are not needless", "[scheduler]") {
  const Sketch cluster = sketch(kTwoZones);
  const Job job = parse_job_file("gpus: 32\nmatrix: [[0, 8, 1GB], [16, 24, 1GB]]", "j.yaml").job;
  const PlacementProblem problem = pose(*cluster.view, *cluster.fabric, job, {});
  CHECK_FALSE(has(lint(problem, cluster.servers("a1 a2 b1 b2")), "needless-zones"));
  CHECK(has(lint(problem, cluster.servers("a1 b1 a2 b2")), "needless-zones"));
}

TEST_CASE("racks used by half are counted", "[scheduler]") {
  const auto found = findings("tp=8,dp=2,model=llama3-8b", "a1 a3");
  REQUIRE(rules(found) == std::vector<std::string>{"half-racks"});
  CHECK(found.front().what.find("2 racks are used in part, the first is a/r1") == 0);
}

TEST_CASE("a rack whose other servers nobody can have is not used by half", "[scheduler]") {
  const Sketch cluster = sketch("a: r1[a1 a2*] r2[a3 a4!] r3[a5 a6~]");
  CHECK_FALSE(has(findings(cluster, "tp=8,dp=3,model=llama3-8b", "a1 a3 a5"), "half-racks"));
  const Sketch part = sketch("a: r1[a1 a2/4] r2[a3 a4!]");
  const auto found = findings(part, "tp=8,dp=2,model=llama3-8b", "a1 a3");
  const auto half = std::ranges::find(found, "half-racks", &Finding::rule);
  REQUIRE(half != found.end());
  CHECK(half->what == "1 rack is used in part, the first is a/r1");
}

TEST_CASE("names sorted as texts are found, and only those", "[scheduler]") {
  const Sketch numbered = sketch("a: r1[n2 n10] r2[n7 n66]");
  CHECK(has(findings(numbered, kRingOfFour, "n10 n2 n66 n7"), "text-order"));
  CHECK_FALSE(has(findings(numbered, kRingOfFour, "n2 n7 n10 n66"), "text-order"));
  CHECK_FALSE(has(findings(numbered, kRingOfFour, "n66 n10 n7 n2"), "text-order"));
}

TEST_CASE("servers behind weak links are named where the job passes them", "[scheduler]") {
  Sketch cluster = sketch(kTwoZones);
  const auto leave = [&](const LinkEnd& lower, std::string_view upper, std::int64_t bytes) {
    const auto found = find_switch(*cluster.cluster, cluster.cluster->backend(), upper);
    REQUIRE(found);
    cluster.view->health.link_faults.push_back({lower, *found, BytesPerSecond{bytes}});
    *cluster.fabric =
        Fabric::build(*cluster.cluster, cluster.cluster->backend(), cluster.view->health);
  };
  const auto weak = [&](std::string_view job, std::string_view order) {
    for (const Finding& finding : findings(cluster, job, order)) {
      if (finding.rule == "weak-links") return finding.what;
    }
    return std::string();
  };
  CHECK(weak(kRingOfFour, "a1 a2 b1 b2").empty());
  leave(cluster.server("a2"), "a/r1/RTSW-1", 1'000'000'000);
  CHECK(weak(kRingOfFour, "a1 a2 b1 b2") ==
        "servers behind links that keep no more than half of what they carried: a2");
  CHECK(weak("tp=8,dp=2,model=llama3-8b", "a1 a2").ends_with(": a2"));
  CHECK(weak("tp=8,dp=2,model=llama3-8b", "a1 a3").empty());
  CHECK(weak("tp=8,dp=1,model=llama3-8b", "a2").empty());
}

TEST_CASE("servers that are down are named", "[scheduler]") {
  const Sketch broken = sketch("a: r1[s1 s2!]");
  const auto found = findings(broken, "tp=8,dp=2,model=llama3-8b", "s1 s2");
  REQUIRE(rules(found) == std::vector<std::string>{"servers-down"});
  CHECK(found.front().what == "servers down: s2");
}

TEST_CASE("servers that are drained or short of GPUs are named", "[scheduler]") {
  Sketch broken = sketch("a: r1[s1~ s2]");
  broken.view->health.failed_gpus = {{broken.server("s2"), 3}};
  const auto found = findings(broken, "tp=8,dp=2,model=llama3-8b", "s1 s2");
  REQUIRE(rules(found) == std::vector<std::string>{"servers-drained", "failed-gpus"});
  CHECK(found.back().what == "servers with fewer than 8 working GPUs: s2");
}

namespace {

/// Of an all-to-all of 64 ranks on eight servers in eight racks, in order: 56 senders of 1 MB to
/// each of the 8 NICs of a leaf.
std::vector<Finding> findings_of_incast(const std::string& tier, const Routing& routing = {}) {
  const Cluster cluster = parse_cluster("format: cluster/v1\nbackend: {tiers: {rack: {" + tier +
                                            "}}}\ndomains: [{zone: a, rack: 'r[1-8]', servers: 1}]",
                                        "c.yaml");
  const ClusterView view(cluster);
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
  const Job job =
      parse_job_file(
          "gpus: 64\ncollectives: [{name: experts, kind: all-to-all, ranks: 0-63, bytes: 64MB}]",
          "j.yaml")
          .job;
  const PlacementProblem problem = pose(view, fabric, job, {}, {.routing = routing});
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
  return lint(problem, servers);
}

}  // namespace

TEST_CASE("exchanges of unequal shares are looked at up to 4,000,000 pairs", "[scheduler]") {
  const auto rules_for = [](int ranks) {
    const Cluster cluster = parse_cluster(
        "format: cluster/v1\nbackend: {tiers: {rack: {buffer: 1kB}}}\ndomains: [{zone: a, rack: "
        "'r[1-32]', servers: 8}]",
        "c.yaml");
    const ClusterView view(cluster);
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), view.health);
    std::string weights = "1";
    for (int rank = 1; rank < ranks; ++rank) weights += ",2";
    const std::string count = std::to_string(ranks);
    const Job job = parse_job_file("gpus: " + count + "\nrecommendation: {embedding: 4MB, dense: " +
                                       "1kB, rank_weights: [" + weights + "]}",
                                   "j.yaml")
                        .job;
    const PlacementProblem problem = pose(view, fabric, job, {});
    std::vector<ServerId> servers;
    for (int i = 0; i < ranks / 8; ++i) servers.emplace_back(static_cast<std::size_t>(i));
    const auto found = rules(lint(problem, servers));
    return std::count(found.begin(), found.end(), "buffer-overflow");
  };
  CHECK(rules_for(2000) > 0);
  CHECK(rules_for(2008) == 0);
}

TEST_CASE("an incast that no receiver admits and no leaf can hold is found", "[scheduler]") {
  CHECK(findings_of_incast("").empty());
  CHECK(findings_of_incast("buffer: 440MB").empty());  // 8 · (56 - 1) MB
  const auto found = findings_of_incast("buffer: 439MB");
  REQUIRE(rules(found) == std::vector<std::string>{"buffer-overflow"});
  CHECK(found.front().what ==
        "experts: queues to 64 receivers may overflow; at most 440 MB at a/r1/RTSW-1, which holds "
        "439 MB");
  CHECK(found.front().hint.find("a window of 979910B fits") != std::string::npos);  // 439 MB / 448
  Routing admitted;
  admitted.admission_window = Bytes{1 << 30};
  CHECK(findings_of_incast("buffer: 439MB", admitted).empty());
}
