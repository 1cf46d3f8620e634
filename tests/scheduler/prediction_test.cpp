#include "zonecut/scheduler/prediction.hpp"

#include <numeric>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kGB = 1'000'000'000;

/// Servers of 2 GB/s, racks of 4 GB/s, zones of 1 GB/s up; NVLink 10 GB/s; a step costs 1, 10, 100
/// or 1,000 s in the server, the rack, the zone or beyond.
FabricSpec round_spec() {
  FabricSpec spec;
  spec.nics_per_server = 2;
  spec.nic_bandwidth = {kGB};
  spec.tiers = {{"ATSW", 1, 0, {kGB}, 0, {1000}},
                {"CTSW", 1, 1, {kGB}, 0, {100}},
                {"RTSW", 1, 4, {kGB}, 0, {10}}};
  spec.scale_up_bandwidth = {10 * kGB};
  spec.scale_up_latency = {1};
  return spec;
}

/// One rank a server unless said otherwise; servers in the order of their names s0, s1, …
struct Case {
  Cluster cluster;
  Traffic traffic;
  Health health;
  explicit Case(Cluster drawn, std::size_t ranks_per_server = 1)
      : cluster(std::move(drawn)), health(cluster) {
    traffic.ranks_per_server = ranks_per_server;
    traffic.ranks = cluster.server_count() * ranks_per_server;
  }

  Phase& phase(std::string name, std::int64_t steps = 0) {
    return traffic.phases.emplace_back(Phase{std::move(name), {}, steps, 0});
  }
  void group(Pattern pattern, const std::vector<std::size_t>& ranks, std::int64_t bytes) {
    traffic.phases.back().groups.push_back({pattern,
                                            static_cast<std::uint32_t>(traffic.members.size()),
                                            static_cast<std::uint32_t>(ranks.size()),
                                            {bytes}});
    for (const std::size_t rank : ranks) traffic.members.emplace_back(rank);
  }
  [[nodiscard]] Fabric fabric() const { return Fabric::build(cluster, cluster.backend(), health); }
  [[nodiscard]] Prediction predicted() const {
    std::vector<ServerId> servers;
    for (std::size_t i = 0; i < traffic.vertices(); ++i)
      servers.push_back(cluster.find_server("s" + std::to_string(i)).value());
    return predict(fabric(), traffic, servers);
  }
  [[nodiscard]] Bundle above(std::string_view path, bool outward = true) const {
    return {cluster.find_domain(path).value(), outward};
  }
  [[nodiscard]] std::int64_t load(const Prediction& prediction, const Bundle& bundle) const {
    for (const BundleLoad& load : prediction.loads)
      if (load.bundle == bundle) return load.bytes.count;
    return 0;
  }
};

std::vector<std::int64_t> counts(const std::vector<Bytes>& bytes) {
  std::vector<std::int64_t> result;
  for (const Bytes b : bytes) result.push_back(b.count);
  return result;
}

}  // namespace

TEST_CASE("one flow across zones loads every bundle on its way once", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] r2[s1] b: r1[s2]", round_spec()));
  c.phase("x", 2);
  c.group(Pattern::Direct, {0, 2}, 3 * kGB);
  const Prediction p = c.predicted();
  CHECK(counts(p.bytes_by_level) == std::vector<std::int64_t>{3 * kGB, 0, 0, 0});
  CHECK(p.cross_zone == Bytes{3 * kGB});
  CHECK(p.zone_matrix[0][1] == Bytes{3 * kGB});
  CHECK(p.zone_matrix[1][0] == Bytes{0});
  CHECK(c.load(p, c.above("a")) == 3 * kGB);
  CHECK(c.load(p, c.above("a/r1")) == 3 * kGB);
  CHECK(c.load(p, c.above("b", false)) == 3 * kGB);
  CHECK(c.load(p, c.above("b/r1", false)) == 3 * kGB);
  CHECK(c.load(p, c.above("a", false)) == 0);
  // Zone up 1 GB/s: 3 s; two steps of 1,000 s.
  REQUIRE(p.phases.size() == 1);
  CHECK(p.phases[0].transfer.count == Approx(3));
  CHECK(p.phases[0].latency.count == Approx(2000));
  CHECK(p.communication.count == Approx(2003));
  REQUIRE(p.phases[0].binding);
  CHECK(p.phases[0].binding->capacity == BytesPerSecond{kGB});
  CHECK(p.loads.front().time.count == Approx(3));
  // Four domain bundles, and of the two servers' only the largest.
  CHECK(p.loads.size() == 5);
}

TEST_CASE("the tier a phase climbs to sets the latency of its steps", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0 s1] r2[s2] b: r1[s3]", round_spec()), 2);
  c.phase("server", 1);
  c.group(Pattern::Ring, {0, 1}, 1);
  c.phase("rack", 1);
  c.group(Pattern::Ring, {0, 2}, 1);
  c.phase("zone", 1);
  c.group(Pattern::Ring, {0, 4}, 1);
  c.phase("beyond", 1);
  c.group(Pattern::Ring, {0, 6}, 1);
  c.phase("nothing", 1);
  const Prediction p = c.predicted();
  const std::vector<double> expected{1, 10, 100, 1000, 0};
  for (std::size_t i = 0; i < expected.size(); ++i)
    CHECK(p.phases[i].latency.count == Approx(expected[i]));
  CHECK(p.binding_phase == 3);
}

TEST_CASE("who owns all embeddings sends them first and gets their gradients then",
          "[prediction]") {
  Case c(drawn_cluster("a: r1[s0 s1 s2]", round_spec()));
  Recommendation r;
  r.ranks = 3;
  r.embedding_bytes = {4 * kGB};
  r.rank_weights = {1, 0, 0};
  Job job;
  job.work = r;
  c.traffic = traffic_of(job, 1);
  const Prediction p = c.predicted();
  // 4 GB for each of three ranks on average, half of it in forward: 6 GB through NICs of 2 GB/s.
  REQUIRE(p.phases.size() == 2);
  CHECK(p.phases[0].transfer.count == Approx(3));
  CHECK(p.phases[1].transfer.count == Approx(3));
  REQUIRE(p.phases[1].binding);
  CHECK(p.phases[0].binding->bundle == Bundle{ServerId{0}, true});
  CHECK(p.phases[1].binding->bundle == Bundle{ServerId{0}, false});
}

TEST_CASE("phases follow each other, less what hides behind computation", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] b: r1[s1]", round_spec()));
  c.phase("pp");
  c.group(Pattern::Direct, {0, 1}, kGB);
  c.phase("dp").overlap = 0.75;
  c.group(Pattern::Direct, {0, 1}, 8 * kGB);
  const Prediction p = c.predicted();
  CHECK(p.phases[0].exposed.count == Approx(1));
  CHECK(p.phases[1].transfer.count == Approx(8));
  CHECK(p.phases[1].exposed.count == Approx(2));
  CHECK(p.communication.count == Approx(3));
  CHECK(p.binding_phase == 1);
  CHECK(c.load(p, c.above("a")) == 9 * kGB);  // of all phases, hidden or not
}

TEST_CASE("what stays in a server goes over NVLink, and can bind", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] b: r1[s1]", round_spec()), 4);
  c.phase("tp");
  c.group(Pattern::Ring, {0, 1, 2, 3}, 20 * kGB);
  c.phase("mixed");
  c.group(Pattern::Ring, {0, 1}, 40 * kGB);
  c.group(Pattern::Direct, {0, 4}, 3 * kGB);
  const Prediction p = c.predicted();
  CHECK(p.phases[0].transfer.count == Approx(2));  // 20 GB a GPU over 10 GB/s
  CHECK_FALSE(p.phases[0].binding);
  CHECK(p.phases[1].transfer.count == Approx(4));  // 40 GB over NVLink, 3 s on the zone's link
  CHECK_FALSE(p.phases[1].binding);
  CHECK(counts(p.bytes_by_level) == std::vector<std::int64_t>{3 * kGB, 0, 0, 160 * kGB});
  CHECK(p.zone_matrix[0][0] == Bytes{160 * kGB});
}

TEST_CASE("servers of one scale-up domain do not use the fabric between them", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0@7 s1@7] r2[s2]", round_spec()));
  c.phase("x");
  c.group(Pattern::AllToAll, {0, 1, 2}, kGB);
  const Prediction p = c.predicted();
  // s0 and s1 exchange over NVLink; each sends 1 GB to s2 and gets as much.
  CHECK(c.load(p, c.above("a/r1")) == 2 * kGB);
  CHECK(c.load(p, c.above("a/r2")) == 2 * kGB);
  CHECK(counts(p.bytes_by_level) == std::vector<std::int64_t>{0, 4 * kGB, 2 * kGB, 0});
  CHECK(p.loads.back().capacity == BytesPerSecond{4 * kGB});
  // s2 sends 2 GB and is the busiest server: 1 s. No uplink of a zone is used.
  CHECK(p.phases[0].transfer.count == Approx(1));
}

TEST_CASE("an all-to-all loads a domain of s of n members with s(n - s)", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] r2[s1] b: r1[s2]", round_spec()), 2);
  c.phase("ep");
  c.group(Pattern::AllToAll, {0, 1, 2, 3, 4, 5}, 1000);
  const Prediction p = c.predicted();
  CHECK(p.phases[0].bytes == Bytes{6 * 5 * 1000});
  CHECK(c.load(p, c.above("a")) == 4 * 2 * 1000);
  CHECK(c.load(p, c.above("a", false)) == 4 * 2 * 1000);
  CHECK(c.load(p, c.above("a/r1")) == 2 * 4 * 1000);
  CHECK(c.load(p, c.above("b/r1")) == 2 * 4 * 1000);
  CHECK(counts(p.bytes_by_level) == std::vector<std::int64_t>{16'000, 8'000, 0, 6'000});
  CHECK(p.zone_matrix[0][0] == Bytes{12'000});
  CHECK(p.zone_matrix[0][1] == Bytes{8'000});
}

TEST_CASE("an all-to-all of 100,000 ranks is counted, not listed", "[prediction]") {
  // 10^10 flows would take minutes to visit.
  constexpr std::int64_t kRanks = 100'000;
  Case c(even_cluster(4, 250, 25, round_spec()), 4);
  std::vector<std::size_t> everybody(static_cast<std::size_t>(kRanks));
  std::iota(everybody.begin(), everybody.end(), std::size_t{0});
  c.phase("ep");
  c.group(Pattern::AllToAll, everybody, 10);
  const Prediction p = c.predicted();
  CHECK(p.phases[0].bytes == Bytes{kRanks * (kRanks - 1) * 10});
  CHECK(c.load(p, c.above("z2")) == kRanks / 4 * (kRanks - kRanks / 4) * 10);
  CHECK(p.bytes_by_level.back() == Bytes{kRanks * 3 * 10});  // four ranks a server
}

TEST_CASE("lost uplinks multiply the time by u / (u - f)", "[prediction]") {
  FabricSpec spec = round_spec();
  spec.tiers[1] = {"CTSW", 6, 1, {kGB / 10}, 0, {100}};
  spec.tiers[2].uplinks = 6;
  const auto time_with = [&](int failed) {
    Case c(drawn_cluster("a: r1[s0] b: r1[s1]", spec));
    for (int i = 0; i < failed; ++i)
      c.health.failed_switches.push_back({c.cluster.find_domain("a").value(), 0, i});
    c.phase("x");
    c.group(Pattern::Direct, {0, 1}, 6 * kGB);
    return c.predicted().phases[0].transfer.count;
  };
  CHECK(time_with(0) == Approx(10));  // 6 GB over six uplinks of 0.1 GB/s
  CHECK(time_with(1) == Approx(10 * 6.0 / 5));
  CHECK(time_with(3) == Approx(10 * 6.0 / 3));
}

TEST_CASE("a domain that failures cut off is refused by name", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] r2[s1] b: r1[s2]", round_spec()));
  c.health.failed_switches = {find_switch(c.cluster, c.cluster.backend(), "a/r2/RTSW-1").value()};
  c.phase("x");
  c.group(Pattern::Direct, {0, 2}, kGB);
  CHECK(c.predicted().phases[0].transfer.count == Approx(1));  // s1 need not communicate
  c.group(Pattern::Direct, {1, 0}, kGB);
  try {
    (void)c.predicted();
    FAIL("s1 is cut off");
  } catch (const InputError& error) {
    REQUIRE(error.problems().size() == 2);  // the server and its rack
    CHECK(error.problems()[0].where == "s1");
    CHECK(error.problems()[1].where == "a/r2");
  }
}

TEST_CASE("traffic beyond 62 bits is refused", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] b: r1[s1]", round_spec()));
  c.phase("x");
  c.group(Pattern::Direct, {0, 1}, INT64_MAX / 2);
  CHECK_NOTHROW(c.predicted());
  c.group(Pattern::Direct, {1, 0}, 1);
  CHECK_THROWS_AS(c.predicted(), InputError);
  c.traffic.phases.clear();
  c.phase("y");
  c.group(Pattern::AllToAll, {0, 1}, INT64_MAX / 2);
  CHECK_THROWS_AS(c.predicted(), InputError);
}

TEST_CASE("a server listed twice is one server", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] r2[s1]", round_spec()), 1);
  c.traffic.ranks = 3;
  c.phase("x");
  c.group(Pattern::Ring, {0, 1, 2}, kGB);
  const std::vector<ServerId> servers{ServerId{0}, ServerId{0}, ServerId{1}};
  const Prediction p = predict(c.fabric(), c.traffic, servers);
  CHECK(counts(p.bytes_by_level) == std::vector<std::int64_t>{0, 2 * kGB, 0, kGB});
}

TEST_CASE("bundles are named by what they join and what is left of them", "[prediction]") {
  FabricSpec spec = round_spec();
  spec.nic_bandwidth = {50 * kGB};
  spec.tiers[1] = {"CTSW", 18, 36, {50 * kGB}, 0, {}};
  Case c(drawn_cluster("zone-a: r1[s0] zone-b: r1[s1]", spec));
  CHECK(bundle_name(c.fabric(), c.above("zone-b")) ==
        "zone-b uplinks to ATSW (18 x 36 x 400 Gbps), outward");
  CHECK(bundle_name(c.fabric(), {ServerId{0}, false}) == "s0 NICs (2 x 400 Gbps), inward");
  c.health.failed_switches = {find_switch(c.cluster, spec, "zone-b/CTSW-3").value()};
  CHECK(bundle_name(c.fabric(), c.above("zone-b")) ==
        "zone-b uplinks to ATSW (18 x 36 x 400 Gbps, 245 Tbps of 259 Tbps left), outward");
}

TEST_CASE("a pipeline is filled hop by hop before its busiest link works all the time",
          "[prediction]") {
  // Three stages in three racks of one zone, 4 messages of 1 GB each way over NICs of 2 GB/s: the
  // first passes two hops, three follow it, and the last one's gradient passes two hops back.
  Case c(drawn_cluster("a: r1[s0] r2[s1] r3[s2]", round_spec()));
  c.phase("pp");
  c.group(Pattern::Pipeline, {0, 1, 2}, 4 * kGB);
  c.traffic.phases.back().groups.back().messages = 4;
  // The middle stage sends 4 GB either way through NICs of 2 GB/s: 4 s; a rack's uplinks carry
  // 4 GB/s. A message of one hop takes half a second.
  CHECK(c.predicted().phases.front().transfer.count == Approx(4 * 3 / 4.0 + 4 * 0.5));
  c.traffic.phases.clear();
  c.phase("forward");
  c.group(Pattern::Chain, {0, 1, 2}, 4 * kGB);
  c.traffic.phases.back().groups.back().messages = 4;
  CHECK(c.predicted().phases.front().transfer.count == Approx(2 * 3 / 4.0 + 2 * 0.5));
}

TEST_CASE("a pipeline of many messages does not make one beside it faster", "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] r2[s1] r3[s2]", round_spec()));
  c.phase("pp");
  c.group(Pattern::Chain, {0, 1, 2}, 4 * kGB);  // one message, 2 s a hop
  CHECK(c.predicted().phases.front().transfer.count == Approx(4));
  c.group(Pattern::Chain, {1, 2}, 1000);
  c.traffic.phases.back().groups.back().messages = 1000;
  CHECK(c.predicted().phases.front().transfer.count == Approx(4));
}

TEST_CASE("few micro-batches of many virtual stages take as long as one of them all the way",
          "[prediction]") {
  Case c(drawn_cluster("a: r1[s0] r2[s1]", round_spec()));
  c.phase("pp");
  c.group(Pattern::Pipeline, {0, 1}, 6 * kGB);
  Group& group = c.traffic.phases.back().groups.back();
  group.messages = 3;  // one micro-batch, three chunks: it passes 5 boundaries, there and back
  group.passes = 3;
  group.wrap_bytes = {4 * kGB};
  CHECK(c.predicted().phases.front().transfer.count == Approx(2 * 5 * 1.0));
}

TEST_CASE("a pairwise all-to-all takes the sum of its steps", "[prediction]") {
  // Four servers, two in each zone; zones have 1 GB/s up, servers 2 GB/s. Steps 1 and 3 cross with
  // one of two flows each way, step 2 with both.
  Case c(drawn_cluster("a: r1[s0 s1] b: r1[s2 s3]", round_spec()));
  c.phase("a2a");
  c.group(Pattern::AllToAll, {0, 1, 2, 3}, kGB);
  CHECK(c.predicted().phases.front().transfer.count == Approx(4.0));
  c.traffic.phases.back().groups.back().stepwise = true;
  CHECK(c.predicted().phases.front().transfer.count == Approx(1.0 + 2.0 + 1.0));
  // In the order 0 2 1 3 all flows cross in steps 1 and 3, and none in step 2.
  c.traffic.phases.clear();
  c.traffic.members.clear();
  c.phase("a2a");
  c.group(Pattern::AllToAll, {0, 2, 1, 3}, kGB);
  c.traffic.phases.back().groups.back().stepwise = true;
  CHECK(c.predicted().phases.front().transfer.count == Approx(2.0 + 0.5 + 2.0));
}

TEST_CASE("steps of many members are counted as if they were listed", "[prediction]") {
  // Runs of members in four zones, and all of them shuffled; a group with a share for each member
  // is listed, one without is counted.
  const Cluster cluster = even_cluster(4, 6, 2, round_spec());
  const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
  Traffic traffic;
  traffic.ranks_per_server = 4;
  traffic.ranks = 4 * cluster.server_count();
  for (std::size_t i = 0; i < traffic.ranks; ++i) {
    traffic.members.emplace_back(i);
    traffic.shares.push_back({1'000'000});
  }
  const auto all = static_cast<std::uint32_t>(traffic.ranks);
  traffic.phases.push_back(Phase{"counted", {{Pattern::AllToAll, 0, all, {1'000'000}}}, 0, 0});
  traffic.phases.push_back(
      Phase{"listed", {{Pattern::AllToAll, 0, all, {1'000'000}, {}, std::uint32_t{0}}}, 0, 0});
  for (Phase& phase : traffic.phases) phase.groups.front().stepwise = true;
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    if (seed > 0) Random(seed).shuffle(std::span(servers));
    for (const auto scheme : {RoutingScheme::Ideal, RoutingScheme::Ecmp}) {
      const Prediction p = predict(fabric, traffic, servers, {scheme});
      CHECK(p.phases[0].transfer.count == Approx(p.phases[1].transfer.count).epsilon(1e-9));
    }
  }
}
