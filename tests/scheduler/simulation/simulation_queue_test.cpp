// The queue against its definition, on random traces: a reference that looks at everything anew at
// every moment, and what must hold whatever the policy.
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "simulation/simulated_world.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

int any(int least, int most) { return *rc::gen::inRange(least, most + 1); }

SimulatedWorld any_world() {
  const std::vector<std::string> levels = {"cluster", "zone", "rack"};
  SimulatedWorld world(
      even_cluster(any(1, 2), any(1, 2), any(1, 2), FabricSpec::clos(levels, 1, 7), 4));
  world.options.queue = any(0, 2) == 0 ? QueueRule::Fifo : QueueRule::Backfill;
  std::int64_t submit = 0;
  // Few different times, so that much happens at the same moment.
  for (int i = any(1, 40); i > 0; --i) {
    submit += 10 * any(0, 1);
    const bool several = any(0, 2) == 0;
    world.workload.jobs.push_back(simulated(submit, any(1, 60),
                                            several ? 4u : static_cast<std::size_t>(any(1, 4)),
                                            several ? static_cast<std::size_t>(any(2, 4)) : 1u));
  }
  return world;
}

/// Gives the jobs on several servers something to send.
void let_them_talk(SimulatedWorld& world) {
  std::map<std::size_t, std::size_t> known;
  for (SimulatedJob& job : world.workload.jobs) {
    if (job.vertices == 1) continue;
    const auto [found, is_new] = known.emplace(job.vertices, world.workload.works.size());
    if (is_new) {
      Job work = parse_job_text("model=llama3-8b,tp=4,dp=" + std::to_string(job.vertices));
      work.ranks_per_server = 4;
      world.workload.works.push_back(std::move(work));
    }
    job.work = found->second;
  }
}

/// Servers that are held at first, in whole or in part and for some time or all along, or that are
/// broken.
void let_some_stand(SimulatedWorld& world) {
  ClusterView& view = world.start.view;
  for (std::size_t i = 0; i < world.cluster.server_count(); ++i) {
    const ServerId server{i};
    if (any(0, 5) == 0) view.health.servers[server] = ServerHealth::Drained;
    if (any(0, 5) == 0) view.health.failed_gpus.push_back({server, any(0, 3)});
    if (any(0, 1) == 0) continue;
    const JobId job = view.occupancy.add_job("on " + std::to_string(i));
    for (int gpu = any(0, 3); gpu < 4; ++gpu) view.occupancy.hold(job, {server, gpu});
    if (any(0, 4) > 0) view.ends.push_back({job, Seconds{any(1, 80) / 1000.0}});
  }
}

std::int64_t end_of(const JobEnd& end) { return std::llround(end.in.count * 1000); }

/// Of each server once all have ended that ever do.
std::vector<int> ever_free(const SimulatedWorld& world) {
  ClusterView view = world.start.view;
  for (const JobEnd& end : world.start.view.ends) {
    for (const GpuId gpu : world.start.view.occupancy.held(end.job)) view.occupancy.release(gpu);
  }
  std::vector<int> free;
  for (std::size_t i = 0; i < world.cluster.server_count(); ++i)
    free.push_back(view.usable_gpu_count(ServerId{i}));
  return free;
}

bool has_room(const SimulatedJob& job, const std::vector<int>& free) {
  std::size_t places = 0;
  for (const int gpus : free) places += static_cast<std::size_t>(gpus) / job.gpus_each;
  return places >= job.vertices;
}

/// The rules once more, without a thought to how long they take. Jobs of whole servers take the
/// first free ones, or those that Slurm's block gives them.
class Reference {
 public:
  Reference(const SimulatedWorld& world, Baseline rule)
      : world_(world), rule_(rule), jobs_(world.workload.jobs), ever_free_(ever_free(world)) {
    const ClusterView& view = world.start.view;
    for (std::size_t i = 0; i < world.cluster.server_count(); ++i)
      free_.push_back(view.usable_gpu_count(ServerId{i}));
    for (const JobEnd& end : view.ends) {
      // What is usable of it once it is free.
      ClusterView then = view;
      Held held;
      for (const GpuId gpu : view.occupancy.held(end.job)) then.occupancy.release(gpu);
      for (std::size_t i = 0; i < free_.size(); ++i)
        held.emplace_back(i, then.usable_gpu_count(ServerId{i}) - free_[i]);
      standing_.emplace_back(end_of(end), held);
    }
  }

  std::vector<std::optional<std::int64_t>> starts() {
    starts_.resize(jobs_.size());
    held_.resize(jobs_.size());
    std::set<std::int64_t> moments;
    for (const SimulatedJob& job : jobs_) moments.insert(job.submit);
    for (const auto& [end, held] : standing_) moments.insert(end);
    while (!moments.empty()) {
      now_ = *moments.begin();
      moments.erase(moments.begin());
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (starts_[i] && end_of(i) == now_) give(free_, held_[i]);
      }
      for (const auto& [end, held] : standing_) {
        if (end == now_) give(free_, held);
      }
      look();
      for (std::size_t i = 0; i < jobs_.size(); ++i) {
        if (starts_[i] && end_of(i) > now_) moments.insert(end_of(i));
      }
    }
    return starts_;
  }

 private:
  using Held = std::vector<std::pair<std::size_t, int>>;  // server, GPUs

  [[nodiscard]] std::int64_t end_of(std::size_t i) const { return *starts_[i] + jobs_[i].duration; }
  static std::int64_t end_of(const JobEnd& end) { return ::end_of(end); }
  static void give(std::vector<int>& free, const Held& held) {
    for (const auto& [server, gpus] : held) free[server] += gpus;
  }
  static void take(std::vector<int>& free, const Held& held) {
    for (const auto& [server, gpus] : held) free[server] -= gpus;
  }

  [[nodiscard]] std::size_t whole_in_rack_of(std::size_t server,
                                             const std::vector<int>& free) const {
    std::size_t whole = 0;
    for (std::size_t other = 0; other < free.size(); ++other) {
      whole += free[other] == 4 && world_.cluster.server(ServerId{other}).rack ==
                                       world_.cluster.server(ServerId{server}).rack;
    }
    return whole;
  }

  [[nodiscard]] std::optional<std::vector<ServerId>> order_of(const Job& job,
                                                              const std::vector<int>& free) const {
    ClusterView view(world_.cluster);
    const JobId others = view.occupancy.add_job("others");
    for (std::size_t s = 0; s < free.size(); ++s) {
      for (int gpu = free[s]; gpu < 4; ++gpu) view.occupancy.hold(others, {ServerId{s}, gpu});
    }
    return baseline_order(rule_, pose(view, world_.fabric, job, {}, {.proof = Proof::None}), {}, 1);
  }

  [[nodiscard]] std::optional<Held> room_for(const SimulatedJob& job,
                                             const std::vector<int>& free) const {
    Held held;
    const int each = static_cast<int>(job.gpus_each);
    if (each == 4 && rule_ == Baseline::SlurmBlock) {
      const auto servers = order_of(job.work ? world_.workload.works[*job.work] : one_, free);
      if (!servers) return std::nullopt;
      for (const ServerId server : *servers) held.emplace_back(server.index(), 4);
      return held;
    }
    if (each == 4) {
      for (std::size_t s = 0; s < free.size() && held.size() < job.vertices; ++s) {
        if (free[s] == 4) held.emplace_back(s, 4);
      }
      return held.size() == job.vertices ? std::optional(held) : std::nullopt;
    }
    std::map<std::vector<std::size_t>, std::size_t> choices;  // best first
    for (std::size_t s = 0; s < free.size(); ++s) {
      if (free[s] < each) continue;
      const bool whole = free[s] == 4;
      choices[{whole, whole ? whole_in_rack_of(s, free) : static_cast<std::size_t>(free[s]), s}] =
          s;
    }
    if (choices.empty()) return std::nullopt;
    return Held{{choices.begin()->second, each}};
  }

  [[nodiscard]] std::vector<int> free_at(std::int64_t time) const {
    std::vector<int> free = free_;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (starts_[i] && end_of(i) > now_ && end_of(i) <= time) give(free, held_[i]);
    }
    for (const auto& [end, held] : standing_) {
      if (end > now_ && end <= time) give(free, held);
    }
    return free;
  }

  [[nodiscard]] std::int64_t earliest(const SimulatedJob& job) const {
    std::set<std::int64_t> ends;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (starts_[i] && end_of(i) > now_) ends.insert(end_of(i));
    }
    for (const auto& [end, held] : standing_) {
      if (end > now_) ends.insert(end);
    }
    for (const std::int64_t end : ends) {
      if (room_for(job, free_at(end))) return end;
    }
    FAIL("nothing will ever let it start");
    return 0;
  }

  void start(std::size_t i, const Held& held) {
    starts_[i] = now_;
    held_[i] = held;
    take(free_, held);
  }
  void undo(std::size_t i) {
    give(free_, held_[i]);
    starts_[i].reset();
  }

  void look() {
    std::optional<std::size_t> first;
    std::int64_t promised = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      const bool waits = !starts_[i] && jobs_[i].submit <= now_ && room_for(jobs_[i], ever_free_);
      if (!waits) continue;
      const auto room = room_for(jobs_[i], free_);
      if (!first && !room) {
        first = i;
        if (world_.options.queue == QueueRule::Fifo) return;
        promised = earliest(jobs_[i]);
        continue;
      }
      if (!room) continue;
      start(i, *room);
      if (first && earliest(jobs_[*first]) > promised) undo(i);
    }
  }

  const SimulatedWorld& world_;
  Baseline rule_;
  const Job one_ = parse_job_text("model=llama3-8b,tp=4");  // on a server
  const std::vector<SimulatedJob>& jobs_;
  std::vector<int> ever_free_;
  std::vector<int> free_;
  std::vector<std::pair<std::int64_t, Held>> standing_;
  std::int64_t now_ = 0;
  std::vector<std::optional<std::int64_t>> starts_;
  std::vector<Held> held_;
};

}  // namespace

TEST_CASE("jobs start when the definition of the queue says", "[simulation]") {
  CHECK(rc::check([] {
    SimulatedWorld world = any_world();
    let_them_talk(world);
    let_some_stand(world);
    world.options.communication_share = 0;  // every job takes as long as it says
    const Baseline rule = any(0, 1) == 0 ? Baseline::Linear : Baseline::SlurmBlock;
    const SimulationOutcome outcome = world.run(std::string(baseline_name(rule)));
    Reference reference(world, rule);
    const auto expected = reference.starts();
    for (std::size_t i = 0; i < expected.size(); ++i) {
      RC_ASSERT(expected[i].has_value() == outcome.runs[i].has_value());
      if (expected[i]) RC_ASSERT(*expected[i] == outcome.runs[i]->start);
    }
  }));
}

TEST_CASE("whatever the policy, GPUs are held once and promises are kept", "[simulation]") {
  CHECK(rc::check([] {
    SimulatedWorld world = any_world();
    let_them_talk(world);
    let_some_stand(world);
    const auto policies = all_simulation_policies();
    const auto policy =
        policies[static_cast<std::size_t>(any(0, static_cast<int>(policies.size()) - 1))];
    const SimulationOutcome outcome = world.run(policy_name(policy));

    const std::vector<int> ever = ever_free(world);
    const ClusterView& view = world.start.view;
    std::map<GpuId, std::vector<std::pair<std::int64_t, std::int64_t>>> held;
    for (std::size_t i = 0; i < view.occupancy.job_count(); ++i) {
      const auto end = std::ranges::find(view.ends, JobId{i}, &JobEnd::job);
      constexpr std::int64_t kNever = std::int64_t{1} << 60;
      for (const GpuId gpu : view.occupancy.held(JobId{i}))
        held[gpu].emplace_back(-1, end == view.ends.end() ? kNever : end_of(*end));
    }
    std::int64_t last_start = 0;
    for (std::size_t i = 0; i < world.workload.jobs.size(); ++i) {
      const SimulatedJob& job = world.workload.jobs[i];
      const auto& run = outcome.runs[i];
      // Slurm's block may want what others hold all along.
      if (policy.servers != Baseline::SlurmBlock || run)
        RC_ASSERT(run.has_value() == has_room(job, ever));
      if (!run) continue;
      RC_ASSERT(run->start >= job.submit);
      RC_ASSERT(run->end > run->start);
      RC_ASSERT(run->gpus.size() == job.gpus());
      if (run->promised) RC_ASSERT(run->start <= *run->promised);
      if (world.options.queue == QueueRule::Fifo) {
        RC_ASSERT(run->start >= last_start);
        last_start = run->start;
      }
      std::set<ServerId> servers;
      for (const GpuId gpu : run->gpus) {
        held[gpu].emplace_back(run->start, run->end);
        RC_ASSERT(view.health.servers[gpu.server] == ServerHealth::Up);
        RC_ASSERT(std::ranges::count(view.health.failed_gpus, gpu) == 0);
        servers.insert(gpu.server);
      }
      RC_ASSERT(servers.size() == job.vertices);
    }
    for (auto& [gpu, times] : held) {
      std::sort(times.begin(), times.end());
      for (std::size_t i = 1; i < times.size(); ++i)
        RC_ASSERT(times[i - 1].second <= times[i].first);
    }
  }));
}

TEST_CASE("the same jobs and seed give the same outcome", "[simulation]") {
  CHECK(rc::check([] {
    SimulatedWorld world = any_world();
    let_them_talk(world);
    let_some_stand(world);
    const SimulationOutcome one = world.run("random");
    const SimulationOutcome two = world.run("random");
    for (std::size_t i = 0; i < one.runs.size(); ++i) {
      RC_ASSERT(one.runs[i].has_value() == two.runs[i].has_value());
      if (!one.runs[i]) continue;
      RC_ASSERT(one.runs[i]->gpus == two.runs[i]->gpus);
      RC_ASSERT(one.runs[i]->end == two.runs[i]->end);
    }
  }));
}
