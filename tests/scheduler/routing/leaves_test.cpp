// Loads of racks' leaves, of rails and of planes, counted by hand.
#include <algorithm>
#include <map>

#include "routing/router.hpp"
#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kNic = 50'000'000'000;

/// Two units of two servers with 8 GPUs and 8 NICs each.
struct Units {
  Cluster cluster;
  Fabric fabric;
  Cables cables;
  Traffic traffic;

  static FabricSpec spec_of(LeafWiring leaves, int switches, int planes) {
    FabricSpec spec;
    spec.nic_bandwidth = {kNic};
    spec.leaves = leaves;
    spec.planes = planes;
    spec.tiers = {{"core", 4, 0, {}, 0, {}},
                  {"spine", 4, 4, {kNic}, 0, {}},
                  {"leaf", switches, 4, {kNic}, 0, {}}};
    return spec;
  }
  Units(LeafWiring leaves, int switches, int planes = 1)
      : cluster(drawn_cluster("a: u0[s0 s1] u1[s2 s3]", spec_of(leaves, switches, planes))),
        fabric(Fabric::build(cluster, cluster.backend(), Health(cluster))),
        cables(fabric) {
    traffic.ranks = 32;
    traffic.ranks_per_server = 8;
    traffic.phases.push_back({"x", {}, 1, 0});
  }

  void group(Pattern pattern, const std::vector<std::size_t>& ranks, std::int64_t bytes) {
    traffic.phases[0].groups.push_back({pattern,
                                        static_cast<std::uint32_t>(traffic.members.size()),
                                        static_cast<std::uint32_t>(ranks.size()),
                                        {bytes}});
    for (const std::size_t rank : ranks) traffic.members.emplace_back(rank);
  }
  void all_to_all(std::size_t first, std::size_t past, std::int64_t bytes) {
    std::vector<std::size_t> ranks;
    for (std::size_t rank = first; rank < past; ++rank) ranks.push_back(rank);
    group(Pattern::AllToAll, ranks, bytes);
  }
  [[nodiscard]] RoutedLoads routed(RoutingScheme scheme) const {
    const std::vector<ServerId> servers = {ServerId{0}, ServerId{1}, ServerId{2}, ServerId{3}};
    const auto flows = nic_flows(fabric, traffic, traffic.phases[0], servers);
    return route(cables, flows, {scheme}, 1);
  }

  /// Of the NIC's ports in all planes.
  [[nodiscard]] double nic(const RoutedLoads& loads, std::size_t number, Way way) const {
    double bytes = 0;
    for (const Cables::Port& port : cables.ports_of(static_cast<std::uint32_t>(number)))
      bytes += loads.bytes[Cables::load_index(port.cable, way)];
    return bytes;
  }
  /// Of all cables up from one leaf of a unit.
  [[nodiscard]] double above(const RoutedLoads& loads, const std::string& unit, int leaf,
                             Way way) const {
    double bytes = 0;
    for (std::size_t i = 0; i < fabric.switches().size(); ++i) {
      const SwitchRef& at = fabric.switches()[i].place;
      if (at.domain != cluster.find_domain(unit) || at.index != leaf) continue;
      for (const LinkId link : cables.up_links(SwitchId{i})) {
        const auto count = static_cast<std::size_t>(fabric.links()[link.index()].cables);
        for (std::size_t k = 0; k < count; ++k)
          bytes += loads.bytes[Cables::load_index(cables.first_cable(link) + k, way)];
      }
    }
    return bytes;
  }
  [[nodiscard]] double above_all(const RoutedLoads& loads, const std::string& unit, int leaves,
                                 Way way) const {
    double bytes = 0;
    for (int leaf = 0; leaf < leaves; ++leaf) bytes += above(loads, unit, leaf, way);
    return bytes;
  }
};

}  // namespace

TEST_CASE("a flow to another rail leaves by the receiver's rail and stays on its leaf",
          "[leaves]") {
  Units rails(LeafWiring::Rail, 8);
  rails.group(Pattern::Direct, {0, 8 + 3}, 1000);  // GPU 0 of s0 to GPU 3 of s1
  const RoutedLoads loads = rails.routed(RoutingScheme::Ecmp);
  CHECK(rails.nic(loads, 3, Way::Up) == 1000);
  CHECK(rails.nic(loads, 0, Way::Up) == 0);
  CHECK(rails.nic(loads, 8 + 3, Way::Down) == 1000);
  CHECK(rails.above_all(loads, "u0", 8, Way::Up) == 0);
}

TEST_CASE("where no rank of the job has the receiver's rail the flow leaves by its own NIC",
          "[leaves]") {
  // Vertices of four ranks: two of them on s0, one on GPUs 0 to 3 of s1.
  Units rails(LeafWiring::Rail, 8);
  rails.traffic.ranks = 12;
  rails.traffic.ranks_per_server = 4;
  rails.group(Pattern::Direct, {8 + 1, 4 + 2}, 1000);  // GPU 1 of s1 to GPU 6 of s0
  rails.group(Pattern::Direct, {4 + 2, 8 + 1}, 1000);  // and back: by rank 1
  const std::vector<ServerId> servers = {ServerId{0}, ServerId{0}, ServerId{1}};
  const std::vector<NicFlow> flows =
      nic_flows(rails.fabric, rails.traffic, rails.traffic.phases[0], servers);
  REQUIRE(flows.size() == 2);
  CHECK(flows[0].from == 8 + 1);
  CHECK(flows[0].to == 6);
  CHECK(flows[1].from == 1);
  CHECK(flows[1].to == 8 + 1);
}

TEST_CASE("on leaves of racks the same flow leaves by its own NIC and crosses a spine",
          "[leaves]") {
  // 16 NICs dealt out over three leaves: s0's NIC 0 is on leaf 0, s1's NIC 3, the twelfth, on 2.
  Units racks(LeafWiring::Rack, 3);
  racks.group(Pattern::Direct, {0, 8 + 3}, 1000);
  const RoutedLoads loads = racks.routed(RoutingScheme::Ecmp);
  CHECK(racks.nic(loads, 0, Way::Up) == 1000);
  CHECK(racks.nic(loads, 3, Way::Up) == 0);
  CHECK(racks.nic(loads, 8 + 3, Way::Down) == 1000);
  CHECK(racks.above(loads, "u0", 0, Way::Up) == 1000);
  CHECK(racks.above(loads, "u0", 2, Way::Down) == 1000);
  CHECK(racks.above(loads, "u0", 1, Way::Up) == 0);
}

TEST_CASE("an all-to-all of a unit stays below the spines on rails, and not on racks' leaves",
          "[leaves]") {
  // 16 ranks on two servers: each NIC carries 8·8 messages either way.
  Units rails(LeafWiring::Rail, 8);
  Units racks(LeafWiring::Rack, 8);
  rails.all_to_all(0, 16, 10);
  racks.all_to_all(0, 16, 10);
  const RoutedLoads on_rails = rails.routed(RoutingScheme::Engineered);
  const RoutedLoads on_racks = racks.routed(RoutingScheme::Engineered);
  for (std::size_t nic = 0; nic < 16; ++nic) {
    CHECK(rails.nic(on_rails, nic, Way::Up) == 8 * 10);
    CHECK(rails.nic(on_rails, nic, Way::Down) == 8 * 10);
    CHECK(racks.nic(on_racks, nic, Way::Up) == 8 * 10);
  }
  CHECK(rails.above_all(on_rails, "u0", 8, Way::Up) == 0);
  // A leaf has one NIC of each server. Seven of the eight GPUs over there are on other leaves.
  for (int leaf = 0; leaf < 8; ++leaf) {
    CHECK(racks.above(on_racks, "u0", leaf, Way::Up) == 2 * 7 * 10);
    CHECK(racks.above(on_racks, "u0", leaf, Way::Down) == 2 * 7 * 10);
  }
}

TEST_CASE("between units an all-to-all stays on its rails", "[leaves]") {
  Units rails(LeafWiring::Rail, 8);
  rails.all_to_all(0, 32, 10);
  const RoutedLoads loads = rails.routed(RoutingScheme::Engineered);
  for (int leaf = 0; leaf < 8; ++leaf) {
    // 16 ranks of u0 send to the two receivers of this rail in u1, and theirs come back.
    CHECK(rails.above(loads, "u0", leaf, Way::Up) == 16 * 2 * 10);
    CHECK(rails.above(loads, "u0", leaf, Way::Down) == 16 * 2 * 10);
  }
  // Four uplinks of a leaf, each with a quarter.
  CHECK(busiest(rails.cables, loads).time.count == Approx(24 * 10 / double(kNic)));  // a NIC
}

TEST_CASE("with fewer leaves than NICs rails share a leaf, and only the NIC is the receiver's",
          "[leaves]") {
  Units rails(LeafWiring::Rail, 4);  // NIC i on leaf i mod 4
  rails.group(Pattern::Direct, {0, 16 + 5}, 1000);
  const RoutedLoads loads = rails.routed(RoutingScheme::Ecmp);
  CHECK(rails.nic(loads, 5, Way::Up) == 1000);
  CHECK(rails.above(loads, "u0", 1, Way::Up) == 1000);
  CHECK(rails.above(loads, "u1", 1, Way::Down) == 1000);
  CHECK(rails.above_all(loads, "u1", 4, Way::Down) == 1000);
}

TEST_CASE("hashed flows use every plane, and a controller one for each flow", "[leaves]") {
  Units two(LeafWiring::Rack, 1, 2);
  two.group(Pattern::Direct, {0, 8}, kNic);  // in one unit: no cable but those of the NICs
  const auto port = [&](const RoutedLoads& loads, std::size_t plane) {
    return loads.bytes[Cables::load_index(two.cables.ports_of(0)[plane].cable, Way::Up)];
  };
  const RoutedLoads hashed = two.routed(RoutingScheme::Ecmp);
  CHECK(port(hashed, 0) == Approx(kNic / 2));
  CHECK(port(hashed, 1) == Approx(kNic / 2));
  CHECK(busiest(two.cables, hashed).time.count == Approx(1));
  // One flow has one path: half a NIC, and twice the time.
  CHECK(busiest(two.cables, two.routed(RoutingScheme::Engineered)).time.count == Approx(2));
  // A second flow takes the other plane.
  two.group(Pattern::Direct, {0, 9}, kNic);
  const RoutedLoads both = two.routed(RoutingScheme::Engineered);
  CHECK(port(both, 0) == Approx(kNic));
  CHECK(port(both, 1) == Approx(kNic));
  CHECK(busiest(two.cables, both).time.count == Approx(2));
}

TEST_CASE("planes are apart: what goes up in one comes down in it", "[leaves]") {
  Units two(LeafWiring::Rail, 8, 2);
  two.all_to_all(0, 32, 10);
  for (const RoutingScheme scheme :
       {RoutingScheme::Ecmp, RoutingScheme::Pinned, RoutingScheme::Engineered}) {
    INFO(routing_name(scheme));
    const RoutedLoads loads = two.routed(scheme);
    std::map<int, double> balance;  // by plane, of the switches above the leaves
    std::map<int, double> passed;
    for (std::size_t cable = 0; cable < two.cables.count(); ++cable) {
      const Link& link = two.fabric.links()[two.cables.link_of(cable).index()];
      if (!std::holds_alternative<SwitchId>(link.lower)) continue;
      const int plane = two.fabric.switches()[link.upper.index()].place.plane;
      const double up = loads.bytes[Cables::load_index(cable, Way::Up)];
      balance[plane] += up - loads.bytes[Cables::load_index(cable, Way::Down)];
      passed[plane] += up;
    }
    // 16 ranks of either unit to the 16 of the other, half of it in each plane.
    for (const int plane : {0, 1}) {
      CHECK(balance[plane] == Approx(0).margin(1e-6));
      CHECK(passed[plane] == Approx(2 * 16 * 16 * 10 / 2.0).epsilon(0.2));
    }
  }
}

TEST_CASE("uplinks of leaves may bind what never leaves its rack", "[routing]") {
  FabricSpec spec = Units::spec_of(LeafWiring::Rack, 2, 1);
  spec.scale_up_bandwidth = {9 * kNic};
  spec.tiers.back().uplink_bandwidth = {kNic / 2};
  const Cluster cluster = drawn_cluster("a: u0[s0 s1] u1[s2 s3]", spec);
  const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
  Traffic traffic;
  traffic.ranks = 32;
  traffic.ranks_per_server = 8;
  traffic.members = {RankId{0}, RankId{9}};  // NIC 0 of s0 on one leaf, NIC 1 of s1 on the other
  traffic.phases.push_back({"x", {{Pattern::Direct, 0, 2, {kNic}}}, 1, 0});
  const std::vector<ServerId> servers = {ServerId{0}, ServerId{1}, ServerId{2}, ServerId{3}};
  const Bundle above{cluster.find_domain("u0").value(), true};
  for (const RoutingScheme scheme : {RoutingScheme::Ecmp, RoutingScheme::EnhancedEcmp,
                                     RoutingScheme::Pinned, RoutingScheme::Engineered}) {
    INFO("routing " << routing_name(scheme));
    const Prediction p = predict(fabric, traffic, servers, {.scheme = scheme});
    REQUIRE(p.phases[0].binding);
    // Up from the one leaf, down to the other.
    CHECK(p.phases[0].binding->bundle == Bundle{above.below, false});
    CHECK(p.phases[0].binding->bytes == Bytes{kNic});
    CHECK(p.phases[0].binding->time.count == Approx(2));
    CHECK(p.phases[0].transfer.count == Approx(2));
    CHECK(std::count_if(p.loads.begin(), p.loads.end(), [&](const BundleLoad& load) {
            return load.bundle.below == above.below && load.bytes == Bytes{kNic};
          }) == 2);
    CHECK(p.cross_zone == Bytes{});
  }
}

TEST_CASE("what another job sends from leaf to leaf of a rack is in the way of ours there",
          "[routing]") {
  FabricSpec spec = Units::spec_of(LeafWiring::Rack, 2, 1);
  spec.scale_up_bandwidth = {9 * kNic};
  spec.tiers[1].switches = 1;
  spec.tiers[2].uplinks = 1;
  const Cluster cluster = drawn_cluster("a: u0[s0 s1] u1[s2 s3]", spec);
  const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
  // Of so many bytes from NIC i of s0 to NIC i+1 of s1, each on the other leaf, for these i.
  const auto between = [&](std::initializer_list<std::size_t> nics, std::int64_t bytes) {
    Traffic traffic;
    traffic.ranks = 16;
    traffic.ranks_per_server = 8;
    traffic.phases.push_back({"x", {}, 1, 0});
    for (const std::size_t nic : nics) {
      const auto first = static_cast<std::uint32_t>(traffic.members.size());
      traffic.phases[0].groups.push_back({Pattern::Direct, first, 2, {bytes}});
      traffic.members.emplace_back(nic);
      traffic.members.emplace_back(8 + nic + 1);
    }
    return traffic;
  };
  const std::vector<ServerId> servers = {ServerId{0}, ServerId{1}};
  const Traffic ours = between({0, 1}, kNic);  // one flow up from either leaf
  for (const RoutingScheme scheme :
       {RoutingScheme::Ecmp, RoutingScheme::Pinned, RoutingScheme::Engineered}) {
    INFO("routing " << routing_name(scheme));
    const Background busy(fabric,
                          {{"busy", between({0, 1, 2, 3, 4, 5}, kNic), servers, std::nullopt}},
                          {.scheme = scheme});
    const Prediction p = predict(fabric, ours, servers, {.scheme = scheme}, busy);
    CHECK(p.undisturbed.count == Approx(1));
    // Three of their flows beside each of ours: a quarter is left.
    CHECK(p.communication.count == Approx(4));
    // One of theirs, which takes half of the rack's uplinks, beside two of ours: a third.
    const Background half(fabric, {{"half", between({0}, kNic), servers, std::nullopt}},
                          {.scheme = scheme});
    CHECK(predict(fabric, ours, servers, {.scheme = scheme}, half).communication.count ==
          Approx(1.5));
  }
}
