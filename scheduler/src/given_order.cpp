#include "zonecut/scheduler/given_order.hpp"

#include <algorithm>
#include <compare>
#include <map>
#include <set>
#include <utility>

namespace zonecut {
namespace {

std::map<ServerId, std::size_t> gpus_needed(const GivenOrder& order) {
  std::map<ServerId, std::size_t> needed;
  for (const ServerId server : order.servers) needed[server] += order.ranks_per_server;
  return needed;
}

/// Whether nobody holds the GPUs that it needs.
bool has_room_beside(const ClusterView& view, const GivenOrder& order) {
  return std::ranges::all_of(gpus_needed(order), [&](const auto& entry) {
    std::size_t open = 0;
    for (int gpu = 0; gpu < view.cluster->server(entry.first).gpus; ++gpu)
      open += view.occupancy.holder({entry.first, gpu}) ? 0U : 1U;
    return open >= entry.second;
  });
}

/// What a job holds of these servers, ascending.
std::vector<GpuId> held_on(const ClusterView& view, JobId job, std::span<const ServerId> servers) {
  const std::set<ServerId> these(servers.begin(), servers.end());
  std::vector<GpuId> held = view.occupancy.held(job);
  std::erase_if(held, [&](GpuId gpu) { return !these.contains(gpu.server); });
  return held;
}

std::optional<JobId> named_job_on(const ClusterView& view, const GivenOrder& order) {
  for (const ServerId server : order.servers) {
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      const auto holder = view.occupancy.holder({server, gpu});
      if (holder && view.occupancy.job_name(*holder) == order.job) return holder;
    }
  }
  return std::nullopt;
}

/// Of each server that is up; what is not may have been taken from it.
bool holds_enough(const ClusterView& view, JobId job, const GivenOrder& order) {
  std::map<ServerId, std::size_t> held;
  for (const GpuId gpu : view.occupancy.held(job)) ++held[gpu.server];
  return std::ranges::all_of(gpus_needed(order), [&](const auto& entry) {
    return view.health.servers[entry.first] != ServerHealth::Up ||
           held[entry.first] >= entry.second;
  });
}

/// Of what a job holds as much as the order needs of each server, well GPUs first; ascending.
std::vector<GpuId> part_of(const ClusterView& view, JobId job, const GivenOrder& order) {
  std::map<ServerId, std::size_t> needed = gpus_needed(order);
  std::vector<GpuId> held = held_on(view, job, order.servers);
  std::ranges::stable_partition(held, [&](GpuId gpu) { return !view.health.has_failed(gpu); });
  std::erase_if(held, [&](GpuId gpu) {
    std::size_t& left = needed[gpu.server];
    if (left == 0) return true;
    --left;
    return false;
  });
  std::ranges::sort(held);
  return held;
}

}  // namespace

std::optional<JobId> job_on(const ClusterView& view, std::span<const ServerId> servers) {
  struct Share {
    std::size_t servers = 0;
    std::size_t gpus = 0;
    auto operator<=>(const Share&) const = default;
  };
  std::map<JobId, Share> held;
  for (const ServerId server : std::set<ServerId>(servers.begin(), servers.end())) {
    std::set<JobId> here;
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      const auto job = view.occupancy.holder({server, gpu});
      if (!job) continue;
      ++held[*job].gpus;
      if (here.insert(*job).second) ++held[*job].servers;
    }
  }
  if (held.empty()) return std::nullopt;
  return std::ranges::max_element(held, {}, &std::pair<const JobId, Share>::second)->first;
}

bool holds_no_more(const ClusterView& view, JobId job, const GivenOrder& order) {
  std::map<ServerId, std::size_t> spare = gpus_needed(order);
  return std::ranges::all_of(view.occupancy.held(job), [&](GpuId gpu) {
    const auto entry = spare.find(gpu.server);
    return entry != spare.end() && entry->second-- > 0;
  });
}

std::optional<JobId> job_with_order(const ClusterView& view, const GivenOrder& order) {
  if (const std::optional<JobId> named = named_job_on(view, order)) return named;
  const std::optional<JobId> most = job_on(view, order.servers);
  if (!most || !holds_no_more(view, *most, order) || has_room_beside(view, order))
    return std::nullopt;
  return most;
}

std::vector<JobId> holders_of(const ClusterView& view, const GivenOrder& order) {
  std::map<JobId, std::map<ServerId, std::size_t>> held;
  for (const auto& [server, gpus] : gpus_needed(order)) {
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      if (const auto holder = view.occupancy.holder({server, gpu})) ++held[*holder][server];
    }
  }
  std::vector<JobId> holders;
  for (auto& [job, on] : held) {
    const bool holds_enough = std::ranges::all_of(
        gpus_needed(order), [&](const auto& entry) { return on[entry.first] >= entry.second; });
    if (!holds_enough) continue;
    if (view.occupancy.job_name(job) == order.job) return {job};
    if (holds_no_more(view, job, order)) holders.push_back(job);
  }
  if (has_room_beside(view, order)) return {};
  return holders;
}

HeldOrder held_order(const ClusterView& view, const GivenOrder& order) {
  if (const std::optional<JobId> own = job_with_order(view, order))
    return {own, held_on(view, *own, order.servers)};
  const std::optional<JobId> most = job_on(view, order.servers);
  if (!most || !holds_enough(view, *most, order)) return {};
  if (holds_no_more(view, *most, order)) return {most, held_on(view, *most, order.servers)};
  if (std::ranges::count(view.running, *most, &RunningJob::job) > 0) return {};
  return {std::nullopt, part_of(view, *most, order)};
}

OrderView view_for_order(const ClusterView& view, const GivenOrder& order) {
  OrderView left{view, {}};
  Occupancy& occupancy = left.view.occupancy;
  if (const std::optional<JobId> own = job_with_order(view, order)) {
    for (const GpuId gpu : view.occupancy.held(*own)) occupancy.release(gpu);
  }
  for (const auto& [server, gpus] : gpus_needed(order)) {
    if (static_cast<std::size_t>(left.view.usable_gpu_count(server)) >= gpus) continue;
    bool held = false;
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      if (!occupancy.holder({server, gpu})) continue;
      occupancy.release({server, gpu});
      held = true;
    }
    if (held) left.taken.push_back(server);
  }
  return left;
}

ClusterView well_on(const ClusterView& view, std::span<const ServerId> servers) {
  ClusterView well = view;
  for (const ServerId server : servers) {
    well.health.servers[server] = ServerHealth::Up;
    std::erase_if(well.health.failed_gpus, [&](GpuId gpu) { return gpu.server == server; });
  }
  return well;
}

}  // namespace zonecut
