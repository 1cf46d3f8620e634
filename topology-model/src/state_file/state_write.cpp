#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cluster_file/yaml_text.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

/// What one job holds, in the order of the servers.
struct Holding {
  std::vector<std::string> whole_servers;
  std::vector<std::pair<ServerId, std::vector<int>>> parts;
};

IdMap<JobId, Holding> holdings(const ClusterView& view) {
  const Cluster& cluster = *view.cluster;
  IdMap<JobId, Holding> all(view.occupancy.job_count());
  for (const ServerId id : cluster.server_ids()) {
    const Server& server = cluster.server(id);
    std::vector<std::pair<JobId, int>> held;
    for (int gpu = 0; gpu < server.gpus; ++gpu) {
      if (const auto holder = view.occupancy.holder({id, gpu})) held.emplace_back(*holder, gpu);
    }
    std::sort(held.begin(), held.end());
    for (std::size_t first = 0; first < held.size();) {
      const JobId job = held[first].first;
      std::vector<int> gpus;
      for (; first < held.size() && held[first].first == job; ++first)
        gpus.push_back(held[first].second);
      if (static_cast<int>(gpus.size()) == server.gpus) {
        all[job].whole_servers.push_back(server.name);
      } else {
        all[job].parts.emplace_back(id, std::move(gpus));
      }
    }
  }
  return all;
}

/// One host list, or, where a name cannot stand in one, a list of names.
std::string servers_text(const Cluster& cluster, const std::vector<std::string>& names) {
  try {
    const std::string list = compress_hostlist(names);
    const bool reads_as_one_name = names.size() > 1 && cluster.find_server(list);
    if (!reads_as_one_name) return yaml_line_text(list);
  } catch (const InputError&) {
    // Some name cannot stand in a host list.
  }
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "[" : ", ") + yaml_flow_text(name);
  return text + "]";
}

/// Servers in rank order; a host list keeps no order, so each stands by its name.
std::string traffic_text(const Cluster& cluster, const RunningJob& running) {
  std::string order;
  for (const ServerId server : running.order)
    order += (order.empty() ? "" : ", ") + yaml_flow_text(cluster.server(server).name);
  std::string text = fmt::format("    traffic:\n      job: {}\n      order: [{}]\n",
                                 yaml_line_text(running.work), order);
  if (running.iteration)
    text += fmt::format("      iteration: {:.9f}s\n", running.iteration->count);
  return text;
}

std::string jobs_text(const ClusterView& view) {
  const Cluster& cluster = *view.cluster;
  const auto held = holdings(view);
  std::string text;
  for (std::size_t i = 0; i < view.occupancy.job_count(); ++i) {
    const Holding& holding = held[JobId{i}];
    text += fmt::format("  - name: {}\n", yaml_line_text(view.occupancy.job_name(JobId{i})));
    if (!holding.whole_servers.empty())
      text += fmt::format("    servers: {}\n", servers_text(cluster, holding.whole_servers));
    if (!holding.parts.empty()) text += "    gpus:\n";
    for (const auto& [server, gpus] : holding.parts) {
      text += fmt::format("      {}: [{}]\n", yaml_line_text(cluster.server(server).name),
                          fmt::join(gpus, ", "));
    }
    for (const RunningJob& running : view.running) {
      if (running.job == JobId{i}) text += traffic_text(cluster, running);
    }
    for (const JobEnd& end : view.ends) {
      if (end.job == JobId{i}) text += fmt::format("    ends_in: {:.9f}s\n", end.in.count);
    }
  }
  return text.empty() ? "" : "jobs:\n" + text;
}

std::vector<std::string> servers_in(const ClusterView& view, ServerHealth health) {
  std::vector<std::string> names;
  for (const ServerId server : view.cluster->server_ids()) {
    if (view.health.servers[server] == health) names.push_back(view.cluster->server(server).name);
  }
  return names;
}

std::string failed_gpus_text(const ClusterView& view) {
  const std::vector<GpuId>& failed = view.health.failed_gpus;
  std::string text;
  for (std::size_t first = 0; first < failed.size();) {
    const ServerId server = failed[first].server;
    std::vector<int> gpus;
    for (; first < failed.size() && failed[first].server == server; ++first)
      gpus.push_back(failed[first].index);
    text += fmt::format("    {}: [{}]\n", yaml_line_text(view.cluster->server(server).name),
                        fmt::join(gpus, ", "));
  }
  return text.empty() ? "" : "  failed_gpus:\n" + text;
}

std::string links_text(const ClusterView& view) {
  const auto switch_text = [&](SwitchRef place) {
    return yaml_flow_text(switch_name(*view.cluster, view.cluster->backend(), place));
  };
  std::string text;
  for (const LinkFault& fault : view.health.link_faults) {
    const auto* server = std::get_if<ServerId>(&fault.lower);
    text += fmt::format("    - {{between: [{}, {}], remaining: {}}}\n",
                        server != nullptr ? yaml_flow_text(view.cluster->server(*server).name)
                                          : switch_text(std::get<SwitchRef>(fault.lower)),
                        switch_text(fault.upper),
                        fault.remaining ? to_exact_text(*fault.remaining) : "down");
  }
  return text.empty() ? "" : "  links:\n" + text;
}

std::string health_text(const ClusterView& view) {
  const Cluster& cluster = *view.cluster;
  std::string text;
  if (const auto down = servers_in(view, ServerHealth::Down); !down.empty())
    text += fmt::format("  down: {}\n", servers_text(cluster, down));
  if (const auto drained = servers_in(view, ServerHealth::Drained); !drained.empty())
    text += fmt::format("  drained: {}\n", servers_text(cluster, drained));
  text += failed_gpus_text(view);
  if (!view.health.failed_switches.empty()) text += "  failed_switches:\n";
  for (const SwitchRef place : view.health.failed_switches) {
    text +=
        fmt::format("    - {}\n", yaml_line_text(switch_name(cluster, cluster.backend(), place)));
  }
  text += links_text(view);
  return text.empty() ? "" : "health:\n" + text;
}

}  // namespace

std::string write_state(const ClusterView& view) {
  return "format: state/v1\n" + jobs_text(view) + health_text(view);
}

}  // namespace zonecut
