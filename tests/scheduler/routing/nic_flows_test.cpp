// What is counted of a phase against what is listed of it.
#include "routing/nic_flows.hpp"

#include <algorithm>
#include <array>

#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/scheduler/prediction.hpp"

using namespace zonecut;

namespace {

constexpr std::array kPatterns{Pattern::Ring,  Pattern::Tree,      Pattern::AllToAll,
                               Pattern::Chain, Pattern::Broadcast, Pattern::Pipeline,
                               Pattern::Direct};

FabricSpec spec_of(int nics) {
  FabricSpec spec;
  spec.nics_per_server = nics;
  spec.nic_bandwidth = {50'000'000'000};
  spec.tiers = {{"ATSW", nics, 0, {}, 0, {}},
                {"CTSW", nics, nics, {50'000'000'000}, 0, {}},
                {"RTSW", 1, nics, {50'000'000'000}, 0, {}}};
  return spec;
}

/// Some ranks in any order; all-to-alls have something to send, others may not.
void draw_group(Random& random, Traffic& traffic, Phase& phase) {
  Group group;
  group.pattern = kPatterns[random.below(kPatterns.size())];
  const bool exchanges = group.pattern == Pattern::AllToAll;
  std::vector<RankId> ranks;
  for (std::size_t i = 0; i < traffic.ranks; ++i) ranks.emplace_back(i);
  random.shuffle(std::span(ranks));
  ranks.resize(group.pattern == Pattern::Direct ? 2 : 1 + random.below(ranks.size()), RankId{0});
  group.first_member = static_cast<std::uint32_t>(traffic.members.size());
  group.size = static_cast<std::uint32_t>(ranks.size());
  group.bytes = {static_cast<std::int64_t>(random.below(3) + (exchanges ? 1 : 0))};
  group.wrap_bytes = {static_cast<std::int64_t>(random.below(2))};
  group.stepwise = exchanges && random.below(2) == 0;
  traffic.members.insert(traffic.members.end(), ranks.begin(), ranks.end());
  phase.groups.push_back(group);
}

}  // namespace

TEST_CASE("flows are counted as they are listed, whatever the pattern", "[routing]") {
  Random random(21);
  std::size_t most = 0;
  for (int draw = 0; draw < 600; ++draw) {
    const FabricSpec spec = spec_of(1 << random.below(4));
    const Cluster cluster = even_cluster(2, 1, 1 + static_cast<int>(random.below(3)), spec);
    Traffic traffic;
    traffic.ranks_per_server = std::size_t{1} << random.below(4);
    traffic.ranks = cluster.server_count() * traffic.ranks_per_server;
    std::vector<ServerId> servers;
    for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
    Phase phase;
    for (std::size_t groups = 1 + random.below(3); groups > 0; --groups)
      draw_group(random, traffic, phase);
    const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
    const std::size_t listed = nic_flows(fabric, traffic, phase, servers).size();
    INFO("draw " << draw << ", pattern " << static_cast<int>(phase.groups.front().pattern));
    CHECK(count_nic_flows(traffic, phase, spec.nics_per_server, 1e9) ==
          static_cast<double>(listed));
    CHECK(count_nic_flows(traffic, phase, spec.nics_per_server, 5) <= 5);
    most = std::max(most, listed);
  }
  CHECK(most > 100);
}

TEST_CASE("a broadcast over all ranks of its servers goes over all their NICs", "[routing]") {
  FabricSpec spec = spec_of(8);
  spec.scale_up_bandwidth = {900'000'000'000};
  const Cluster cluster = even_cluster(1, 1, 2, spec);
  const Fabric fabric = Fabric::build(cluster, spec, Health(cluster));
  Job job;
  ExplicitTraffic work;
  work.ranks = 16;
  ExplicitCollective broadcast;
  broadcast.name = "weights";
  broadcast.kind = Collective::Broadcast;
  broadcast.bytes = {400'000'000'000};
  for (std::size_t i = 0; i < 16; ++i) broadcast.members.emplace_back(i);
  work.collectives.push_back(broadcast);
  job.work = work;
  const Traffic traffic = traffic_of(job, 8);
  const std::array servers{ServerId{0}, ServerId{1}};
  for (const RoutingScheme scheme : kRoutingSchemes) {
    INFO("scheme " << routing_name(scheme));
    const Prediction predicted = predict(fabric, traffic, servers, {.scheme = scheme});
    CHECK(predicted.phases[0].transfer.count == Approx(1));  // eight NICs of 50 GB/s
  }
}
