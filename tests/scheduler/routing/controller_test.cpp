// Central traffic engineering as a controller brings it about: what it gains, what failures do to
// it, and what goes on before it has run.
#include "zonecut/scheduler/controller.hpp"

#include <numeric>

#include "routing/meta_world.hpp"
#include "routing/stale_routes.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr Routing kEngineered{RoutingScheme::Engineered};

Routing hashed(int queue_pairs) { return {RoutingScheme::EnhancedEcmp, queue_pairs}; }

/// 128 servers in whole racks of one zone, as many uplinks as NICs or two more.
Shape servers128(int uplinks) { return {1, 64, uplinks, 8, uplinks}; }

/// A collective of all ranks of these servers, in this order.
struct Run {
  Run(const World& in, const std::string& collective, std::vector<ServerId> on)
      : world(in), servers(std::move(on)) {
    const std::string ranks = std::to_string(8 * servers.size());
    traffic =
        traffic_of(parse_job_file("name: run\ngpus: " + ranks + "\ncollectives:\n  - {" +
                                      collective + ", ranks: \"0-" +
                                      std::to_string(8 * servers.size() - 1) + "\", bytes: 1GiB}\n",
                                  "run.yaml")
                       .job,
                   8);
  }
  [[nodiscard]] double seconds(const Routing& routing) const {
    return predict(*world.fabric, traffic, servers, routing).communication.count;
  }
  [[nodiscard]] ControllerOutlook outlook(const Routing& routing) const {
    return controller_outlook(*world.fabric, traffic, servers, routing, {});
  }

  const World& world;
  std::vector<ServerId> servers;
  Traffic traffic;
};

const std::string kAllReduce = "kind: all-reduce, algorithm: ring";
const std::string kAllToAll = "kind: all-to-all, algorithm: linear";
const std::string kPairwise = "kind: all-to-all, algorithm: pairwise";

std::vector<ServerId> in_order(std::size_t count) {
  std::vector<ServerId> servers(count, ServerId{0});
  for (std::size_t i = 0; i < count; ++i) servers[i] = ServerId{i};
  return servers;
}

std::vector<ServerId> in_random_order(std::size_t count, std::uint64_t seed) {
  std::vector<ServerId> servers = in_order(count);
  Random(seed).shuffle(std::span(servers));
  return servers;
}

/// Every NIC of a server to the same one of the next.
std::vector<NicFlow> around(std::span<const ServerId> order) {
  std::vector<NicFlow> flows;
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto from = static_cast<std::uint32_t>(order[i].index());
    const auto to = static_cast<std::uint32_t>(order[(i + 1) % order.size()].index());
    for (std::uint32_t nic = 0; nic < 8; ++nic)
      flows.push_back({8 * from + nic, 8 * to + nic, kFlow});
  }
  return flows;
}

/// A share of the links between leaves and spines fails.
auto failing(double share, std::uint64_t seed) {
  return [=](const Cluster& cluster, Health& health) {
    Random random(seed);
    for (const DomainId rack : cluster.domains_at(cluster.rack_level())) {
      const DomainId zone = *cluster.domain(rack).parent;
      for (int spine = 0; spine < cluster.backend().tiers[1].switches; ++spine) {
        if (random.unit() < share)
          health.link_faults.push_back({SwitchRef{rack, 0, 0}, {zone, 0, spine}, std::nullopt});
      }
    }
  };
}

}  // namespace

// SIGCOMM 2024 has 5 to 10 % for all-reduce and all-to-all; one point of tolerance. 16 queue pairs
// are those of its language models, 4 those of its recommendation models. With the 18 uplinks of
// the fabric that the controller was built for, NICs and not links bind an all-to-all, and no
// routing is faster than another; so that one goes over 16.
TEST_CASE("traffic engineering is 5 to 10 % faster than hashed queue pairs at 128 servers",
          "[routing][figure]") {
  const World under_subscribed = meta_world(servers128(18));
  const World non_blocking = meta_world(servers128(16));
  const Run reduce(under_subscribed, kAllReduce, in_order(128));
  const Run exchange(non_blocking, kAllToAll, in_order(128));
  const double reduced = reduce.seconds(hashed(16)) / reduce.seconds(kEngineered);
  const double exchanged = exchange.seconds(hashed(4)) / exchange.seconds(kEngineered);
  INFO("all-reduce " << reduced << ", all-to-all " << exchanged);
  for (const double gain : {reduced, exchanged}) {
    CHECK(gain > 1.04);
    CHECK(gain < 1.11);
  }
}

TEST_CASE("traffic engineering is slower than hashed queue pairs under many failures",
          "[routing][figure]") {
  const auto gain = [](int uplinks, double share) {
    double sum = 0;
    for (std::uint64_t seed = 0; seed < 5; ++seed) {
      const World world = meta_world(servers128(uplinks), failing(share, seed));
      const Run run(world, kAllReduce, in_order(128));
      sum += run.seconds(hashed(16)) / run.seconds(kEngineered) / 5;
    }
    return sum;
  };
  for (const int uplinks : {16, 18}) {
    INFO(uplinks << " uplinks");
    CHECK(gain(uplinks, 0) > 1.02);
    CHECK(gain(uplinks, 0.05) > 1.02);
    CHECK(gain(uplinks, 0.2) < 0.95);
    CHECK(gain(uplinks, 0.3) < 0.95);
  }
}

TEST_CASE("eighteen uplinks for sixteen NICs survive a failure at each leaf", "[routing]") {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const World world = meta_world(servers128(18), [&](const Cluster& cluster, Health& health) {
      Random random(seed);
      const DomainId zone = *cluster.find_domain("z0");
      for (const DomainId rack : cluster.domains_at(cluster.rack_level())) {
        const int spine = static_cast<int>(random.below(18));
        health.link_faults.push_back({SwitchRef{rack, 0, 0}, {zone, 0, spine}, std::nullopt});
      }
    });
    INFO("seed " << seed);
    CHECK(world.seconds(around(in_random_order(128, seed)), RoutingScheme::Engineered) ==
          Approx(1));
  }
}

TEST_CASE("a few failures cost nothing across zones either", "[routing]") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const World world = meta_world({2, 32, 18, 36, 18}, failing(0.01, seed));
    INFO("seed " << seed);
    CHECK(world.seconds(around(in_random_order(128, seed)), RoutingScheme::Engineered) ==
          Approx(1));
  }
}

TEST_CASE("each step of a pairwise all-to-all has routes that suit it", "[routing]") {
  const World world = meta_world({1, 16, 16, 8});
  const Run run(world, kPairwise, in_order(32));
  // In the steps from rank to near rank few flows leave a server, each by one NIC: ideal balancing
  // takes all of its NICs for one.
  CHECK(run.seconds(kEngineered) < 1.03 * run.seconds({RoutingScheme::Ideal}));
  CHECK(run.seconds(hashed(1)) > 1.5 * run.seconds(kEngineered));
}

TEST_CASE("flows keep their ways after failures, and are hashed where these are broken",
          "[routing]") {
  const World world = meta_world(servers128(18), failing(0.03, 4));
  const World whole = meta_world(servers128(18));
  std::vector<NicFlow> flows;
  for (std::uint32_t i = 0; i < 1024; ++i) flows.push_back({i, (i + 24) % 1024, kFlow});
  const RoutedLoads before = route(*whole.cables, flows, kEngineered, 3, Paths::Keep);
  const RoutedLoads after = stale_routes(*world.cables, flows, kEngineered, 3, Paths::Keep);
  std::vector<std::vector<std::uint32_t>> ways(flows.size());
  for (const RoutedPart& part : before.parts) {
    const auto path = before.path(part);
    ways[part.flow].assign(path.begin(), path.end());
  }
  std::vector<double> bytes(flows.size(), 0);
  std::size_t moved = 0;
  for (const RoutedPart& part : after.parts) {
    bytes[part.flow] += part.bytes;
    const auto path = after.path(part);
    for (const std::uint32_t hop : path) REQUIRE(world.cables->capacity(hop / 2) > 0);
    const std::vector<std::uint32_t>& way = ways[part.flow];
    const bool worked = std::all_of(way.begin(), way.end(), [&](std::uint32_t hop) {
      return world.cables->capacity(hop / 2) > 0;
    });
    moved += !worked;
    if (worked) CHECK(std::equal(path.begin(), path.end(), way.begin(), way.end()));
  }
  for (const double sent : bytes) CHECK(sent == Approx(kFlow));
  std::int64_t left = 0;  // one for each switch that a flow between leaves still passes by rule
  for (const std::vector<std::uint32_t>& way : ways) {
    const bool works = std::all_of(way.begin(), way.end(), [&](std::uint32_t hop) {
      return world.cables->capacity(hop / 2) > 0;
    });
    if (works && way.size() > 2) left += std::ssize(way) - 1;
  }
  CHECK(left < before.rule_count());
  CHECK(moved > 0);
  CHECK(moved < flows.size() / 4);
  CHECK(after.parted == 0);
  CHECK(after.rule_count() == left);
}

TEST_CASE("what the controller has yet to do is foreseen", "[routing]") {
  const World whole = meta_world(servers128(18));
  const Run well(whole, kAllReduce, in_order(128));
  const ControllerOutlook outlook = well.outlook({RoutingScheme::Engineered, 16});
  // Each second server passes eight flows on to the next rack: leaf, spine, leaf.
  CHECK(outlook.rules == 64 * 8 * 3);
  CHECK(outlook.unruled->count == Approx(well.seconds(hashed(16))));
  CHECK_FALSE(outlook.stale.has_value());

  const World broken = meta_world(servers128(18), failing(0.02, 1));
  const Run ill(broken, kAllReduce, in_order(128));
  const double engineered = ill.seconds(kEngineered);
  const auto stale = [&](int queue_pairs) {
    return ill.outlook({RoutingScheme::Engineered, queue_pairs}).stale->count;
  };
  CHECK(engineered == Approx(well.seconds(kEngineered)));
  CHECK(stale(1) > 1.1 * engineered);
  CHECK(stale(16) > engineered);
  CHECK(stale(16) < stale(1));
}

TEST_CASE("a job that stays inside its servers needs no rules", "[routing]") {
  const World world = meta_world({1, 4, 16, 8});
  const Run run(world, kAllReduce, in_order(1));
  const ControllerOutlook outlook = run.outlook(kEngineered);
  CHECK(outlook.rules == 0);
  CHECK_FALSE(outlook.fullest.has_value());
}

TEST_CASE("what a job loses before the next run is a share of the period", "[routing]") {
  CHECK(most_lost({30}, {2}, {1}).count == Approx(15));
  CHECK(most_lost({30}, {4}, {1}).count == Approx(22.5));
  CHECK(most_lost({30}, {1}, {1}).count == 0);
  CHECK(most_lost({30}, {1}, {2}).count == 0);
}
