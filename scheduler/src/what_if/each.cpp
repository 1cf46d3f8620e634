// All changes of one kind: every CTSW that may fail, every rack that may be emptied.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {
namespace {

/// A name as a change must say it.
std::string said(const std::string& name) {
  return name.find_first_of(",=[]>@:\" ") == std::string::npos ? name : '"' + name + '"';
}

/// By server whether one of the jobs runs there now: some have left those that the state names.
IdMap<ServerId, bool> busy_servers(const Cluster& cluster, const Outlook& now) {
  IdMap<ServerId, bool> busy(cluster.server_count(), false);
  for (const JobOutlook& job : now.jobs) {
    for (const ServerId server : job.servers) busy[server] = true;
  }
  return busy;
}

/// By server whether anybody holds GPUs there, or runs there now.
IdMap<ServerId, bool> held_servers(const Setting& setting, const Outlook& now) {
  const Cluster& cluster = *setting.view.cluster;
  IdMap<ServerId, bool> held = busy_servers(cluster, now);
  for (const ServerId server : cluster.server_ids()) {
    for (int gpu = 0; gpu < cluster.server(server).gpus; ++gpu)
      if (setting.view.occupancy.holder({server, gpu})) held[server] = true;
  }
  return held;
}

bool any_in(const Cluster& cluster, DomainId id, const IdMap<ServerId, bool>& servers) {
  for (const ServerId server : cluster.domain(id).servers()) {
    if (servers[server]) return true;
  }
  return false;
}

std::string end_name(const Setting& setting, const std::variant<ServerId, SwitchRef>& end) {
  const Cluster& cluster = *setting.view.cluster;
  const auto* server = std::get_if<ServerId>(&end);
  return said(server ? cluster.server(*server).name
                     : switch_name(cluster, setting.fabric, std::get<SwitchRef>(end)));
}

std::vector<std::string> mend_each(const Setting& setting) {
  const Cluster& cluster = *setting.view.cluster;
  const Health& health = setting.view.health;
  std::vector<std::string> changes;
  for (const ServerId server : cluster.server_ids()) {
    if (health.servers[server] != ServerHealth::Up)
      changes.push_back("mend=" + said(cluster.server(server).name));
  }
  for (const GpuId gpu : health.failed_gpus)
    changes.push_back(fmt::format("mend={}:{}", said(cluster.server(gpu.server).name), gpu.index));
  for (const SwitchRef& place : health.failed_switches)
    changes.push_back("mend=" + said(switch_name(cluster, setting.fabric, place)));
  for (const LinkFault& fault : health.link_faults) {
    changes.push_back(
        fmt::format("mend={}>{}", end_name(setting, fault.lower), end_name(setting, fault.upper)));
  }
  return changes;
}

std::vector<std::string> fail_each_server(const Setting& setting, const Outlook& now) {
  const Cluster& cluster = *setting.view.cluster;
  const IdMap<ServerId, bool> held = held_servers(setting, now);
  std::vector<std::string> changes;
  for (const ServerId server : cluster.server_ids()) {
    if (held[server] && setting.view.health.servers[server] != ServerHealth::Down)
      changes.push_back("fail=" + said(cluster.server(server).name));
  }
  return changes;
}

std::vector<std::string> drain_each(const Setting& setting, const Outlook& now, int level) {
  const Cluster& cluster = *setting.view.cluster;
  const IdMap<ServerId, bool> held = held_servers(setting, now);
  std::vector<std::string> changes;
  for (const DomainId id : cluster.domains_at(level)) {
    if (any_in(cluster, id, held)) changes.push_back("drain=" + said(cluster.path(id)));
  }
  return changes;
}

/// Nothing of a job passes through a domain that holds none of its ranks.
std::vector<std::string> fail_each_switch(const Setting& setting, const Outlook& now,
                                          std::string_view kind) {
  const Cluster& cluster = *setting.view.cluster;
  const IdMap<ServerId, bool> busy = busy_servers(cluster, now);
  std::vector<std::string> changes;
  for (std::size_t level = 0; level < setting.fabric.tiers.size(); ++level) {
    const TierSpec& tier = setting.fabric.tiers[level];
    if (tier.switch_name != kind) continue;
    for (const DomainId domain : cluster.domains_at(static_cast<int>(level))) {
      if (!any_in(cluster, domain, busy)) continue;
      for (int plane = 0; plane < setting.fabric.planes; ++plane) {
        for (int index = 0; index < tier.switches; ++index) {
          const SwitchRef place{domain, plane, index};
          if (!std::ranges::binary_search(setting.view.health.failed_switches, place))
            changes.push_back("fail=" + said(switch_name(cluster, setting.fabric, place)));
        }
      }
    }
  }
  return changes;
}

std::vector<std::string> end_each(const Setting& setting) {
  const Occupancy& occupancy = setting.view.occupancy;
  const IdMap<JobId, std::size_t> held = occupancy.held_counts();
  std::vector<std::string> changes;
  for (std::size_t i = 0; i < held.size(); ++i) {
    if (held[JobId{i}] > 0) changes.push_back("end=" + said(occupancy.job_name(JobId{i})));
  }
  return changes;
}

}  // namespace

std::vector<std::string> each_of(const Setting& setting, const Outlook& now, std::string_view kind,
                                 const std::string& where) {
  const Cluster& cluster = *setting.view.cluster;
  if (kind == "failure") return mend_each(setting);
  if (kind == "server") return fail_each_server(setting, now);
  if (kind == "job") return end_each(setting);
  const auto level = cluster.find_level(kind);
  if (level && *level > 0) return drain_each(setting, now, *level);
  std::set<std::string> known;
  for (std::size_t i = 0; i < setting.fabric.tiers.size(); ++i) {
    known.insert(setting.fabric.tiers[i].switch_name);
    if (i > 0) known.insert(cluster.levels()[i]);
  }
  if (known.contains(std::string(kind))) return fail_each_switch(setting, now, kind);
  throw InputError(where, fmt::format("this cluster has no \"{}\"", excerpt(kind)),
                   fmt::format("one of {}, server, failure, job", fmt::join(known, ", ")));
}

}  // namespace zonecut
