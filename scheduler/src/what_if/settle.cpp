// Jobs take their place in a setting before anything is asked about it.
#include <set>
#include <utility>

#include "gpu_choice.hpp"
#include "what_if/view_of.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {
namespace {

/// Outlooks and backgrounds tell jobs apart by their names.
JobId add_job(Occupancy& occupancy, const std::string& name) {
  std::string own = name;
  while (occupancy.find_job(own)) own += " (asked about)";
  return occupancy.add_job(own);
}

}  // namespace

SettledJob settled(const ClusterView& view, const RunningJob& running, Job job,
                   Constraints constraints) {
  RunningTraffic traffic = running_traffic(view, running, job);
  return {running.job, std::move(job), std::move(constraints), std::move(traffic), {}};
}

SettledJob settle_on(Setting& setting, Job job, Constraints constraints,
                     std::span<const ServerId> servers, std::optional<JobId> known) {
  Occupancy& occupancy = setting.view.occupancy;
  const JobId id = known ? *known : add_job(occupancy, job.name);
  SettledJob settled = zonecut::settled(
      setting.view, {id, {}, {servers.begin(), servers.end()}, std::nullopt, "order"},
      std::move(job), std::move(constraints));
  if (known) return settled;
  IdMap<ServerId, std::size_t> needed(setting.view.cluster->server_count(), 0);
  for (const ServerId server : servers) needed[server] += settled.running.traffic.ranks_per_server;
  for (const ServerId server : std::set<ServerId>(servers.begin(), servers.end())) {
    std::vector<int> here = gpus_of(setting.view, server, needed[server]);
    for (const int gpu : here) {
      if (needed[server] == 0) break;
      if (occupancy.holder({server, gpu})) continue;
      occupancy.hold(id, {server, gpu});
      --needed[server];
    }
  }
  return settled;
}

SettledJob settle(Setting& setting, Job job, Constraints constraints,
                  std::span<const SettledJob> beside, const PlacementOptions& options) {
  const JobId id = add_job(setting.view.occupancy, job.name);
  SettledJob settled{id, std::move(job), std::move(constraints), {}, {}};
  settled.running.name = setting.view.occupancy.job_name(id);
  const ClusterView view = view_of(setting);
  const Fabric fabric = Fabric::build(*view.cluster, setting.fabric, view.health);
  std::vector<RunningTraffic> running;
  for (const SettledJob& other : beside) running.push_back(other.running);
  PlacementProblem problem = pose(view, fabric, settled.job, settled.constraints, setting.routing,
                                  std::move(running), Proof::None);
  PlacementResult result = place(problem, settled.constraints, options);
  settled.running.traffic = std::move(problem.traffic);
  if (auto* refusal = std::get_if<NoFit>(&result)) {
    settled.waits_for = std::move(refusal->blockers);
    return settled;
  }
  const auto& placement = std::get<Placement>(result);
  settled.running.servers = placement.servers;
  for (const GpuId gpu : placement.gpus) setting.view.occupancy.hold(id, gpu);
  return settled;
}

}  // namespace zonecut
