// What GPUs hand over to each other on rail-optimised leaves: counted by hand, and against every
// flow of thousands of small jobs. NVLink of 1 B/s and boundless links make the transfer of a phase
// the bytes of the busiest GPU.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "plain_rails.hpp"
#include "support/catch.hpp"
#include "support/drawn_cluster.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/scheduler/prediction.hpp"
#include "zonecut/scheduler/swap_evaluator.hpp"

using namespace zonecut;

namespace {

constexpr BytesPerSecond kBoundless{100'000'000'000'000};

FabricSpec rail_spec(int nics) {
  FabricSpec spec;
  spec.nics_per_server = nics;
  spec.nic_bandwidth = kBoundless;
  spec.leaves = LeafWiring::Rail;
  spec.tiers = {{"core", 1, 0, {}, 0, {}},
                {"spine", 1, 1, kBoundless, 0, {}},
                {"leaf", nics, 1, kBoundless, 0, {}}};
  spec.scale_up_bandwidth = {1};
  return spec;
}

struct RailJob {
  Cluster cluster;
  Traffic traffic;
  std::vector<ServerId> servers = {};

  /// All servers in order, `ranks` of the job on each.
  explicit RailJob(Cluster of, std::size_t ranks) : cluster(std::move(of)) {
    traffic.ranks_per_server = ranks;
    traffic.ranks = ranks * cluster.server_count();
    for (std::size_t i = 0; i < cluster.server_count(); ++i) servers.emplace_back(i);
  }
  Group& group(Pattern pattern, const std::vector<std::size_t>& ranks, std::int64_t bytes) {
    if (traffic.phases.empty()) traffic.phases.push_back({"x", {}, 0, 0});
    Group group;
    group.pattern = pattern;
    group.first_member = static_cast<std::uint32_t>(traffic.members.size());
    group.size = static_cast<std::uint32_t>(ranks.size());
    group.bytes = {bytes};
    for (const std::size_t rank : ranks) traffic.members.emplace_back(rank);
    return traffic.phases.back().groups.emplace_back(group);
  }
  [[nodiscard]] PhasePrediction predicted(const Routing& routing = {}) const {
    const Fabric fabric = Fabric::build(cluster, cluster.backend(), Health(cluster));
    return predict(fabric, traffic, servers, routing).phases.front();
  }
  /// Bytes of the busiest GPU.
  [[nodiscard]] double busiest() const { return predicted().transfer.count; }
};

/// Servers s0 to s3 of as many GPUs and NICs.
RailJob four_servers(int gpus, std::size_t ranks) {
  return RailJob(drawn_cluster("a: u0[s0 s1] u1[s2 s3]", rail_spec(gpus), gpus), ranks);
}

std::vector<std::size_t> up_to(std::size_t past) {
  std::vector<std::size_t> ranks(past);
  for (std::size_t i = 0; i < past; ++i) ranks[i] = i;
  return ranks;
}

/// Uniform in [least, most].
int any(Random& random, int least, int most) {
  return least + static_cast<int>(random.below(static_cast<std::size_t>(most - least + 1)));
}

Cluster any_cluster(Random& random) {
  ClusterBuilder builder("any", {"zone", "rack"});
  builder.backend(rail_spec(any(random, 1, 5)));
  const bool alike = random.below(2) == 0;
  const bool scale_up = random.below(3) == 0;
  const int gpus = any(random, 1, 6);
  for (int server = any(random, 1, 5); server > 0; --server) {
    std::optional<std::uint32_t> island;
    if (scale_up && random.below(2) == 0) island = static_cast<std::uint32_t>(random.below(2));
    builder.add_server(std::array<std::string, 2>{"z" + std::to_string(any(random, 1, 2)), "r"},
                       "s" + std::to_string(server), alike ? gpus : any(random, 1, 6), island);
  }
  return builder.build();
}

/// Exchanges of all kinds, also of parts of the ranks that have none in common, and a few flows.
RailJob any_job(std::uint64_t seed) {
  Random random(seed);
  RailJob job(any_cluster(random), static_cast<std::size_t>(any(random, 1, 4)));
  const std::size_t all_servers = job.cluster.server_count();
  if (random.below(2) == 0) {  // else each server has one vertex
    job.servers.assign(static_cast<std::size_t>(any(random, 1, 6)), ServerId{0});
    for (ServerId& server : job.servers) server = ServerId{random.below(all_servers)};
  }
  job.traffic.ranks = job.servers.size() * job.traffic.ranks_per_server;
  std::vector<std::size_t> ranks = up_to(job.traffic.ranks);
  if (random.below(2) == 0) random.shuffle(std::span(ranks));
  const bool stepwise = random.below(2) == 0;
  const bool unequal = random.below(3) == 0;
  const auto parts = static_cast<std::size_t>(any(random, 1, 3));
  for (std::size_t part = 0; part < parts; ++part) {
    const auto size = static_cast<std::ptrdiff_t>(ranks.size() / parts);
    const auto first = ranks.begin() + static_cast<std::ptrdiff_t>(part) * size;
    Group& group = job.group(Pattern::AllToAll, {first, first + size}, any(random, 0, 100));
    group.stepwise = stepwise;
    if (!unequal) continue;
    group.first_share = static_cast<std::uint32_t>(job.traffic.shares.size());
    if (random.below(2) == 0) group.share_of = ShareOf::Receiver;
    for (std::ptrdiff_t i = 0; i < size; ++i) job.traffic.shares.push_back({any(random, 0, 100)});
  }
  if (ranks.size() > 1 && random.below(3) == 0)
    job.group(Pattern::Direct, {ranks.front(), ranks.back()}, any(random, 0, 500));
  return job;
}

/// Bytes of the busiest GPU, flow by flow.
double busiest_plainly(const RailJob& job, const std::vector<Flow>& flows, bool relays) {
  const PlainRails rails(job.cluster, job.traffic, job.servers);
  std::map<std::pair<std::size_t, bool>, std::int64_t> bytes;  // by rank, sent
  for (const Flow& flow : flows) {
    std::optional<std::size_t> receiver = flow.to.index();
    if (!rails.over_scale_up(flow.from.index(), *receiver))
      receiver = relays ? rails.relay(flow) : std::nullopt;
    if (!receiver) continue;
    bytes[{flow.from.index(), true}] += flow.bytes.count;
    bytes[{*receiver, false}] += flow.bytes.count;
  }
  std::int64_t most = 0;
  for (const auto& [end, count] : bytes) most = std::max(most, count);
  return static_cast<double>(most);
}

/// All flows together, or, where that takes longer, step by step.
double busiest_plainly(const RailJob& job, bool relays = true) {
  std::vector<Flow> all;
  std::map<std::size_t, std::vector<Flow>> steps;
  for (const Group& group : job.traffic.phases.front().groups) {
    for_each_flow(job.traffic, group, [&](const Flow& flow) { all.push_back(flow); });
    const auto members = job.traffic.members_of(group);
    const auto shares = job.traffic.shares_of(group);
    for (std::size_t i = 0; group.stepwise && i < members.size(); ++i) {
      for (std::size_t step = 1; step < members.size(); ++step) {
        const std::size_t j = (i + step) % members.size();
        const std::size_t owner = group.share_of == ShareOf::Sender ? i : j;
        steps[step].push_back(
            {members[i], members[j], shares.empty() ? group.bytes : shares[owner]});
      }
    }
  }
  double sum = 0;
  for (const auto& [step, flows] : steps) sum += busiest_plainly(job, flows, relays);
  return std::max(sum, busiest_plainly(job, all, relays));
}

double without_relays(const RailJob& job) { return busiest_plainly(job, false); }

}  // namespace

TEST_CASE("a flow to another rail passes NVLink on its way out, one on its rail does not",
          "[rails]") {
  RailJob same = four_servers(4, 4);
  same.group(Pattern::Direct, {1, 4 + 1}, 1000);
  CHECK(same.busiest() < 1e-9);
  CHECK(same.predicted().binding);
  RailJob other = four_servers(4, 4);
  other.group(Pattern::Direct, {1, 4 + 2}, 1000);
  CHECK(other.busiest() == 1000);
  CHECK_FALSE(other.predicted().binding);
  // GPU 2 gets what GPUs 0, 1 and 3 have for its rail, each of which sends less.
  other.group(Pattern::Direct, {0, 8 + 2}, 200);
  other.group(Pattern::Direct, {3, 4 + 2}, 30);
  other.group(Pattern::Direct, {2, 4 + 2}, 9000);
  CHECK(other.busiest() == 1230);
  // What stays in the server comes on top.
  other.group(Pattern::Direct, {0, 2}, 4);
  CHECK(other.busiest() == 1234);
}

TEST_CASE("nothing is handed over on leaves of racks", "[rails]") {
  FabricSpec spec = rail_spec(4);
  spec.leaves = LeafWiring::Rack;
  RailJob job(drawn_cluster("a: u0[s0 s1]", spec, 4), 4);
  job.group(Pattern::Direct, {1, 4 + 2}, 1000);
  CHECK(job.busiest() < 1e-9);
}

TEST_CASE("a flow is handed over in the sender's server, also where NVLink joins several",
          "[rails]") {
  RailJob job(drawn_cluster("a: u0[s0@0 s1@0] u1[s2 s3]", rail_spec(2), 2), 2);
  job.group(Pattern::Direct, {0, 4 + 1}, 100);  // by rank 1
  job.group(Pattern::Direct, {2, 4 + 1}, 10);   // by rank 3
  CHECK(job.busiest() == 100);
  job.group(Pattern::Direct, {0, 3}, 95);  // over NVLink to its end
  CHECK(job.busiest() == 195);             // sent by rank 0; rank 3 gets 105
}

TEST_CASE("where no rank of the job has the NIC the sender uses its own", "[rails]") {
  // Two vertices of two ranks: the first of s0 has GPUs 0 and 1, the second 2 and 3.
  RailJob job(drawn_cluster("a: u0[s0 s1]", rail_spec(4), 4), 2);
  job.traffic.ranks = 6;
  job.servers = {ServerId{0}, ServerId{0}, ServerId{1}};
  job.group(Pattern::Direct, {4, 2}, 1000);  // GPU 0 of s1 to GPU 2 of s0
  CHECK(job.busiest() < 1e-9);
  job.group(Pattern::Direct, {2, 4}, 50);  // the other way: rank 0 has the NIC
  CHECK(job.busiest() == 50);
}

TEST_CASE("without NVLink nothing is handed over", "[rails]") {
  FabricSpec spec = rail_spec(4);
  spec.scale_up_bandwidth = {0};
  RailJob job(drawn_cluster("a: u0[s0 s1]", spec, 4), 4);
  job.group(Pattern::Direct, {1, 4 + 2}, 1000);
  CHECK(job.busiest() < 1e-9);
  job.group(Pattern::Direct, {1, 2}, 1);
  CHECK_THROWS_AS(job.busiest(), InputError);
}

TEST_CASE("GPUs that share a NIC share its rail, and the first of them relays", "[rails]") {
  // GPUs 0 and 1 have NIC 0, 2 and 3 have NIC 1.
  RailJob job(drawn_cluster("a: u0[s0 s1]", rail_spec(2), 4), 4);
  job.group(Pattern::Direct, {1, 4 + 0}, 1000);
  CHECK(job.busiest() < 1e-9);
  job.group(Pattern::Direct, {0, 4 + 3}, 100);
  job.group(Pattern::Direct, {1, 4 + 2}, 20);
  CHECK(job.busiest() == 120);  // by GPU 2
}

TEST_CASE("a GPU with several NICs has several rails", "[rails]") {
  // s0 has two GPUs with NICs 0 and 1, 2 and 3; s1 four with one each.
  ClusterBuilder builder("uneven", {"zone", "rack"});
  builder.backend(rail_spec(4));
  builder.add_server(std::array<std::string, 2>{"a", "u0"}, "s0", 2);
  builder.add_server(std::array<std::string, 2>{"a", "u0"}, "s1", 4);
  RailJob job(builder.build(), 2);
  job.traffic.ranks = 6;
  job.servers = {ServerId{0}, ServerId{1}, ServerId{1}};
  job.group(Pattern::Direct, {0, 2 + 1}, 1000);
  CHECK(job.busiest() < 1e-9);
  job.group(Pattern::Direct, {0, 2 + 3}, 10);
  CHECK(job.busiest() == 10);
}

TEST_CASE("channels of a ring hand nothing over, a ring of one rank a server does", "[rails]") {
  RailJob channels = four_servers(4, 4);
  channels.group(Pattern::Ring, {0, 1, 4, 5}, 100);
  CHECK(channels.busiest() == 100);  // 0 to 1 and 4 to 5, within servers
  RailJob lone = four_servers(4, 4);
  lone.group(Pattern::Ring, {0, 4 + 1, 8 + 1}, 100);
  lone.group(Pattern::Ring, {2, 4 + 1}, 10);
  // Ranks 0 and 2 hand to GPU 1, GPU 1 of s1 to GPU 2, and GPU 1 of s2 to GPU 0.
  CHECK(lone.busiest() == 110);
}

TEST_CASE("an all-to-all hands over what is not for the sender's rail", "[rails]") {
  // 16 ranks: each sends to the three others of its server, and to nine on other rails elsewhere.
  // It gets as much: from three, and for three receivers on its rail from three.
  RailJob equal = four_servers(4, 4);
  equal.group(Pattern::AllToAll, up_to(16), 10);
  CHECK(equal.busiest() == (3 + 9) * 10);
  // Shares of rank i: i. Rank 15 sends 15 to each rank but those on its rail.
  RailJob unequal = four_servers(4, 4);
  Group& group = unequal.group(Pattern::AllToAll, up_to(16), 0);
  group.first_share = 0;
  for (std::int64_t i = 0; i < 16; ++i) unequal.traffic.shares.push_back({i});
  // It gets less: from 12, 13 and 14, for itself and for 3, 7 and 11.
  CHECK(unequal.busiest() == std::max(12 * 15, 4 * (12 + 13 + 14)));
  // Back it gets the most.
  unequal.traffic.phases.front().groups.front().share_of = ShareOf::Receiver;
  CHECK(unequal.busiest() == 3 * (15 + 3 + 7 + 11));
}

TEST_CASE("steps of an exchange hand over what their flows do", "[rails]") {
  // Two servers of two ranks, in the order 0 1 2 3. Step 1: 0 to 1 within the server, 1 to 2 by
  // GPU 0, likewise the others. Step 2 stays on its rail. Step 3: 0 to 3 by GPU 1, 1 to 0.
  RailJob job(drawn_cluster("a: u0[s0] u1[s1]", rail_spec(2), 2), 2);
  job.group(Pattern::AllToAll, up_to(4), 10).stepwise = true;
  CHECK(job.busiest() == Approx(10 + 0 + 10));
}

TEST_CASE("several ranks hand to one GPU in one step, and not in the mirrored one", "[rails]") {
  // Members 0 1 2 on s0, then one of rail 3 on each of s1, s2 and s3, then GPU 2 of s1. In step 3
  // GPU 3 of s0 gets what 0, 1 and 2 send; in step 4 what 0 and 1 do, while 2 stays on its rail.
  RailJob job = four_servers(4, 4);
  job.group(Pattern::AllToAll, {0, 1, 2, 4 + 3, 8 + 3, 12 + 3, 4 + 2}, 10).stepwise = true;
  CHECK(job.busiest() == Approx(10 + 20 + 30 + 20 + 10 + 10));
}

TEST_CASE("what all flows hand over is counted, in thousands of small jobs", "[rails]") {
  int handed_over = 0;
  for (std::uint64_t seed = 0; seed < 4'000; ++seed) {
    INFO("seed " << seed);
    const RailJob job = any_job(seed);
    const double expected = busiest_plainly(job);
    handed_over += expected > without_relays(job) ? 1 : 0;
    REQUIRE(std::abs(job.busiest() - expected) < 1e-6);
  }
  CHECK(handed_over > 1'000);
}

TEST_CASE("steps are counted as their flows under hashing too", "[rails]") {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    INFO("seed " << seed);
    const RailJob job = any_job(seed);
    const double expected = busiest_plainly(job);
    REQUIRE(std::abs(job.predicted({RoutingScheme::Ecmp}).transfer.count - expected) < 1e-6);
  }
}

TEST_CASE("many steps of whole servers: each is like the one eight later", "[rails]") {
  // 640 ranks, so that steps differ by rails, and those by distribution stand for several.
  FabricSpec spec = rail_spec(8);
  RailJob job(even_cluster(4, 5, 4, spec), 8);
  Random(1).shuffle(std::span(job.servers));
  job.group(Pattern::AllToAll, up_to(job.traffic.ranks), 10).stepwise = true;
  const double expected = busiest_plainly(job);
  CHECK(expected > 10 * 500);
  CHECK(job.busiest() == Approx(expected));
  CHECK(job.predicted({RoutingScheme::Ecmp}).transfer.count == Approx(expected));
}

TEST_CASE("of very many steps in a scattered order some stand for the others", "[rails]") {
  // 8,400 ranks on whole servers have 70 million flows: every second step is looked at.
  RailJob job(even_cluster(5, 21, 10, rail_spec(8)), 8);
  std::vector<std::size_t> order = up_to(job.traffic.ranks);
  Random(1).shuffle(std::span(order));
  job.group(Pattern::AllToAll, order, 10).stepwise = true;
  std::vector<int> messages(order.size());
  double expected = 0;
  for (std::size_t step = 1; step < order.size(); ++step) {
    std::fill(messages.begin(), messages.end(), 0);
    int most = 0;
    for (std::size_t i = 0; i < order.size(); ++i) {
      const std::size_t from = order[i];
      const std::size_t to = order[(i + step) % order.size()];
      const std::size_t relay = from / 8 * 8 + to % 8;
      const std::size_t receiver = from / 8 == to / 8 ? to : relay;
      if (receiver != from) most = std::max(most, ++messages[receiver]);
    }
    expected += 10 * most;
  }
  CHECK(job.busiest() == Approx(expected).epsilon(0.01));
}

TEST_CASE("swaps are evaluated as if everything were predicted anew on rails", "[rails]") {
  int counted = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    INFO("seed " << seed);
    RailJob job = any_job(seed);
    const Fabric fabric = Fabric::build(job.cluster, job.cluster.backend(), Health(job.cluster));
    SwapEvaluator evaluator(fabric, job.traffic, job.servers);
    counted += evaluator.is_incremental() ? 1 : 0;
    Random random(seed);
    for (int swaps = 0; swaps < 3; ++swaps) {
      evaluator.swap(random.below(job.servers.size()), random.below(job.servers.size()));
      REQUIRE(evaluator.communication() ==
              predict(fabric, job.traffic, evaluator.servers()).communication);
    }
  }
  CHECK(counted > 50);
}
