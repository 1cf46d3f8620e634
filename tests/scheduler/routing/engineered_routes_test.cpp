// What a controller makes of flows across several tiers: how even, and on which paths.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "routing/least_busy.hpp"
#include "routing/meta_world.hpp"
#include "routing/router.hpp"
#include "routing/up_down_paths.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

/// Every NIC to another one, drawn `times` times.
std::vector<NicFlow> drawn_flows(const Cables& cables, std::size_t servers, int times,
                                 std::uint64_t seed) {
  const auto nics = static_cast<std::uint32_t>(
      servers * static_cast<std::size_t>(cables.fabric().spec().nics_per_server));
  std::vector<std::uint32_t> to(nics);
  std::iota(to.begin(), to.end(), 0U);
  Random random(seed);
  std::vector<NicFlow> flows;
  for (int i = 0; i < times; ++i) {
    random.shuffle(std::span(to));
    for (std::uint32_t from = 0; from < nics; ++from) flows.push_back({from, to[from], kFlow});
  }
  return flows;
}

/// The least that the busiest cable can carry if all flows have one size: above a leaf or domain
/// with M cables, of n flows ⌈n/M⌉ share one. In seconds; links of one tier are alike here.
double least_seconds(const Cluster& cluster, const Cables& cables, const RoutedLoads& loads) {
  struct Above {
    double up = 0;
    double down = 0;
    double cables = 0;
    double capacity = 0;
  };
  std::map<std::pair<std::size_t, std::size_t>, Above> bundles;  // by domain or leaf, and plane
  for (std::size_t cable = 0; cable < cables.count(); ++cable) {
    if (cables.capacity(cable) <= 0) continue;
    const Link& link = cables.fabric().links()[cables.link_of(cable).index()];
    const auto* lower = std::get_if<SwitchId>(&link.lower);
    if (lower == nullptr) continue;
    const Switch& at = cables.fabric().switches()[lower->index()];
    const bool leaf = at.level == cluster.rack_level();
    const std::size_t below = leaf ? lower->index() : at.place.domain.index() + 1'000'000;
    Above& above = bundles[{below, static_cast<std::size_t>(at.place.plane)}];
    above.up += loads.bytes[Cables::load_index(cable, Way::Up)] / kFlow;
    above.down += loads.bytes[Cables::load_index(cable, Way::Down)] / kFlow;
    above.cables += 1;
    above.capacity = cables.capacity(cable);
  }
  double least = 0;
  for (const auto& [key, above] : bundles) {
    const double flows = std::ceil(std::max(above.up, above.down) / above.cables - 1e-9);
    least = std::max(least, flows * kFlow / above.capacity);
  }
  return least;
}

double busiest_between_switches(const Cables& cables, const RoutedLoads& loads) {
  double most = 0;
  for (std::size_t i = 0; i < loads.bytes.size(); ++i) {
    const Link& link = cables.fabric().links()[cables.link_of(i / 2).index()];
    if (std::holds_alternative<SwitchId>(link.lower) && loads.bytes[i] > 0)
      most = std::max(most, loads.bytes[i] / cables.capacity(i / 2));
  }
  return most;
}

struct Fabricated {
  std::unique_ptr<Cluster> cluster;
  std::unique_ptr<Fabric> fabric;
  std::unique_ptr<Cables> cables;
};

/// Two buildings of two zones of four racks of two servers.
template <class Break>
Fabricated buildings(const FabricSpec& spec, const Break& break_links) {
  ClusterBuilder builder("buildings", {"building", "zone", "rack"});
  for (int rack = 0; rack < 16; ++rack) {
    const std::vector<std::string> path = {"b" + std::to_string(rack / 8),
                                           "z" + std::to_string(rack / 4 % 2),
                                           "r" + std::to_string(rack % 4)};
    for (int server = 0; server < 2; ++server)
      builder.add_server(path, fmt::format("s{}-{}", rack, server), 8);
  }
  builder.backend(spec);
  Fabricated made;
  made.cluster = std::make_unique<Cluster>(builder.build());
  Health health(*made.cluster);
  break_links(*made.cluster, health);
  made.fabric = std::make_unique<Fabric>(Fabric::build(*made.cluster, spec, health));
  made.cables = std::make_unique<Cables>(*made.fabric);
  return made;
}

Fabricated buildings(const FabricSpec& spec) {
  return buildings(spec, [](const Cluster&, Health&) {});
}

/// A share of the links between switches fails, and as many carry half.
auto failing(double share, std::uint64_t seed, const FabricSpec& spec) {
  return [=](const Cluster& cluster, Health& health) {
    const Fabric whole = Fabric::build(cluster, spec, Health(cluster));
    Random random(seed);
    for (const Link& link : whole.links()) {
      const auto* lower = std::get_if<SwitchId>(&link.lower);
      const double drawn = random.unit();
      if (lower == nullptr || drawn >= 2 * share) continue;
      std::optional<BytesPerSecond> left;
      if (drawn >= share) left = BytesPerSecond{link.nominal.count / 2};
      health.link_faults.push_back({whole.switches()[lower->index()].place,
                                    whole.switches()[link.upper.index()].place, left});
    }
  };
}

/// Every path begins at the NIC of its flow, goes from switch to switch, and ends at the other NIC.
void check_paths(const Cables& cables, std::span<const NicFlow> flows, const RoutedLoads& loads) {
  const std::span<const Link> links = cables.fabric().links();
  REQUIRE(loads.parts.size() + loads.parted == flows.size());
  std::vector<double> bytes(loads.bytes.size(), 0);
  for (const RoutedPart& part : loads.parts) {
    const auto path = loads.path(part);
    const auto nics = static_cast<std::uint32_t>(cables.fabric().spec().nics_per_server);
    Endpoint at = ServerId{flows[part.flow].from / nics};
    for (const std::uint32_t hop : path) {
      const Link& link = links[cables.link_of(hop / 2).index()];
      const Endpoint upper = link.upper;
      REQUIRE(cables.capacity(hop / 2) > 0);
      bytes[hop] += part.bytes;
      REQUIRE(at == (hop % 2 == 0 ? link.lower : upper));
      at = hop % 2 == 0 ? upper : link.lower;
    }
    REQUIRE(at == Endpoint{ServerId{flows[part.flow].to / nics}});
  }
  for (std::size_t i = 0; i < bytes.size(); ++i) REQUIRE(bytes[i] == Approx(loads.bytes[i]));
}

}  // namespace

TEST_CASE("flows of one size across zones are spread as evenly as they can be", "[routing]") {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    for (const Shape& shape : {Shape{3, 6, 16, 4}, Shape{2, 8, 16, 32}, Shape{4, 4, 32, 8}}) {
      const World made = meta_world(shape);
      const auto flows = drawn_flows(*made.cables, made.cluster->server_count(), 2, seed);
      const RoutedLoads loads = made.routed(flows, RoutingScheme::Engineered);
      INFO(shape.zones << " zones, seed " << seed);
      CHECK(busiest_between_switches(*made.cables, loads) ==
            Approx(least_seconds(*made.cluster, *made.cables, loads)));
    }
  }
}

TEST_CASE("three tiers above the leaves, two planes and rounded capacities stay even",
          "[routing]") {
  FabricSpec spec;
  spec.planes = 2;
  // 1:1 gives 9 cables 16 NICs' worth, which do not divide to the byte.
  spec.tiers = {{"core", 4, 0, {}, 0, {}},
                {"agg", 6, 8, {}, 3, {}},
                {"CTSW", 9, 12, {}, 2, {}},
                {"RTSW", 1, 9, {}, 1, {}}};
  const Fabricated made = buildings(spec);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto flows = drawn_flows(*made.cables, made.cluster->server_count(), 3, seed);
    const RoutedLoads loads =
        route(*made.cables, flows, {RoutingScheme::Engineered}, 1, Paths::Keep);
    check_paths(*made.cables, flows, loads);
    CHECK(busiest_between_switches(*made.cables, loads) ==
          Approx(least_seconds(*made.cluster, *made.cables, loads)));
  }
}

TEST_CASE("a lost switch two tiers up costs at most one flow over an even share", "[routing]") {
  const World made = meta_world({3, 8, 16, 16}, [](const Cluster&, Health& health) {
    health.failed_switches.push_back({Cluster::root(), 0, 5});
  });
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    const auto flows = drawn_flows(*made.cables, made.cluster->server_count(), 3, seed);
    const RoutedLoads loads =
        route(*made.cables, flows, {RoutingScheme::Engineered}, 1, Paths::Keep);
    check_paths(*made.cables, flows, loads);
    CHECK(busiest_between_switches(*made.cables, loads) <=
          least_seconds(*made.cluster, *made.cables, loads) + 1.000001);
  }
}

TEST_CASE("flows of many sizes come within a fifth of an even share across zones", "[routing]") {
  const World made = meta_world({3, 8, 16, 4});  // 4:1, so that zones' uplinks bind
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    auto flows = drawn_flows(*made.cables, made.cluster->server_count(), 3, seed);
    Random random(seed);
    for (NicFlow& flow : flows) flow.bytes *= 1 + random.unit();
    const RoutedLoads loads = made.routed(flows, RoutingScheme::Engineered);
    double share = 0;  // of one cable above a zone
    for (const DomainId zone : made.cluster->domains_at(1)) {
      double up = 0;
      double down = 0;
      double cables = 0;
      for (std::size_t cable = 0; cable < made.cables->count(); ++cable) {
        const Link& link = made.fabric->links()[made.cables->link_of(cable).index()];
        const auto* lower = std::get_if<SwitchId>(&link.lower);
        if (lower == nullptr || made.fabric->switches()[lower->index()].place.domain != zone)
          continue;
        up += loads.bytes[Cables::load_index(cable, Way::Up)];
        down += loads.bytes[Cables::load_index(cable, Way::Down)];
        cables += 1;
      }
      share = std::max(share, std::max(up, down) / cables / static_cast<double>(kNic));
    }
    CHECK(busiest_between_switches(*made.cables, loads) >= share);
    CHECK(busiest_between_switches(*made.cables, loads) <= share * 1.2);
  }
}

TEST_CASE("no routes are less busy than the least, and one size comes down to it", "[routing]") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const World made = meta_world({3, 6, 16, 8});
    auto flows = drawn_flows(*made.cables, made.cluster->server_count(), 2, seed);
    Random random(seed);
    if (seed % 2 == 0) {
      for (NicFlow& flow : flows) flow.bytes *= 1 + random.unit();
    }
    std::sort(flows.begin(), flows.end(),
              [](const NicFlow& a, const NicFlow& b) { return a.bytes > b.bytes; });
    UpDownPaths paths(*made.cables);
    std::vector<LeafFlow> between;
    for (const NicFlow& flow : flows) {
      const Cables::Port& from = made.cables->ports_of(flow.from).front();
      const Cables::Port& to = made.cables->ports_of(flow.to).front();
      between.push_back({0, flow.bytes, &from, &to, *paths.turn_between(from.leaf, to.leaf)});
    }
    const double least = least_busy(*made.cables, between);
    for (const RoutingScheme scheme : {RoutingScheme::Engineered, RoutingScheme::Ecmp}) {
      const double most =
          busiest_between_switches(*made.cables, made.routed(flows, scheme, 1, seed));
      CHECK(most >= least * (1 - 1e-9));
      if (seed % 2 == 1 && scheme == RoutingScheme::Engineered) CHECK(most == Approx(least));
    }
  }
}

TEST_CASE("paths lead from NIC to NIC over what works, whatever has failed", "[routing]") {
  std::size_t joined = 0;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    FabricSpec spec;
    spec.nics_per_server = 4;
    spec.planes = seed % 3 == 0 ? 2 : 1;
    if (seed % 4 == 1) spec.leaves = LeafWiring::Rail;
    spec.tiers = {
        {"core", 2, 0, {}, 0, {}},
        {"agg", 3, 4, {}, 3, {}},
        {"CTSW", 4, 5, {}, 2, {}},
        {"RTSW", spec.leaves == LeafWiring::Rail ? 4 : 1, seed % 2 == 0 ? 4 : 6, {}, 1, {}}};
    const Fabricated made =
        buildings(spec, failing(0.02 * static_cast<double>(seed % 8), seed, spec));
    auto flows = drawn_flows(*made.cables, made.cluster->server_count(), 3, seed);
    Random random(seed);
    for (std::uint32_t i = 0; i < flows.size(); ++i) {
      if (seed % 5 == 0) flows[i].bytes *= 1 + random.unit();
      flows[i].stepwise = seed % 7 == 0;
      flows[i].round = i / 128;
    }
    INFO("seed " << seed);
    const RoutedLoads loads =
        route(*made.cables, flows, {RoutingScheme::Engineered}, 1, Paths::Keep);
    check_paths(*made.cables, flows, loads);
    joined += loads.parts.size();
    Routing stale{RoutingScheme::Engineered};
    stale.stale_rules = true;
    const RoutedLoads before = route(*made.cables, flows, stale, seed, Paths::Keep);
    if (spec.planes == 1) check_paths(*made.cables, flows, before);
  }
  CHECK(joined > 5'000);
}

TEST_CASE("NICs that send one flow each share out the planes above their leaf", "[routing]") {
  FabricSpec spec;
  spec.planes = 2;
  spec.tiers = {{"core", 2, 0, {}, 0, {}},
                {"agg", 2, 4, {}, 3, {}},
                {"CTSW", 4, 4, {}, 2, {}},
                {"RTSW", 1, 8, {}, 1, {}}};
  const Fabricated made = buildings(spec);
  std::vector<NicFlow> flows;  // from rack to rack: 16 flows, and 8 cables in each plane
  for (std::uint32_t nic = 0; nic < 16; ++nic) flows.push_back({nic, 16 + nic, kFlow});
  const RoutedLoads loads = route(*made.cables, flows, {RoutingScheme::Engineered}, 1);
  for (std::size_t i = 0; i < loads.bytes.size(); ++i) CHECK(loads.bytes[i] <= kFlow);
}

TEST_CASE("steps are routed together with what goes on beside them where that takes less long",
          "[routing]") {
  const World made = meta_world({1, 2, 16, 8});
  std::vector<NicFlow> flows;
  for (std::uint32_t nic = 0; nic < 8; ++nic) flows.push_back({nic, 16 + nic, kFlow});
  for (std::uint32_t step = 0; step < 4; ++step) {
    for (std::uint32_t nic = 8; nic < 16; ++nic)
      flows.push_back({nic, 16 + nic, kFlow / 4, step, true});
  }
  // Each of the two servers has 8 of the 16 uplinks for its own.
  CHECK(made.seconds(flows, RoutingScheme::Engineered) == Approx(1));
  const RoutedLoads kept = route(*made.cables, flows, {RoutingScheme::Engineered}, 1, Paths::Keep);
  check_paths(*made.cables, flows, kept);
  CHECK(kept.rule_count() == 40 * 3);
}
