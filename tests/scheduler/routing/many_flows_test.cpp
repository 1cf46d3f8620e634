// Phases of so many flows that times go by distribution, against the mean over hash functions.
#include "routing/launch_plan.hpp"
#include "routing/nic_flows.hpp"
#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kCable = 50'000'000'000;

/// Two zones of racks; `uplinks` cables up from a rack and from each of as many CTSW.
FabricSpec spec_of(int nics, int uplinks) {
  FabricSpec spec;
  spec.nics_per_server = nics;
  spec.nic_bandwidth = {kCable};
  spec.scale_up_bandwidth = {90 * kCable};
  spec.tiers = {{"ATSW", uplinks, 0, {}, 0, {}},
                {"CTSW", uplinks, uplinks, {kCable}, 0, {}},
                {"RTSW", 1, uplinks, {kCable}, 0, {}}};
  return spec;
}

/// One all-to-all of all ranks, a vertex on every server.
struct Case {
  Cluster cluster;
  Traffic traffic;
  std::vector<ServerId> servers;

  Case(int racks, int in_rack, const FabricSpec& spec, int ranks_per_server, bool stepwise)
      : cluster(even_cluster(2, racks, in_rack, spec)) {
    traffic.ranks_per_server = static_cast<std::size_t>(ranks_per_server);
    traffic.ranks = cluster.server_count() * traffic.ranks_per_server;
    for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
    for (std::size_t i = 0; i < traffic.ranks; ++i) traffic.members.emplace_back(i);
    Group group{.pattern = Pattern::AllToAll, .size = static_cast<std::uint32_t>(traffic.ranks)};
    group.bytes = {kCable / 1000};
    group.stepwise = stepwise;
    traffic.phases = {{"exchange", {group}}};
  }

  [[nodiscard]] bool by_distribution(const Routing& routing) const {
    const FabricSpec& spec = cluster.backend();
    return plan_launches(traffic, spec.nics_per_server, flows_of_a_pair(routing, spec.planes))[0] ==
           0;
  }
  [[nodiscard]] PhasePrediction predicted(const Routing& routing) const {
    return predicted(routing, Health(cluster));
  }
  [[nodiscard]] PhasePrediction predicted(const Routing& routing, const Health& health) const {
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), health);
    return predict(fabric, traffic, servers, routing).phases[0];
  }
  /// Without a seed over the mean over seeds.
  [[nodiscard]] double ratio(Routing routing) const {
    const double without = predicted(routing).transfer.count;
    constexpr int kSeeds = 8;
    double sum = 0;
    for (int seed = 0; seed < kSeeds; ++seed) {
      routing.hash_seed = static_cast<std::uint64_t>(seed);
      sum += predicted(routing).transfer.count;
    }
    return without / (sum / kSeeds);
  }
};

}  // namespace

TEST_CASE("by distribution, every pair of NICs has a flow in each plane", "[routing]") {
  FabricSpec spec = spec_of(1, 8);
  spec.planes = 4;
  for (const bool stepwise : {false, true}) {
    const Case here(stepwise ? 10 : 5, 7, spec, 1, stepwise);
    REQUIRE(here.by_distribution({RoutingScheme::Ecmp}));
    CHECK(here.ratio({RoutingScheme::Ecmp}) == Approx(1).epsilon(0.1));
  }
}

TEST_CASE("by distribution, ranks do not share the NICs of their server", "[routing]") {
  for (const bool stepwise : {false, true}) {
    const Routing routing{RoutingScheme::EnhancedEcmp, stepwise ? 16 : 1};
    const Case one_rank(9, 4, spec_of(8, 64), 1, stepwise);
    REQUIRE(one_rank.by_distribution(routing));
    CHECK(one_rank.ratio(routing) == Approx(1).epsilon(0.01));
    const Case five_ranks(5, 2, spec_of(4, 64), 5, stepwise);
    REQUIRE(five_ranks.by_distribution({RoutingScheme::EnhancedEcmp, 16}));
    CHECK(five_ranks.ratio({RoutingScheme::EnhancedEcmp, 16}) == Approx(1).epsilon(0.03));
  }
}

TEST_CASE("by distribution, channels of a ring use the NICs of all its ranks", "[routing]") {
  Case here(9, 4, spec_of(8, 64), 4, false);
  here.traffic.phases[0].groups[0].pattern = Pattern::Ring;
  const Routing routing{RoutingScheme::EnhancedEcmp, 64};
  REQUIRE(here.by_distribution(routing));
  CHECK(here.ratio(routing) == Approx(1).epsilon(0.01));
}

TEST_CASE("by distribution, on rails a flow leaves by the NIC on its receiver's", "[routing]") {
  FabricSpec spec = spec_of(4, 64);
  spec.leaves = LeafWiring::Rail;
  spec.tiers.back().switches = 4;
  Case here(5, 4, spec, 4, false);
  // All receivers are on two of the four rails.
  Group& group = here.traffic.phases[0].groups[0];
  here.traffic.members.clear();
  for (std::size_t rank = 0; rank < here.traffic.ranks; ++rank)
    if (rank % 4 < 2) here.traffic.members.emplace_back(rank);
  group.size = static_cast<std::uint32_t>(here.traffic.members.size());
  const Routing routing{RoutingScheme::EnhancedEcmp, 4};
  REQUIRE(here.by_distribution(routing));
  CHECK(here.ratio(routing) == Approx(1).epsilon(0.03));
}

TEST_CASE("by distribution, ranks that share a NIC share its flows", "[routing]") {
  FabricSpec spec = spec_of(1, 8);
  spec.tiers.back().uplink_bandwidth = {kCable / 8};
  for (const bool stepwise : {false, true}) {
    const Routing routing{RoutingScheme::EnhancedEcmp, 4};
    const Case here(6, 1, spec, 8, stepwise);
    REQUIRE(here.by_distribution(routing));
    CHECK(here.ratio(routing) == Approx(1).epsilon(0.06));
  }
}

TEST_CASE("by distribution, what ranks hand over to one NIC is one flow", "[routing]") {
  FabricSpec spec = spec_of(8, 8);
  spec.leaves = LeafWiring::Rail;
  for (const bool stepwise : {false, true}) {
    const Routing routing{RoutingScheme::EnhancedEcmp, stepwise ? 2 : 1};
    const Case here(6, 2, spec, 8, stepwise);
    REQUIRE(here.by_distribution(routing));
    CHECK(here.ratio(routing) == Approx(1).epsilon(0.06));
  }
}

TEST_CASE("by distribution, rings of ranks that share a NIC are one flow", "[routing]") {
  FabricSpec spec = spec_of(1, 8);
  spec.tiers.back().uplink_bandwidth = {kCable / 8};
  Case here(8, 4, spec, 8, false);
  Group ring = here.traffic.phases[0].groups[0];
  ring.pattern = Pattern::Ring;
  ring.size = static_cast<std::uint32_t>(here.servers.size());
  here.traffic.phases[0].groups.clear();
  here.traffic.members.clear();
  for (std::size_t rank = 0; rank < 8; ++rank) {
    ring.first_member = static_cast<std::uint32_t>(here.traffic.members.size());
    // Every hop goes into another rack.
    for (std::size_t i = 0; i < here.servers.size(); ++i)
      here.traffic.members.emplace_back((i % 16 * 4 + i / 16) * 8 + rank);
    here.traffic.phases[0].groups.push_back(ring);
  }
  const Routing routing{RoutingScheme::EnhancedEcmp, 10};
  REQUIRE(here.by_distribution(routing));
  CHECK(here.ratio(routing) == Approx(1).epsilon(0.08));
}

TEST_CASE("few flows or many, one that has no path is refused", "[routing]") {
  FabricSpec spec = spec_of(4, 16);
  spec.leaves = LeafWiring::Rail;
  spec.tiers.back().switches = 4;
  for (const int racks : {1, 5}) {
    const Case here(racks, 2, spec, 4, false);
    REQUIRE(here.by_distribution({RoutingScheme::Ecmp}) == (racks == 5));
    Health health(here.cluster);
    const DomainId rack = here.cluster.domains_at(here.cluster.rack_level())[0];
    health.link_faults.push_back({ServerId{0}, SwitchRef{rack, 0, 1}, std::nullopt});
    CHECK(here.predicted({}, health).transfer.count > 0);
    for (const RoutingScheme scheme : {RoutingScheme::Ecmp, RoutingScheme::EnhancedEcmp,
                                       RoutingScheme::Pinned, RoutingScheme::Engineered})
      CHECK_THROWS_AS(here.predicted({scheme}, health), PartedFlows);
  }
}
