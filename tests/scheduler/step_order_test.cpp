#include "zonecut/scheduler/step_order.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

constexpr const char* kTwoZones = R"(
  a: r1[s1 s2 s3] r2[s4 s5 s6]
  b: r3[s7 s8 s9] r4[s10 s11 s12]
)";

Job ring(std::size_t servers) {
  Job job = parse_job_text("gpus=" + std::to_string(8 * servers) + ",model=llama3-8b");
  job.ranks_per_server = 8;
  return job;
}

StepOrder ordered(const Sketch& cluster, const Job& job, const StepServers& step) {
  auto result = order_step(*cluster.view, *cluster.fabric, job, step, {});
  REQUIRE(std::holds_alternative<StepOrder>(result));
  return std::get<StepOrder>(std::move(result));
}

}  // namespace

TEST_CASE("an order is changed only where that gains", "[scheduler]") {
  const Sketch cluster = sketch(kTwoZones);
  const auto best = cluster.servers("s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12");
  const StepOrder kept = ordered(cluster, ring(12), {best, 12, std::nullopt});
  CHECK_FALSE(kept.changed);
  CHECK(kept.now.servers == best);
  const auto mixed = cluster.servers("s1 s7 s2 s8 s3 s9 s4 s10 s5 s11 s6 s12");
  const StepOrder mended = ordered(cluster, ring(12), {mixed, 12, std::nullopt});
  CHECK(mended.changed);
  CHECK(mended.before.servers == mixed);
  CHECK(mended.now.prediction.cross_zone == kept.now.prediction.cross_zone);
  CHECK(mended.before.prediction.cross_zone > mended.now.prediction.cross_zone);
}

TEST_CASE("a rank 0 that must stand somewhere does, though nothing is gained", "[scheduler]") {
  const Sketch cluster = sketch(kTwoZones);
  const auto best = cluster.servers("s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12");
  for (const char* name : {"s1", "s5", "s12"}) {
    const RankZero zero{cluster.server(name), true};
    const StepOrder order = ordered(cluster, ring(12), {best, 12, zero});
    INFO(name);
    CHECK(order.now.servers.front() == zero.server);
    CHECK(order.changed == (std::string(name) != "s1"));
    CHECK(order.now.prediction.cross_zone == order.before.prediction.cross_zone);
    // Wanted, but not at any price: nothing is gained, so it stays.
    CHECK_FALSE(ordered(cluster, ring(12), {best, 12, RankZero{zero.server, false}}).changed);
  }
}

TEST_CASE("a step on some servers takes those that stand together", "[scheduler]") {
  const Sketch cluster = sketch(kTwoZones);
  const auto listed = cluster.servers("s1 s7 s2 s8 s3 s9 s4 s10 s5 s11 s6 s12");
  const auto zones_of = [&](const StepOrder& order) {
    std::set<DomainId> zones;
    for (const ServerId server : order.now.servers)
      zones.insert(cluster.cluster->domain_of(server, cluster.cluster->zone_level()));
    return zones.size();
  };
  const StepOrder free = ordered(cluster, ring(6), {listed, 6, std::nullopt});
  CHECK(free.changed);
  CHECK(zones_of(free) == 1);
  for (const ServerId server : listed) {
    const StepOrder held = ordered(cluster, ring(6), {listed, 6, RankZero{server, true}});
    CHECK(held.now.servers.front() == server);
    CHECK(zones_of(held) == 1);
  }
}

TEST_CASE("a step never takes a server that is not listed, nor one twice", "[scheduler]") {
  const Sketch cluster = sketch(kTwoZones);
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    auto all = cluster.servers("s1 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 s12");
    std::shuffle(all.begin(), all.end(), random);
    all.erase(all.begin() + 2 + static_cast<std::ptrdiff_t>(random() % 11), all.end());
    const std::size_t count = 2 + random() % (all.size() - 1);
    // Half a server each: there would be room for two.
    Job job = parse_job_text("model=llama3-8b,gpus=" + std::to_string(4 * count));
    job.ranks_per_server = 4;
    std::optional<RankZero> zero;
    if (random() % 2 == 0) zero = RankZero{all[random() % all.size()], random() % 2 == 0};
    const StepOrder order = ordered(cluster, job, {all, count, zero});
    INFO(cluster.names(all) << " count " << count << " zero "
                            << (zero ? cluster.cluster->server(zero->server).name : "-") << " now "
                            << cluster.names(order.now.servers));
    std::vector<ServerId> used = order.now.servers;
    std::sort(used.begin(), used.end());
    CHECK(used.size() == count);
    CHECK(std::adjacent_find(used.begin(), used.end()) == used.end());
    for (const ServerId server : used)
      CHECK(std::find(all.begin(), all.end(), server) != all.end());
    if (zero && zero->hold) CHECK(order.now.servers.front() == zero->server);
  }
}
