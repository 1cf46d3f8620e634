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

std::optional<JobId> job_with_order(const ClusterView& view, const GivenOrder& order) {
  const std::optional<JobId> most = job_on(view, order.servers);
  const bool is_another =
      most && view.occupancy.job_name(*most) != order.job && has_room_beside(view, order);
  return is_another ? std::nullopt : most;
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
