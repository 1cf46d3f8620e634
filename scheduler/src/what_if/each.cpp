// All changes of one kind: every CTSW that may fail, every rack that may be emptied.
#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {
namespace {

/// By server whether a job that goes on runs there.
IdMap<ServerId, bool> busy_servers(const Setting& setting, std::span<const SettledJob> jobs) {
  IdMap<ServerId, bool> busy(setting.view.cluster->server_count(), false);
  for (const SettledJob& job : jobs) {
    if (std::ranges::binary_search(setting.ended, job.id)) continue;
    for (const ServerId server : job.running.servers) busy[server] = true;
  }
  return busy;
}

std::string end_name(const Setting& setting, const std::variant<ServerId, SwitchRef>& end) {
  const Cluster& cluster = *setting.view.cluster;
  const auto* server = std::get_if<ServerId>(&end);
  return server ? cluster.server(*server).name
                : switch_name(cluster, setting.fabric, std::get<SwitchRef>(end));
}

std::vector<std::string> mend_each(const Setting& setting) {
  const Cluster& cluster = *setting.view.cluster;
  const Health& health = setting.view.health;
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    if (health.servers[ServerId{i}] != ServerHealth::Up)
      changes.push_back("mend=" + cluster.server(ServerId{i}).name);
  }
  for (const GpuId gpu : health.failed_gpus)
    changes.push_back(fmt::format("mend={}:{}", cluster.server(gpu.server).name, gpu.index));
  for (const SwitchRef& place : health.failed_switches)
    changes.push_back("mend=" + switch_name(cluster, setting.fabric, place));
  for (const LinkFault& fault : health.link_faults) {
    changes.push_back(
        fmt::format("mend={}>{}", end_name(setting, fault.lower), end_name(setting, fault.upper)));
  }
  return changes;
}

std::vector<std::string> fail_each_server(const Setting& setting,
                                          std::span<const SettledJob> jobs) {
  const Cluster& cluster = *setting.view.cluster;
  const IdMap<ServerId, bool> busy = busy_servers(setting, jobs);
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < cluster.server_count(); ++i) {
    const ServerId server{i};
    if (busy[server] && setting.view.health.servers[server] != ServerHealth::Down)
      changes.push_back("fail=" + cluster.server(server).name);
  }
  return changes;
}

std::vector<std::string> drain_each(const Setting& setting, std::span<const SettledJob> jobs,
                                    int level) {
  const Cluster& cluster = *setting.view.cluster;
  const IdMap<ServerId, bool> busy = busy_servers(setting, jobs);
  std::vector<std::string> changes;
  for (const DomainId id : cluster.domains_at(level)) {
    const Domain& domain = cluster.domain(id);
    bool is_busy = false;
    for (std::size_t i = 0; i < domain.server_count; ++i)
      is_busy |= busy[ServerId{domain.first_server + i}];
    if (is_busy) changes.push_back("drain=" + cluster.path(id));
  }
  return changes;
}

std::vector<std::string> fail_each_switch(const Setting& setting, std::size_t level) {
  const Cluster& cluster = *setting.view.cluster;
  std::vector<std::string> changes;
  for (const DomainId domain : cluster.domains_at(static_cast<int>(level))) {
    for (int plane = 0; plane < setting.fabric.planes; ++plane) {
      for (int index = 0; index < setting.fabric.tiers[level].switches; ++index) {
        const SwitchRef place{domain, plane, index};
        if (!std::ranges::binary_search(setting.view.health.failed_switches, place))
          changes.push_back("fail=" + switch_name(cluster, setting.fabric, place));
      }
    }
  }
  return changes;
}

}  // namespace

std::vector<std::string> each_of(const Setting& setting, std::span<const SettledJob> jobs,
                                 std::string_view kind, const std::string& where) {
  const Cluster& cluster = *setting.view.cluster;
  if (kind == "failure") return mend_each(setting);
  if (kind == "server") return fail_each_server(setting, jobs);
  if (kind == "job") {
    std::vector<std::string> changes;
    for (const SettledJob& job : jobs) changes.push_back("end=" + job.running.name);
    return changes;
  }
  const auto level = cluster.find_level(kind);
  if (level && *level > 0) return drain_each(setting, jobs, *level);
  std::string known = "failure, server, job";
  for (std::size_t i = 0; i < setting.fabric.tiers.size(); ++i) {
    const std::string& name = setting.fabric.tiers[i].switch_name;
    if (name == kind) return fail_each_switch(setting, i);
    if (i > 0) known += ", " + cluster.levels()[i];
    known += ", " + name;
  }
  throw InputError(where, fmt::format("this cluster has no \"{}\"", excerpt(kind)),
                   "one of " + known);
}

}  // namespace zonecut
