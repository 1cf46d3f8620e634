#include "zonecut/scheduler/queue_plan.hpp"

#include <algorithm>
#include <random>
#include <set>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/partition/job_file.hpp"

using namespace zonecut;

namespace {

constexpr const char* kThreeZones = R"(
  a: r1[s1 s2] r2[s3 s4]
  b: r3[s5 s6] r4[s7 s8]
  c: r5[s9 s10] r6[s11 s12]
)";
constexpr std::int64_t kNow = 1'000'000;

std::vector<ServerId> all_servers(const Sketch& cluster) {
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < cluster.cluster->server_count(); ++i) servers.emplace_back(i);
  return servers;
}

/// Servers are busy until the given time after now; 0: free.
struct Queue {
  explicit Queue(const char* drawing)
      : cluster(sketch(drawing)),
        state{*cluster.view, *cluster.fabric, kNow,
              IdMap<ServerId, std::int64_t>(cluster.cluster->server_count(), kNow)} {}

  void busy(std::string_view names, std::int64_t seconds) {
    for (const ServerId server : cluster.servers(names)) state.free_at[server] = kNow + seconds;
  }
  [[nodiscard]] WaitingJob ring(std::size_t servers, std::int64_t limit) const {
    WaitingJob job;
    job.job = parse_job_text("model=llama3-8b,gpus=" + std::to_string(8 * servers));
    job.job.ranks_per_server = 8;
    job.servers = servers;
    job.limit = limit;
    job.eligible = all_servers(cluster);
    for (const ServerId server : job.eligible) {
      if (state.free_at[server] <= kNow) job.free.push_back(server);
    }
    return job;
  }
  [[nodiscard]] std::size_t zones(const std::vector<ServerId>& servers) const {
    std::set<DomainId> zones;
    for (const ServerId server : servers)
      zones.insert(cluster.cluster->domain_of(server, cluster.cluster->zone_level()));
    return zones.size();
  }
  [[nodiscard]] std::vector<QueuePlan> plan(const std::vector<WaitingJob>& jobs,
                                            const QueueOptions& options = {}) const {
    return plan_queue(state, jobs, options);
  }

  Sketch cluster;
  QueueState state;
};

std::set<ServerId> set_of(const std::vector<ServerId>& servers) {
  return {servers.begin(), servers.end()};
}

}  // namespace

TEST_CASE("jobs that fit now get zones of their own", "[scheduler][queue]") {
  const Queue queue(kThreeZones);
  const auto plans = queue.plan({queue.ring(4, 60), queue.ring(4, 60), queue.ring(4, 60)});
  std::set<ServerId> used;
  for (const QueuePlan& plan : plans) {
    CHECK(plan.kind == PlanKind::New);
    CHECK(plan.begin == kNow);
    CHECK(queue.zones(plan.servers) == 1);
    used.insert(plan.servers.begin(), plan.servers.end());
  }
  CHECK(used.size() == 12);
}

TEST_CASE("a plan that still holds is kept, one that is overtaken made again",
          "[scheduler][queue]") {
  Queue queue(kThreeZones);
  std::vector<WaitingJob> jobs = {queue.ring(4, 60)};
  jobs[0].planned = queue.plan(jobs)[0].servers;
  CHECK(queue.plan(jobs)[0].kind == PlanKind::Keep);
  queue.state.free_at[jobs[0].planned[1]] = kNow + 500;
  const auto planned = jobs[0].planned;
  jobs = {queue.ring(4, 60)};
  jobs[0].planned = planned;
  const QueuePlan anew = queue.plan(jobs)[0];
  CHECK(anew.kind == PlanKind::New);
  CHECK(anew.begin == kNow);
  CHECK(set_of(anew.servers).count(planned[1]) == 0);
}

TEST_CASE("a job that cannot begin is planned where servers are free soonest",
          "[scheduler][queue]") {
  Queue queue(kThreeZones);
  queue.busy("s1 s2 s3 s4", 1000);
  queue.busy("s5 s6 s7 s8", 100);
  queue.busy("s9 s10 s11 s12", 2000);
  std::vector<WaitingJob> jobs = {queue.ring(4, 60), queue.ring(4, 60)};
  auto plans = queue.plan(jobs);
  CHECK(set_of(plans[0].servers) == set_of(queue.cluster.servers("s5 s6 s7 s8")));
  CHECK(plans[0].begin == kNow + 100);
  // The second waits for the first to end, which is sooner than for anybody else.
  CHECK(set_of(plans[1].servers) == set_of(plans[0].servers));
  CHECK(plans[1].begin == kNow + 160);
  for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].planned = plans[i].servers;
  for (const QueuePlan& plan : queue.plan(jobs)) CHECK(plan.kind == PlanKind::Keep);
}

TEST_CASE("servers that are kept for a job are lent to those that end before it begins",
          "[scheduler][queue]") {
  Queue queue(kThreeZones);
  queue.busy("s5 s6 s7 s8 s9 s10 s11 s12", 100);
  for (const std::int64_t limit : {100, 101}) {
    const auto plans = queue.plan({queue.ring(8, 1000), queue.ring(2, limit)});
    CHECK(plans[0].begin == kNow + 100);
    CHECK((plans[1].begin == kNow) == (limit == 100));
  }
  // A job that claims nothing stands in nobody's way.
  auto idle = queue.ring(12, 1000);
  idle.claims = false;
  const auto plans = queue.plan({idle, queue.ring(4, 1000)});
  CHECK(plans[0].kind == PlanKind::New);
  CHECK(plans[1].begin == kNow);
}

TEST_CASE("what cannot be planned says why", "[scheduler][queue]") {
  const Queue queue(kThreeZones);
  auto large = queue.ring(4, 60);
  large.eligible.erase(large.eligible.begin() + 3, large.eligible.end());
  large.free = large.eligible;
  auto wide = queue.ring(4, 60);
  wide.job.ranks_per_server = 9;
  const auto plans = queue.plan({large, wide});
  CHECK(plans[0].kind == PlanKind::TooFew);
  CHECK(plans[0].why == "needs 4 servers, and 3 may take it");
  CHECK(plans[1].kind == PlanKind::None);
  CHECK_FALSE(plans[1].why.empty());
  QueueOptions few;
  few.most_plans = 1;
  CHECK(queue.plan({queue.ring(2, 60), queue.ring(2, 60)}, few)[1].kind == PlanKind::Later);
}

TEST_CASE("plans of any queue keep to what jobs may have", "[scheduler][queue]") {
  std::mt19937 random(7);
  const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random()) % n; };
  for (int round = 0; round < 150; ++round) {
    Queue queue(kThreeZones);
    for (const ServerId server : all_servers(queue.cluster)) {
      if (below(2) == 0) queue.state.free_at[server] = kNow + static_cast<std::int64_t>(below(300));
    }
    std::vector<WaitingJob> jobs;
    for (std::size_t i = 0; i < 1 + below(6); ++i) {
      WaitingJob job = queue.ring(1 + below(8), 1 + static_cast<std::int64_t>(below(400)));
      std::erase_if(job.eligible, [&](ServerId) { return below(6) == 0; });
      std::erase_if(job.free, [&](ServerId server) {
        return std::find(job.eligible.begin(), job.eligible.end(), server) == job.eligible.end();
      });
      job.claims = below(5) != 0;
      jobs.push_back(std::move(job));
    }
    const auto plans = queue.plan(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
      if (plans[i].kind == PlanKind::TooFew) {
        CHECK(jobs[i].eligible.size() < jobs[i].servers);
        continue;
      }
      const auto mine = set_of(plans[i].servers);
      const auto allowed = set_of(plans[i].begin == kNow ? jobs[i].free : jobs[i].eligible);
      CHECK(mine.size() == jobs[i].servers);
      CHECK(std::includes(allowed.begin(), allowed.end(), mine.begin(), mine.end()));
      for (const ServerId server : mine) CHECK(queue.state.free_at[server] <= plans[i].begin);
      // No server is promised to two at one time.
      for (std::size_t j = 0; j < i; ++j) {
        if (!jobs[i].claims || !jobs[j].claims || plans[j].kind == PlanKind::TooFew) continue;
        const bool apart = plans[i].begin >= plans[j].begin + jobs[j].limit ||
                           plans[j].begin >= plans[i].begin + jobs[i].limit;
        const auto theirs = set_of(plans[j].servers);
        std::vector<ServerId> both;
        std::set_intersection(mine.begin(), mine.end(), theirs.begin(), theirs.end(),
                              std::back_inserter(both));
        CHECK((apart || both.empty()));
      }
    }
    for (std::size_t i = 0; i < jobs.size(); ++i) jobs[i].planned = plans[i].servers;
    const auto again = queue.plan(jobs);
    for (std::size_t i = 0; i < jobs.size(); ++i) CHECK(again[i].kind != PlanKind::New);
  }
}
