// Expected times under hashing against the mean over thousands of hash functions, each of which
// leads every flow switch by switch.
#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "routing/launch_plan.hpp"
#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr std::int64_t kNic = 50'000'000'000;

/// Racks of servers with as many uplinks as NICs, one to each CTSW.
FabricSpec spec_of(int nics, int uplinks, double oversubscription) {
  FabricSpec spec;
  spec.nics_per_server = nics;
  spec.nic_bandwidth = {kNic};
  spec.scale_up_bandwidth = {9 * kNic};
  spec.tiers = {{"ATSW", uplinks, 0, {}, 0, {}},
                {"CTSW", uplinks, uplinks, {kNic}, oversubscription, {}},
                {"RTSW", 1, uplinks, {kNic}, 0, {}}};
  return spec;
}

struct Case {
  std::string name;
  Cluster cluster;
  Traffic traffic;
  std::vector<ServerId> servers;

  [[nodiscard]] Prediction predicted(const Routing& routing, const Fabric& fabric) const {
    return predict(fabric, traffic, servers, routing);
  }
  [[nodiscard]] Fabric fabric() const {
    return Fabric::build(cluster, cluster.backend(), Health(cluster));
  }
};

/// One group a rank of a server, over all servers; `pitch` servers on from each to the next.
Case even_case(const std::string& name, int zones, int racks, int in_rack, const FabricSpec& spec,
               std::size_t pitch, Group like) {
  Case made{name, even_cluster(zones, racks, in_rack, spec, spec.nics_per_server), {}, {}};
  const std::size_t servers = made.cluster.server_count();
  const auto ranks = static_cast<std::size_t>(spec.nics_per_server);
  made.traffic.ranks = servers * ranks;
  made.traffic.ranks_per_server = ranks;
  made.traffic.phases = {{"phase", {}, 0, 0}};
  if (like.pattern == Pattern::Pipeline) like.messages = 8;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    like.first_member = static_cast<std::uint32_t>(made.traffic.members.size());
    like.size = static_cast<std::uint32_t>(servers);
    for (std::size_t v = 0; v < servers; ++v) made.traffic.members.emplace_back(v * ranks + rank);
    made.traffic.phases[0].groups.push_back(like);
  }
  for (std::size_t first = 0; first < pitch; ++first) {
    for (std::size_t server = first; server < servers; server += pitch)
      made.servers.emplace_back(server);
  }
  return made;
}

Group like(Pattern pattern, bool stepwise = false) {
  Group group;
  group.pattern = pattern;
  group.bytes = {kNic};
  group.stepwise = stepwise;
  return group;
}

/// An iteration's communication under so many hash functions, fastest first.
struct Brute {
  double mean = 0;
  std::vector<double> times;

  /// Whether this is about as slow as the launch that so many in a hundred are faster than.
  [[nodiscard]] bool is_quantile(Seconds time, double share) const {
    const auto below = std::lower_bound(times.begin(), times.end(), time.count - 1e-9);
    const auto past = std::upper_bound(times.begin(), times.end(), time.count + 1e-9);
    const auto all = static_cast<double>(times.size());
    return static_cast<double>(below - times.begin()) / all <= share + 0.05 &&
           static_cast<double>(past - times.begin()) / all >= share - 0.05;
  }
};

Brute over_hash_functions(const Case& of, const Fabric& fabric, Routing routing, int draws) {
  std::vector<double> times;
  for (int seed = 0; seed < draws; ++seed) {
    routing.hash_seed = 7'000 + static_cast<std::uint64_t>(seed);
    times.push_back(of.predicted(routing, fabric).communication.count);
  }
  std::sort(times.begin(), times.end());
  return {std::accumulate(times.begin(), times.end(), 0.0) / draws, times};
}

double flows_of(const Case& of, int queue_pairs) {
  double flows = 0;
  for (const Group& group : of.traffic.phases[0].groups) {
    const double size = group.size;
    flows += (group.pattern == Pattern::AllToAll ? size * (size - 1) : size) * queue_pairs;
  }
  return flows;
}

}  // namespace

TEST_CASE("expected times of few flows are the mean over hash functions", "[routing]") {
  const std::vector<Case> cases = {
      even_case("16 hosts, every hop into another rack", 1, 4, 4, spec_of(1, 4, 0), 4,
                like(Pattern::Ring)),
      even_case("racks of two servers in a zone", 1, 4, 2, spec_of(8, 16, 0), 2,
                like(Pattern::Ring)),
      even_case("two zones in turn", 2, 2, 4, spec_of(1, 4, 2), 8, like(Pattern::Ring)),
      even_case("steps of an all-to-all", 1, 4, 2, spec_of(4, 8, 0), 1,
                like(Pattern::AllToAll, true)),
      even_case("an all-to-all at once", 1, 4, 2, spec_of(1, 4, 0), 1, like(Pattern::AllToAll)),
      even_case("pipelines across racks", 1, 4, 2, spec_of(4, 8, 0), 2, like(Pattern::Pipeline)),
  };
  for (const Case& here : cases) {
    const Fabric fabric = here.fabric();
    for (const int pairs : {1, 2, 4, 8, 16}) {
      const Routing routing{RoutingScheme::EnhancedEcmp, pairs};
      REQUIRE(plan_launches(here.traffic, fabric.spec().nics_per_server, pairs)[0] > 0);
      const Brute brute = over_hash_functions(here, fabric, routing, 2'000);
      const Prediction expected = here.predicted(routing, fabric);
      INFO(here.name << ", " << pairs << " queue pairs, brute " << brute.mean);
      CHECK(std::abs(expected.communication.count / brute.mean - 1) <= 0.03);
      if (here.traffic.phases[0].groups[0].messages > 1)
        continue;  // hops count as fast or slow together
      CHECK(brute.is_quantile(expected.phases[0].transfer_low, 0.1));
      CHECK(brute.is_quantile(expected.phases[0].transfer_high, 0.9));
    }
  }
}

TEST_CASE("samples and the formula meet where flows become many", "[routing]") {
  for (const std::size_t pitch : {std::size_t{1}, std::size_t{2}}) {
    const Case here =
        even_case("racks in a zone", 1, 18, 2, spec_of(8, 16, 0), pitch, like(Pattern::Ring));
    const Fabric fabric = here.fabric();
    std::set<bool> sampled;
    for (const int pairs : {8, 16}) {
      const Routing routing{RoutingScheme::EnhancedEcmp, pairs};
      const bool few = plan_launches(here.traffic, 8, pairs)[0] > 0;
      sampled.insert(few);
      CHECK(few == (flows_of(here, pairs) <= kSampledPaths / kFewestLaunches));
      const Brute brute = over_hash_functions(here, fabric, routing, 300);
      const double ratio = here.predicted(routing, fabric).communication.count / brute.mean;
      INFO(pairs << " queue pairs, ratio " << ratio);
      CHECK(std::abs(ratio - 1) <= (few ? 0.03 : 0.06));
    }
    CHECK(sampled.size() == 2);
  }
}

TEST_CASE("what falls back to hashing under pinning is expected over hash functions", "[routing]") {
  const Case here = even_case("16 hosts", 1, 4, 4, spec_of(1, 4, 0), 4, like(Pattern::Ring));
  Health health(here.cluster);
  const SwitchRef leaf{here.cluster.domains_at(here.cluster.rack_level())[0]};
  const SwitchRef spine{here.cluster.domains_at(here.cluster.zone_level())[0]};
  const Fabric whole = here.fabric();
  const Routing pinned{RoutingScheme::Pinned};
  const Prediction certain = here.predicted(pinned, whole);
  CHECK(certain.phases[0].transfer_low == certain.phases[0].transfer_high);

  health.link_faults.push_back({leaf, spine, std::nullopt});
  const Fabric broken = Fabric::build(here.cluster, here.cluster.backend(), health);
  const Brute brute = over_hash_functions(here, broken, pinned, 2'000);
  const Prediction expected = here.predicted(pinned, broken);
  CHECK(expected.communication.count == Approx(brute.mean).epsilon(0.03));
  CHECK(expected.communication > certain.communication);
}

TEST_CASE("zones that are built alike and used alike take as long", "[routing]") {
  Case here = even_case("two zones", 2, 2, 4, spec_of(2, 4, 2), 1, like(Pattern::Ring));
  here.traffic = even_case("half of it", 1, 2, 4, spec_of(2, 4, 2), 1, like(Pattern::Ring)).traffic;
  const Fabric fabric = here.fabric();
  const std::vector<ServerId> all = here.servers;
  here.servers.assign(all.begin(), all.begin() + 8);
  const Prediction first = here.predicted({RoutingScheme::Ecmp}, fabric);
  here.servers.assign(all.begin() + 8, all.end());
  const Prediction second = here.predicted({RoutingScheme::Ecmp}, fabric);
  CHECK(first.communication == second.communication);
  CHECK(first.phases[0].transfer_high == second.phases[0].transfer_high);
}
