// predict() against the plainest accumulation there is: every flow, every bundle, by its
// definition.
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <numeric>

#include "plain_rails.hpp"
#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/scheduler/prediction.hpp"
#include "zonecut/scheduler/swap_evaluator.hpp"

using namespace zonecut;

namespace {

struct World {
  Cluster cluster;
  Traffic traffic;
  std::vector<ServerId> servers;
};

int any(int least, int most) { return *rc::gen::inRange(least, most + 1); }

FabricSpec any_spec() {
  FabricSpec spec;
  spec.nics_per_server = any(1, 4);
  spec.leaves = any(0, 1) == 1 ? LeafWiring::Rail : LeafWiring::Rack;
  spec.nic_bandwidth = {any(1, 50)};
  spec.tiers = {{"A", 2, 0, {1}, 0, {any(0, 9) * 1.0}},
                {"C", any(1, 3), any(1, 3), {any(1, 50)}, 0, {any(0, 9) * 1.0}},
                {"R", any(1, 2), any(1, 3), {any(1, 50)}, 0, {any(0, 9) * 1.0}}};
  spec.scale_up_bandwidth = {any(1, 90)};
  spec.scale_up_latency = {any(0, 9) * 1.0};
  return spec;
}

/// Scale-up domains at random, also across racks and zones; GPUs as many as NICs, more or fewer.
Cluster any_cluster() {
  ClusterBuilder builder("any", {"zone", "rack"});
  builder.backend(any_spec());
  const bool scale_up = any(0, 1) == 1;
  const bool alike = any(0, 2) > 0;
  const int gpus = any(1, 8);
  int next = 0;
  for (int zone = any(1, 3); zone > 0; --zone) {
    for (int rack = any(1, 3); rack > 0; --rack) {
      for (int server = any(1, 2); server > 0; --server) {
        std::optional<std::uint32_t> island;
        if (scale_up && any(0, 2) > 0) island = static_cast<std::uint32_t>(any(0, 2));
        builder.add_server(std::array{"z" + std::to_string(zone), "r" + std::to_string(rack)},
                           "s" + std::to_string(next++), alike ? gpus : any(1, 8), island);
      }
    }
  }
  return builder.build();
}

void add_any_group(Traffic& traffic, Phase& phase) {
  std::vector<RankId> ranks;
  for (std::size_t i = 0; i < traffic.ranks; ++i) ranks.emplace_back(i);
  for (std::size_t i = ranks.size(); i > 1; --i)
    std::swap(ranks[i - 1], ranks[static_cast<std::size_t>(any(0, static_cast<int>(i) - 1))]);
  const auto size = static_cast<std::size_t>(any(1, static_cast<int>(ranks.size())));
  constexpr std::array kPatterns{Pattern::Ring,     Pattern::Tree,  Pattern::AllToAll,
                                 Pattern::AllToAll, Pattern::Chain, Pattern::Broadcast,
                                 Pattern::Pipeline};
  Group group;
  group.pattern = kPatterns[static_cast<std::size_t>(any(0, 6))];
  group.first_member = static_cast<std::uint32_t>(traffic.members.size());
  group.size = static_cast<std::uint32_t>(size);
  group.bytes = {any(0, 1000)};
  group.wrap_bytes = {any(0, 1000)};
  traffic.members.insert(traffic.members.end(), ranks.begin(),
                         ranks.begin() + static_cast<std::ptrdiff_t>(size));
  group.messages = any(1, 4);
  group.passes = any(1, 2);
  group.stepwise = group.pattern == Pattern::AllToAll && any(0, 1) == 1;
  if (group.pattern == Pattern::AllToAll && any(0, 1) == 1) {
    group.first_share = static_cast<std::uint32_t>(traffic.shares.size());
    if (any(0, 1) == 1) group.share_of = ShareOf::Receiver;
    for (std::size_t i = 0; i < size; ++i) traffic.shares.push_back({any(0, 1000)});
  }
  phase.groups.push_back(group);
}

World any_world() {
  World world{any_cluster(), {}, {}};
  world.traffic.ranks_per_server = static_cast<std::size_t>(any(1, 3));
  const auto vertices = static_cast<std::size_t>(any(1, 6));
  world.traffic.ranks = vertices * world.traffic.ranks_per_server;
  for (std::size_t i = 0; i < vertices; ++i) {  // a server may hold several vertices
    world.servers.emplace_back(
        static_cast<std::size_t>(any(0, static_cast<int>(world.cluster.server_count()) - 1)));
  }
  for (int phase = any(1, 3); phase > 0; --phase) {
    Phase& fresh = world.traffic.phases.emplace_back(
        Phase{"p" + std::to_string(phase), {}, any(0, 5), any(0, 4) * 0.25});
    for (int group = any(0, 3); group > 0; --group) add_any_group(world.traffic, fresh);
  }
  return world;
}

/// What one phase loads, flow by flow.
struct Plain {
  std::map<Bundle, std::int64_t> loads;
  std::map<std::pair<std::size_t, bool>, std::int64_t> scale_up;  // rank, sent
  std::int64_t bytes = 0;
  std::optional<int> highest;
};

bool contains(const Cluster& cluster, DomainId domain, ServerId server) {
  const Domain& d = cluster.domain(domain);
  return server.index() >= d.first_server && server.index() < d.first_server + d.server_count;
}

/// A ring, tree or broadcast over several ranks of a server has a channel for each NIC, which hands
/// nothing over.
bool has_channels(const World& world, const Group& group) {
  if (group.pattern != Pattern::Ring && group.pattern != Pattern::Tree &&
      group.pattern != Pattern::Broadcast)
    return false;
  const auto members = world.traffic.members_of(group);
  const auto vertex = [&](RankId rank) { return rank.index() / world.traffic.ranks_per_server; };
  return world.cluster.backend().nics_per_server > 1 &&
         std::count_if(members.begin(), members.end(), [&](RankId member) {
           return vertex(member) == vertex(members.front());
         }) > 1;
}

void add_plainly(const World& world, const Flow& flow, Plain& plain, Prediction& expected,
                 bool hands_over) {
  const Cluster& cluster = world.cluster;
  const PlainRails rails(cluster, world.traffic, world.servers);
  const ServerId from = rails.server_of(flow.from.index());
  const ServerId to = rails.server_of(flow.to.index());
  const std::int64_t bytes = flow.bytes.count;
  if (bytes == 0) return;
  plain.bytes += bytes;
  const int level = from == to ? cluster.rack_level() + 1 : cluster.common_level(from, to);
  expected.bytes_by_level[static_cast<std::size_t>(level)] += flow.bytes;
  const auto zone_of = [&](ServerId id) {
    return cluster.position_in_level(cluster.domain_of(id, cluster.zone_level()));
  };
  expected.zone_matrix[zone_of(from)][zone_of(to)] += flow.bytes;
  if (rails.over_scale_up(flow.from.index(), flow.to.index())) {
    if (from != to) expected.scale_up_by_level[static_cast<std::size_t>(level)] += flow.bytes;
    plain.scale_up[{flow.from.index(), true}] += bytes;
    plain.scale_up[{flow.to.index(), false}] += bytes;
    return;
  }
  if (const auto relay = rails.relay(flow); relay && hands_over) {
    plain.scale_up[{flow.from.index(), true}] += bytes;
    plain.scale_up[{*relay, false}] += bytes;
  }
  plain.highest = std::min(plain.highest.value_or(level), level);
  plain.loads[{from, true}] += bytes;
  plain.loads[{to, false}] += bytes;
  for (std::size_t i = 1; i < cluster.domain_count(); ++i) {
    const bool has_from = contains(cluster, DomainId{i}, from);
    const bool has_to = contains(cluster, DomainId{i}, to);
    if (has_from && !has_to) plain.loads[{DomainId{i}, true}] += bytes;
    if (has_to && !has_from) plain.loads[{DomainId{i}, false}] += bytes;
  }
}

BundleLoad load_of(const Fabric& fabric, const Bundle& bundle, std::int64_t bytes) {
  const auto* server = std::get_if<ServerId>(&bundle.below);
  const BytesPerSecond capacity = server ? fabric.injection_capacity(*server)
                                         : fabric.uplink_capacity(std::get<DomainId>(bundle.below));
  return {bundle, {bytes}, capacity, transfer_time({bytes}, capacity)};
}

/// Of the busiest link and GPU.
Seconds time_of(const Fabric& fabric, const Plain& plain) {
  Seconds time;
  for (const auto& [bundle, bytes] : plain.loads)
    time = std::max(time, load_of(fabric, bundle, bytes).time);
  for (const auto& [end, bytes] : plain.scale_up)
    time = std::max(time, transfer_time({bytes}, fabric.spec().scale_up_bandwidth));
  return time;
}

/// The flows of a phase that are under way together, by what must wait: the hops of a pipeline by
/// their number and direction, and the steps of an exchange.
struct Waiting {
  std::map<std::pair<std::size_t, bool>, std::vector<Flow>> hops;
  std::vector<Flow> wraps_forward;
  std::vector<Flow> wraps_back;
  std::map<std::size_t, std::vector<Flow>> steps;
};

void wait_plainly(const Traffic& traffic, const Group& group, Waiting& waiting) {
  const auto members = traffic.members_of(group);
  const auto shares = traffic.shares_of(group);
  const std::size_t n = members.size();
  const bool pipeline = group.pattern == Pattern::Pipeline;
  if (n < 2) return;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < n; ++j) {
      const std::size_t owner = group.share_of == ShareOf::Sender ? i : j;
      const Bytes bytes = shares.empty() ? group.bytes : shares[owner];
      if (group.stepwise && i != j)
        waiting.steps[(j + n - i) % n].push_back({members[i], members[j], bytes});
      if (j != i + 1 || (!pipeline && group.pattern != Pattern::Chain)) continue;
      waiting.hops[{i, false}].push_back({members[i], members[j], bytes});
      if (pipeline) waiting.hops[{i, true}].push_back({members[j], members[i], bytes});
    }
  }
  if (!pipeline) return;
  waiting.wraps_forward.push_back({members[n - 1], members[0], group.wrap_bytes});
  waiting.wraps_back.push_back({members[0], members[n - 1], group.wrap_bytes});
}

/// `whole`: the time of all flows of the phase together.
Seconds wait_plainly(const World& world, const Fabric& fabric, const Phase& phase, Seconds whole) {
  const auto time = [&](const std::vector<Flow>& flows) {
    Prediction ignored;
    ignored.bytes_by_level.resize(world.cluster.levels().size() + 1);
    ignored.scale_up_by_level.resize(world.cluster.levels().size() + 1);
    const std::size_t zones = world.cluster.domains_at(world.cluster.zone_level()).size();
    ignored.zone_matrix.assign(zones, std::vector<Bytes>(zones));
    Plain plain;
    for (const Flow& flow : flows) add_plainly(world, flow, plain, ignored, true);
    return time_of(fabric, plain).count;
  };
  Waiting exchanges;
  std::map<std::pair<std::int64_t, std::int64_t>, Waiting> pipelines;  // by messages and passes
  for (const Group& group : phase.groups) {
    wait_plainly(world.traffic, group,
                 group.stepwise ? exchanges : pipelines[{group.messages, group.passes}]);
  }
  double steps = 0;
  for (const auto& [step, flows] : exchanges.steps) steps += time(flows);
  double longest = std::max(whole.count, steps);
  for (const auto& [like, waiting] : pipelines) {
    double hops = 0;
    for (const auto& [hop, flows] : waiting.hops) hops += time(flows);
    const auto messages = static_cast<double>(like.first);
    const double filled = hops > 0 ? whole.count * (messages - 1) / messages + hops / messages : 0;
    const double around = hops + time(waiting.wraps_forward) + time(waiting.wraps_back);
    const double once = around * static_cast<double>(like.second) / messages;
    longest = std::max({longest, filled, once});
  }
  return {longest};
}

void finish_plainly(const World& world, const Fabric& fabric, const Phase& phase,
                    const Plain& plain, Prediction& expected) {
  const FabricSpec& spec = fabric.spec();
  PhasePrediction& predicted = expected.phases.emplace_back();
  predicted.bytes = {plain.bytes};
  predicted.transfer = wait_plainly(world, fabric, phase, time_of(fabric, plain));
  if (plain.highest)
    predicted.latency = spec.tiers[static_cast<std::size_t>(*plain.highest)].latency;
  else if (plain.bytes > 0)
    predicted.latency = spec.scale_up_latency;
  predicted.latency = predicted.latency * static_cast<double>(phase.steps);
  predicted.exposed = (predicted.latency + predicted.transfer) * (1 - phase.overlap);
  expected.communication += predicted.exposed;
}

Prediction predict_plainly(const World& world, const Fabric& fabric) {
  Prediction expected;
  const std::size_t zones = world.cluster.domains_at(world.cluster.zone_level()).size();
  expected.zone_matrix.assign(zones, std::vector<Bytes>(zones));
  expected.bytes_by_level.resize(world.cluster.levels().size() + 1);
  expected.scale_up_by_level.resize(world.cluster.levels().size() + 1);
  std::map<Bundle, std::int64_t> totals;
  for (const Phase& phase : world.traffic.phases) {
    Plain plain;
    for (const Group& group : phase.groups) {
      const bool hands_over = !has_channels(world, group);
      for_each_flow(world.traffic, group, [&](const Flow& flow) {
        add_plainly(world, flow, plain, expected, hands_over);
      });
    }
    for (const auto& [bundle, bytes] : plain.loads) totals[bundle] += bytes;
    finish_plainly(world, fabric, phase, plain, expected);
  }
  std::optional<BundleLoad> server;
  for (const auto& [bundle, bytes] : totals) {
    const BundleLoad load = load_of(fabric, bundle, bytes);
    if (std::holds_alternative<DomainId>(bundle.below))
      expected.loads.push_back(load);
    else if (!server || load.time > server->time)  // ties: the first in the order of Bundle
      server = load;
  }
  if (server) expected.loads.push_back(*server);
  std::stable_sort(expected.loads.begin(), expected.loads.end(),
                   [](const BundleLoad& a, const BundleLoad& b) {
                     return a.time != b.time ? a.time > b.time : a.bundle < b.bundle;
                   });
  return expected;
}

bool some_wait(const Phase& phase) {
  return std::any_of(phase.groups.begin(), phase.groups.end(), [](const Group& group) {
    return group.stepwise || group.pattern == Pattern::Chain || group.pattern == Pattern::Pipeline;
  });
}

/// Sums of rounds in another order.
bool is_near(Seconds a, Seconds b) {
  return std::abs(a.count - b.count) <= 1e-12 * std::max(a.count, b.count);
}

}  // namespace

TEST_CASE("a prediction equals the sum over all flows", "[prediction][property]") {
  CHECK(rc::check([] {
    const World world = any_world();
    const Fabric fabric =
        Fabric::build(world.cluster, world.cluster.backend(), Health(world.cluster));
    const Prediction found = predict(fabric, world.traffic, world.servers);
    const Prediction expected = predict_plainly(world, fabric);

    RC_ASSERT(found.bytes_by_level == expected.bytes_by_level);
    RC_ASSERT(found.scale_up_by_level == expected.scale_up_by_level);
    RC_ASSERT(found.zone_matrix == expected.zone_matrix);
    RC_ASSERT(is_near(found.communication, expected.communication));
    RC_ASSERT(found.phases.size() == expected.phases.size());
    for (std::size_t i = 0; i < found.phases.size(); ++i) {
      RC_ASSERT(found.phases[i].bytes == expected.phases[i].bytes);
      RC_ASSERT(found.phases[i].latency == expected.phases[i].latency);
      const Seconds transfer = found.phases[i].transfer;
      const bool waits = some_wait(world.traffic.phases[i]);
      const Seconds wanted = expected.phases[i].transfer;
      RC_ASSERT((waits ? is_near(transfer, wanted) : transfer == wanted));
      if (const auto& binding = found.phases[i].binding)
        RC_ASSERT((waits ? binding->time <= transfer : binding->time == transfer));
    }
    RC_ASSERT(found.loads.size() == expected.loads.size());
    for (std::size_t i = 0; i < found.loads.size(); ++i) {
      RC_ASSERT(found.loads[i].bundle == expected.loads[i].bundle);
      RC_ASSERT(found.loads[i].bytes == expected.loads[i].bytes);
      RC_ASSERT(found.loads[i].capacity == expected.loads[i].capacity);
    }
  }));
}

TEST_CASE("swaps are evaluated as if everything were predicted anew", "[prediction][property]") {
  int counted = 0;
  CHECK(rc::check([&counted] {
    const World world = any_world();
    const Fabric fabric =
        Fabric::build(world.cluster, world.cluster.backend(), Health(world.cluster));
    SwapEvaluator evaluator(fabric, world.traffic, world.servers);
    counted += evaluator.is_incremental() ? 1 : 0;
    const auto last = static_cast<int>(world.servers.size()) - 1;
    for (int swaps = 0; swaps < 6; ++swaps) {
      const Seconds anew = predict(fabric, world.traffic, evaluator.servers()).communication;
      RC_ASSERT(evaluator.communication() == anew);
      evaluator.swap(static_cast<std::size_t>(any(0, last)),
                     static_cast<std::size_t>(any(0, last)));
    }
  }));
  CHECK(counted > 10);
}

TEST_CASE("the zone matrix, the levels and the phases sum to the same bytes",
          "[prediction][property]") {
  CHECK(rc::check([] {
    const World world = any_world();
    const Fabric fabric =
        Fabric::build(world.cluster, world.cluster.backend(), Health(world.cluster));
    const Prediction found = predict(fabric, world.traffic, world.servers);
    Bytes levels, phases, matrix, diagonal;
    for (const Bytes bytes : found.bytes_by_level) levels += bytes;
    for (const PhasePrediction& phase : found.phases) phases += phase.bytes;
    for (std::size_t i = 0; i < found.zone_matrix.size(); ++i) {
      for (const Bytes bytes : found.zone_matrix[i]) matrix += bytes;
      diagonal += found.zone_matrix[i][i];
    }
    RC_ASSERT(levels == phases);
    RC_ASSERT(levels == matrix);
    RC_ASSERT(found.cross_zone == matrix - diagonal);
  }));
}
