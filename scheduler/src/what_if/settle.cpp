// Jobs take their place in a setting before anything is asked about it.
#include <algorithm>
#include <map>
#include <utility>

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

void hold(Setting& setting, const SettledJob& job) {
  Occupancy& occupancy = setting.view.occupancy;
  std::map<ServerId, std::size_t> needed;
  for (const ServerId server : job.running.servers)
    needed[server] += job.running.traffic.ranks_per_server;
  for (auto& [server, count] : needed) {
    std::vector<int> gpus = setting.view.usable_gpus(server);
    for (int gpu = 0; gpu < setting.view.cluster->server(server).gpus; ++gpu) {
      if (std::ranges::count(gpus, gpu) == 0) gpus.push_back(gpu);  // it runs there all the same
    }
    for (const int gpu : gpus) {
      if (count == 0) break;
      if (occupancy.holder({server, gpu})) continue;
      occupancy.hold(job.id, {server, gpu});
      --count;
    }
  }
}

}  // namespace

SettledJob settled(const ClusterView& view, const RunningJob& running, Job job,
                   Constraints constraints) {
  RunningTraffic traffic = running_traffic(view, running, job);
  return {running.job, std::move(job), std::move(constraints), std::move(traffic)};
}

SettledJob settle_on(Setting& setting, Job job, Constraints constraints,
                     std::span<const ServerId> servers, std::optional<JobId> known) {
  const JobId id = known ? *known : add_job(setting.view.occupancy, job.name);
  SettledJob settled = zonecut::settled(
      setting.view, {id, {}, {servers.begin(), servers.end()}, std::nullopt, "order"},
      std::move(job), std::move(constraints));
  if (!known) hold(setting, settled);
  return settled;
}

SettledJob settle(Setting& setting, Job job, Constraints constraints,
                  std::span<const SettledJob> beside, const PlacementOptions& options) {
  const JobId id = add_job(setting.view.occupancy, job.name);
  const int ranks_per_server = ranks_per_server_of(setting.view, job);
  SettledJob settled{id, std::move(job), std::move(constraints), {}};
  settled.running.name = setting.view.occupancy.job_name(id);
  settled.running.traffic = traffic_of(settled.job, ranks_per_server);
  std::vector<SettledJob> all(beside.begin(), beside.end());
  all.push_back(settled);
  Outlook outlook = look(setting, all, {options, std::nullopt, beside.size()});
  settled.running.servers = std::move(outlook.jobs.back().servers);
  hold(setting, settled);
  return settled;
}

}  // namespace zonecut
