#include "simulation/placer.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "baselines/slurm_block.hpp"
#include "room.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

Job silent_job(int gpus) {
  Job job;
  job.name = "one server";
  job.work = ExplicitTraffic{gpus, {}, {}};
  job.ranks_per_server = gpus;
  return job;
}

std::size_t domains_of(const Cluster& cluster, std::span<const ServerId> servers, int level) {
  std::set<DomainId> domains;
  for (const ServerId server : servers) domains.insert(cluster.domain_of(server, level));
  return domains.size();
}

/// Jobs have room anywhere in the cluster, so that servers that not all others reach are no part
/// of it.
ClusterView without_cut_off(ClusterView view, const Fabric& fabric) {
  const Reach reach = reach_over(fabric, 0);
  for (std::size_t i = 0; i < reach.size(); ++i) {
    ServerHealth& health = view.health.servers[ServerId{i}];
    if (reach[ServerId{i}] > 0 && health == ServerHealth::Up) health = ServerHealth::Drained;
  }
  return view;
}

}  // namespace

double stretch_of(const IdealIteration& ideal, Seconds communication) {
  const double whole = ideal.compute.count + ideal.communication.count;
  if (std::isinf(whole)) return 1;
  return whole > 0 ? (ideal.compute.count + communication.count) / whole : 1;
}

PlacementOptions without_proof(PlacementOptions options) {
  options.mapping.prove = false;
  return options;
}

Placer::Placer(const SimulationStart& start, const Fabric& fabric, const Workload& workload,
               std::span<const std::optional<IdealIteration>> ideals,
               const SimulationPolicy& policy, const SimulationOptions& options)
    : cluster_(*start.view.cluster),
      fabric_(fabric),
      workload_(workload),
      ideals_(ideals),
      policy_(policy),
      options_(options),
      view_(without_cut_off(start.view, fabric)),
      room_(view_),
      silent_(silent_job(workload.server_gpus)),
      problems_(workload.works.size() + 1) {
  for (const std::size_t held : view_.occupancy.held_counts())
    held_gpus_ += static_cast<std::int64_t>(held);
  if (!options.interference) return;
  for (const auto& [job, traffic] : start.running) {
    if (background_.add(fabric_, traffic, options.routing))
      beside_.push_back(workload.jobs.size() + job.index());
  }
}

bool Placer::fits(std::size_t index) {
  const SimulatedJob& job = workload_.jobs[index];
  const auto [at, is_new] = fits_now_.try_emplace({job.gpus_each, job.vertices}, false);
  if (is_new) at->second = fits(job, room_);
  return at->second;
}

bool Placer::fits(const SimulatedJob& job, const FreeRoom& room) const {
  if (room.places(job.gpus_each) < job.vertices) return false;
  // Every rule but this one starts a job wherever there are enough places.
  if (policy_.servers != Baseline::SlurmBlock || job.vertices == 1) return true;
  return slurm_block_racks(cluster_, room.places_by_server(job.gpus_each), job.gpus_each,
                           job.vertices)
      .has_value();
}

/// What does not change with the time is made once.
PlacementProblem& Placer::problem_of(const SimulatedJob& job) {
  const std::size_t index = job.work.value_or(problems_.size() - 1);
  std::optional<PlacementProblem>& problem = problems_[index];
  if (!problem) {
    const Job& work = job.work ? workload_.works[*job.work] : silent_;
    problem.emplace(
        pose(view_, fabric_, work, {}, {.routing = options_.routing, .proof = Proof::None}));
  }
  problem->room = room_.places_by_server(problem->traffic.ranks_per_server);
  problem->linked_room = room_reaching(problem->room, problem->reach, 0);
  return *problem;
}

std::vector<ServerId> Placer::placed(const PlacementProblem& problem) const {
  const PlacementResult result = place(problem, {}, without_proof(options_.placement));
  if (const auto* refusal = std::get_if<NoFit>(&result)) {
    ZONECUT_ENSURES(!refusal->blockers.empty());
    throw InputError("", "a job that has room cannot run: " + to_text(refusal->blockers.front()));
  }
  return std::get<Placement>(result).servers;
}

/// With room for the job on these servers and no other.
std::vector<ServerId> Placer::in_best_order(const PlacementProblem& problem,
                                            std::span<const ServerId> servers) const {
  PlacementProblem own = problem;
  own.room = Room(cluster_.server_count(), 0);
  for (const ServerId server : servers) ++own.room[server];
  own.linked_room = own.room;
  return placed(own);
}

std::vector<ServerId> Placer::servers_for(std::size_t index) {
  const SimulatedJob& job = workload_.jobs[index];
  // Jobs that share a server stand where every scheduler of GPUs puts them.
  if (job.gpus() < static_cast<std::size_t>(workload_.server_gpus)) {
    const auto server = room_.best_fit(job.gpus_each);
    if (job.vertices == 1 && server) return {*server};
  }
  const PlacementProblem& problem = problem_of(job);
  if (!policy_.servers) return placed(problem);
  const std::uint64_t seed = mixed(options_.placement.mapping.seed + index);
  auto servers = baseline_order(*policy_.servers, problem, {}, seed);
  ZONECUT_ENSURES(servers.has_value());
  if (!policy_.reordered || job.vertices == 1) return *std::move(servers);
  return in_best_order(problem, *servers);
}

std::vector<GpuId> Placer::gpus_on(std::span<const ServerId> servers, std::size_t each) const {
  std::map<ServerId, std::vector<int>> free;
  std::map<ServerId, std::size_t> taken;
  std::vector<GpuId> gpus;
  gpus.reserve(servers.size() * each);
  for (const ServerId server : servers) {
    const auto [here, is_new] = free.try_emplace(server);
    if (is_new) here->second = view_.usable_gpus(server);
    std::size_t& next = taken[server];
    ZONECUT_ENSURES(next + each <= here->second.size());
    for (std::size_t i = 0; i < each; ++i) gpus.push_back({server, here->second[next++]});
  }
  return gpus;
}

/// A job within a rack whose servers are all its own meets nobody.
bool Placer::shares_links(const SimulatedJob& job, const JobRun& run) const {
  return run.racks > 1 || std::ranges::any_of(run.gpus, [&](GpuId gpu) {
           return static_cast<std::size_t>(cluster_.server(gpu.server).gpus) > job.gpus_each;
         });
}

Stand Placer::stand_of(std::size_t index) {
  const SimulatedJob& job = workload_.jobs[index];
  Stand stand;
  stand.servers = servers_for(index);
  ZONECUT_ENSURES(stand.servers.size() == job.vertices);
  stand.duration = job.duration;
  stand.run.gpus = gpus_on(stand.servers, job.gpus_each);
  stand.run.zones = domains_of(cluster_, stand.servers, cluster_.zone_level());
  stand.run.racks = domains_of(cluster_, stand.servers, cluster_.rack_level());
  if (!job.work) return stand;
  const PlacementProblem& problem = *problems_[*job.work];
  const std::optional<Traffic> chosen = arranged_on(problem, stand.servers);
  static const Background nobody;
  const bool beside = options_.interference && shares_links(job, stand.run);
  const Prediction prediction = predict(fabric_, chosen ? *chosen : problem.traffic, stand.servers,
                                        options_.routing, beside ? background_ : nobody);
  stand.run.communication = prediction.communication;
  stand.run.alone = prediction.undisturbed;
  stand.run.cross_zone = prediction.cross_zone;
  const double stretch = stretch_of(*ideals_[*job.work], prediction.communication);
  // Whatever the stretch, a number that no duration of a trace comes near stands for "too long".
  constexpr double kTooLong = 0x1p60;
  stand.duration = std::max<std::int64_t>(
      1, std::llround(std::min(static_cast<double>(job.duration) * stretch, kTooLong)));
  return stand;
}

RunningTraffic Placer::traffic_on(std::size_t index, const Stand& stand) const {
  const SimulatedJob& job = workload_.jobs[index];
  const PlacementProblem& problem = *problems_[*job.work];
  auto chosen = arranged_on(problem, stand.servers);
  return {job.name, chosen ? *std::move(chosen) : problem.traffic, stand.servers,
          ideals_[*job.work]->compute + stand.run.communication};
}

void Placer::hold(std::size_t index, const Stand& stand) {
  const SimulatedJob& job = workload_.jobs[index];
  fits_now_.clear();
  const JobId id = view_.occupancy.add_job(job.name);
  for (const GpuId gpu : stand.run.gpus) {
    view_.occupancy.hold(id, gpu);
    room_.take(gpu.server, 1);
  }
  held_gpus_ += static_cast<std::int64_t>(stand.run.gpus.size());
  if (!job.work || !options_.interference || !shares_links(job, stand.run)) return;
  if (background_.add(fabric_, traffic_on(index, stand), options_.routing))
    beside_.push_back(index);
}

bool Placer::is_sound(GpuId gpu) const {
  return view_.health.servers[gpu.server] == ServerHealth::Up && !view_.health.has_failed(gpu);
}

void Placer::release(std::size_t index, std::span<const GpuId> gpus) {
  fits_now_.clear();
  for (const GpuId gpu : gpus) {
    view_.occupancy.release(gpu);
    if (is_sound(gpu)) room_.give(gpu.server, 1);
  }
  held_gpus_ -= static_cast<std::int64_t>(gpus.size());
  const auto found = std::ranges::find(beside_, index);
  if (found == beside_.end()) return;
  background_.remove(static_cast<std::size_t>(found - beside_.begin()));
  beside_.erase(found);
}

}  // namespace zonecut
