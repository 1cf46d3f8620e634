// Flows routed cable by cable.
#include "routing/router.hpp"

#include <numeric>

#include "routing/hashed_time.hpp"
#include "routing/meta_world.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// Every NIC of server `from` to the same NIC of server `to`.
void connect(std::vector<NicFlow>& flows, std::uint32_t from, std::uint32_t to) {
  for (std::uint32_t nic = 0; nic < 8; ++nic)
    flows.push_back({from * 8 + nic, to * 8 + nic, kFlow});
}

/// Every server to one in another rack, drawn without fixed points.
std::vector<NicFlow> permutation(std::uint32_t servers, std::uint64_t seed) {
  Random random(seed);
  std::vector<std::uint32_t> order(servers);
  std::iota(order.begin(), order.end(), 0U);
  random.shuffle(std::span(order));
  std::vector<NicFlow> flows;
  for (std::uint32_t i = 0; i < servers; ++i) connect(flows, order[i], order[(i + 1) % servers]);
  return flows;
}

}  // namespace

TEST_CASE("what enters a switch leaves it, under every scheme", "[routing]") {
  const World made = meta_world({3, 4, 18, 5});
  const std::vector<NicFlow> flows = permutation(24, 5);
  const double sent = kFlow * static_cast<double>(flows.size());
  for (const RoutingScheme scheme : kRoutingSchemes) {
    INFO(routing_name(scheme));
    const RoutedLoads loads = made.routed(flows, scheme, 4);
    CHECK(loads.parted == 0);
    std::vector<double> balance(made.fabric->switches().size(), 0);
    double left = 0;
    double arrived = 0;
    for (std::size_t cable = 0; cable < made.cables->count(); ++cable) {
      const Link& link = made.fabric->links()[made.cables->link_of(cable).index()];
      const double up = loads.bytes[Cables::load_index(cable, Way::Up)];
      const double down = loads.bytes[Cables::load_index(cable, Way::Down)];
      balance[link.upper.index()] += up - down;
      if (const auto* lower = std::get_if<SwitchId>(&link.lower)) {
        balance[lower->index()] += down - up;
      } else {
        left += up;
        arrived += down;
      }
    }
    CHECK(left == Approx(sent));
    CHECK(arrived == Approx(sent));
    for (const double rest : balance) CHECK(rest == Approx(0).margin(1));
  }
}

TEST_CASE("flows hashed one by one agree with the distribution", "[routing]") {
  const World made = meta_world({1, 16, 16, 1});
  const std::vector<NicFlow> flows = permutation(32, 9);
  for (const int queue_pairs : {1, 4, 16}) {
    double sum = 0;
    constexpr int kDraws = 60;
    for (int seed = 0; seed < kDraws; ++seed)
      sum += made.seconds(flows, RoutingScheme::EnhancedEcmp, queue_pairs,
                          static_cast<std::uint64_t>(seed));
    HashedTime expected;
    std::vector<double> out(16, 0);
    std::vector<double> in(16, 0);
    for (const NicFlow& flow : flows) {
      if (flow.from / 16 == flow.to / 16) continue;
      out[flow.from / 16] += kFlow;
      in[flow.to / 16] += kFlow;
    }
    for (const auto& loads : {out, in}) {
      for (const double bytes : loads)
        expected.add({16, {kNic}, bytes, bytes * kFlow / queue_pairs});
    }
    INFO(queue_pairs << " queue pairs");
    CHECK(sum / kDraws == Approx(expected.slowest().mean.count).epsilon(0.08));
  }
}

TEST_CASE("pinning is perfect on whole racks", "[routing]") {
  const World made = meta_world({});
  std::vector<NicFlow> flows;
  for (std::uint32_t rack = 0; rack < 8; ++rack) {
    for (std::uint32_t server = 0; server < 2; ++server)
      connect(flows, 2 * rack + server, (2 * rack + server + 2) % 16);
  }
  CHECK(made.seconds(flows, RoutingScheme::Pinned) == Approx(1));
  CHECK(made.seconds(flows, RoutingScheme::Ecmp) > 2);
}

TEST_CASE("pinning loads half the uplinks twice where racks are half allocated", "[routing]") {
  // Both servers of a rack send to racks of which the job holds the first server only.
  std::vector<NicFlow> flows;
  for (std::uint32_t rack = 0; rack < 2; ++rack) {
    connect(flows, 2 * rack, 2 * (2 + 2 * rack));
    connect(flows, 2 * rack + 1, 2 * (3 + 2 * rack));
  }
  CHECK(meta_world({}).seconds(flows, RoutingScheme::Pinned) == Approx(2));
  SECTION("twice the uplinks cancel it") {
    CHECK(meta_world({1, 8, 32, 1}).seconds(flows, RoutingScheme::Pinned) == Approx(1));
  }
  SECTION("a controller that knows the placement does as well") {
    CHECK(meta_world({}).seconds(flows, RoutingScheme::Engineered) == Approx(1));
  }
}

TEST_CASE("a pinned uplink that fails gives its flows to the rest", "[routing]") {
  const auto cut = [](const Cluster& cluster, Health& health) {
    const DomainId rack = *cluster.find_domain("z0/r0");
    const DomainId zone = *cluster.find_domain("z0");
    health.link_faults.push_back({SwitchRef{rack, 0, 0}, {zone, 0, 3}, std::nullopt});
  };
  const World made = meta_world({}, cut);
  std::vector<NicFlow> flows;
  connect(flows, 0, 2);
  connect(flows, 1, 3);
  const RoutedLoads loads = made.routed(flows, RoutingScheme::Pinned);
  CHECK(loads.parted == 0);
  CHECK(busiest(*made.cables, loads).time.count == Approx(2));
}

TEST_CASE("a server without links is parted from the rest", "[routing]") {
  const World made = meta_world({}, [](const Cluster& cluster, Health& health) {
    health.failed_switches.push_back({*cluster.find_domain("z0/r0"), 0, 0});
  });
  std::vector<NicFlow> flows;
  connect(flows, 0, 2);
  connect(flows, 2, 4);
  for (const RoutingScheme scheme : kRoutingSchemes) {
    CHECK(made.routed(flows, scheme).parted == 8);
  }
}

TEST_CASE("paths go round failures two tiers up", "[routing]") {
  // CTSW 0 to 14 of zone 1 have lost everything above: only CTSW 15 of it can be entered.
  const World made = meta_world({2, 2, 16, 16}, [](const Cluster& cluster, Health& health) {
    for (int spine = 0; spine < 15; ++spine) {
      for (int top = 0; top < 16; ++top) {
        health.link_faults.push_back({SwitchRef{*cluster.find_domain("z1"), 0, spine},
                                      {Cluster::root(), 0, top},
                                      std::nullopt});
      }
    }
  });
  std::vector<NicFlow> flows;
  connect(flows, 0, 4);
  for (const RoutingScheme scheme : kRoutingSchemes) {
    INFO(routing_name(scheme));
    const RoutedLoads loads = made.routed(flows, scheme);
    CHECK(loads.parted == 0);
    CHECK(busiest(*made.cables, loads).time.count >= 8);  // one cable from CTSW 15 to the rack
  }
}

TEST_CASE("a controller needs no cable twice where no leaf has more flows than cables",
          "[routing]") {
  // Any permutation of the NICs of one zone: 16 flows out of each rack and into it, 16 uplinks. A
  // greedy choice, flow after flow, ends with two on some.
  const World made = meta_world({});
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    std::vector<std::uint32_t> to(128);
    std::iota(to.begin(), to.end(), 0U);
    Random(seed).shuffle(std::span(to));
    std::vector<NicFlow> flows;
    for (std::uint32_t from = 0; from < 128; ++from) flows.push_back({from, to[from], kFlow});
    CHECK(made.seconds(flows, RoutingScheme::Engineered) == Approx(1));
  }
}

TEST_CASE("what a controller routes is what it loads", "[routing]") {
  const World made = meta_world({2, 8, 16, 8});
  std::vector<NicFlow> flows = permutation(32, 3);
  for (std::size_t i = 0; i < flows.size(); ++i) flows[i].bytes *= 1 + static_cast<double>(i % 3);
  for (const RoutingScheme scheme : kRoutingSchemes) {
    const RoutedLoads loads = route(*made.cables, flows, {scheme, 4, std::nullopt}, 1, Paths::Keep);
    std::vector<double> bytes(loads.bytes.size(), 0.0);
    for (const RoutedPart& part : loads.parts) {
      const auto path = loads.path(part);
      for (const std::uint32_t index : path) bytes[index] += part.bytes;
      CHECK(path.front() / 2 == made.cables->ports_of(flows[part.flow].from).front().cable);
      CHECK(path.back() / 2 == made.cables->ports_of(flows[part.flow].to).front().cable);
    }
    for (std::size_t i = 0; i < bytes.size(); ++i) CHECK(bytes[i] == Approx(loads.bytes[i]));
  }
}

TEST_CASE("traffic engineering beats hashed queue pairs while the fabric is whole", "[routing]") {
  const World made = meta_world({2, 32, 16, 8});  // 128 servers, two to one between the zones
  const std::vector<NicFlow> flows = permutation(128, 2);
  const double engineered = made.seconds(flows, RoutingScheme::Engineered);
  double hashed = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed)
    hashed += made.seconds(flows, RoutingScheme::EnhancedEcmp, 16, seed) / 10;
  CHECK(engineered < hashed);
  CHECK(made.routed(flows, RoutingScheme::Engineered).rule_count() >=
        static_cast<std::int64_t>(flows.size()));
}
