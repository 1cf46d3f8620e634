#include "zonecut/topology/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// The failed GPUs of one server.
std::span<const GpuId> failed_on(const Health& health, ServerId server) {
  const auto [first, last] =
      std::equal_range(health.failed_gpus.begin(), health.failed_gpus.end(), GpuId{server, 0},
                       [](const GpuId& a, const GpuId& b) { return a.server < b.server; });
  return {first, last};
}

/// Calls `visit` with the index of each GPU that a new job can get, ascending.
template <class Visit>
void for_each_usable_gpu(const ClusterView& view, ServerId server, const Visit& visit) {
  if (view.health.servers[server] != ServerHealth::Up) return;
  std::span<const GpuId> failed = failed_on(view.health, server);
  for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
    if (!failed.empty() && failed.front().index == gpu) {
      failed = failed.subspan(1);
    } else if (!view.occupancy.holder({server, gpu})) {
      visit(gpu);
    }
  }
}

}  // namespace

std::string switch_name(const Cluster& cluster, const FabricSpec& spec, SwitchRef ref) {
  const TierSpec& tier = spec.tiers[static_cast<std::size_t>(cluster.domain(ref.domain).level)];
  std::string name = cluster.path(ref.domain);
  if (!name.empty()) name += '/';
  if (ref.plane > 0) name += fmt::format("p{}/", ref.plane + 1);
  return name + fmt::format("{}-{}", tier.switch_name, ref.index + 1);
}

std::optional<LinkFault> link_between(const Cluster& cluster, const LinkEnd& one,
                                      const LinkEnd& other) {
  const auto level = [&](const LinkEnd& end) {
    const auto* place = std::get_if<SwitchRef>(&end);
    return place ? cluster.domain(place->domain).level : cluster.rack_level() + 1;
  };
  const bool is_upwards = level(one) >= level(other);
  const LinkEnd& lower = is_upwards ? one : other;
  const auto* above = std::get_if<SwitchRef>(is_upwards ? &other : &one);
  const auto* below = std::get_if<SwitchRef>(&lower);
  const bool are_joined =
      above &&
      (below ? cluster.domain(below->domain).parent == above->domain && below->plane == above->plane
             : cluster.server(std::get<ServerId>(lower)).rack == above->domain);
  if (!are_joined) return std::nullopt;
  return LinkFault{lower, *above, std::nullopt};
}

std::optional<SwitchRef> find_switch(const Cluster& cluster, const FabricSpec& spec,
                                     std::string_view name) {
  std::string_view path;
  std::string_view last = name;
  if (const auto slash = name.rfind('/'); slash != std::string_view::npos) {
    path = name.substr(0, slash);
    last = name.substr(slash + 1);
  }
  const auto number_of = [](std::string_view text) -> std::optional<int> {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || value < 1) return std::nullopt;
    return value;
  };
  int plane = 0;
  if (spec.planes > 1) {
    const auto slash = path.rfind('/');
    const std::string_view part = slash == std::string_view::npos ? path : path.substr(slash + 1);
    if (part.starts_with('p')) {
      if (const auto number = number_of(part.substr(1));
          number && *number >= 2 && *number <= spec.planes) {
        plane = *number - 1;
        path = slash == std::string_view::npos ? std::string_view{} : path.substr(0, slash);
      }
    }
  }
  const auto dash = last.rfind('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto number = number_of(last.substr(dash + 1));
  const auto domain = path.empty() ? std::optional(Cluster::root()) : cluster.find_domain(path);
  if (!number || !domain) return std::nullopt;
  const TierSpec& tier = spec.tiers[static_cast<std::size_t>(cluster.domain(*domain).level)];
  if (tier.switch_name != last.substr(0, dash) || *number > tier.switches) return std::nullopt;
  return SwitchRef{*domain, plane, *number - 1};
}

Occupancy::Occupancy(const Cluster& cluster)
    : cluster_(&cluster), holder_(cluster.gpu_count(), 0) {}

JobId Occupancy::add_job(std::string name) { return job_names_.push_back(std::move(name)); }

std::optional<JobId> Occupancy::find_job(std::string_view name) const {
  const auto found = std::find(job_names_.begin(), job_names_.end(), name);
  if (found == job_names_.end()) return std::nullopt;
  return JobId{static_cast<std::size_t>(found - job_names_.begin())};
}

void Occupancy::hold(JobId job, GpuId gpu) {
  std::uint32_t& slot = holder_[cluster_->gpu_position(gpu)];
  if (slot != 0) {
    throw InputError(job_names_[job],
                     fmt::format("GPU {} of {} is held by job {} already", gpu.index,
                                 cluster_->server(gpu.server).name, job_names_[JobId{slot - 1}]));
  }
  slot = static_cast<std::uint32_t>(job.index() + 1);
}

void Occupancy::release(GpuId gpu) { holder_[cluster_->gpu_position(gpu)] = 0; }

std::optional<JobId> Occupancy::holder(GpuId gpu) const {
  const std::uint32_t slot = holder_[cluster_->gpu_position(gpu)];
  return slot == 0 ? std::nullopt : std::optional(JobId{slot - 1});
}

std::vector<GpuId> Occupancy::held(JobId job) const {
  std::vector<GpuId> gpus;
  for (const ServerId server : cluster_->server_ids()) {
    for (int gpu = 0; gpu < cluster_->server(server).gpus; ++gpu) {
      if (holder({server, gpu}) == job) gpus.push_back({server, gpu});
    }
  }
  return gpus;
}

IdMap<JobId, std::size_t> Occupancy::held_counts() const {
  IdMap<JobId, std::size_t> counts(job_count(), 0);
  for (const std::uint32_t slot : holder_) {
    if (slot != 0) ++counts[JobId{slot - 1}];
  }
  return counts;
}

bool Health::has_failed(GpuId gpu) const {
  return std::binary_search(failed_gpus.begin(), failed_gpus.end(), gpu);
}

std::vector<int> ClusterView::usable_gpus(ServerId server) const {
  std::vector<int> usable;
  for_each_usable_gpu(*this, server, [&](int gpu) { usable.push_back(gpu); });
  return usable;
}

int ClusterView::usable_gpu_count(ServerId server) const {
  int count = 0;
  for_each_usable_gpu(*this, server, [&](int) { ++count; });
  return count;
}

int ClusterView::working_gpu_count(ServerId server) const {
  if (health.servers[server] == ServerHealth::Down) return 0;
  return cluster->server(server).gpus - static_cast<int>(failed_on(health, server).size());
}

}  // namespace zonecut
