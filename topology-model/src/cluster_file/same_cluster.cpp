#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "zonecut/topology/cluster_file.hpp"

namespace zonecut {
namespace {

std::vector<std::string> sorted_paths(const Cluster& cluster) {
  std::vector<std::string> paths;
  paths.reserve(cluster.domain_count());
  for (std::size_t i = 1; i < cluster.domain_count(); ++i)
    paths.push_back(cluster.path(DomainId{i}));
  std::sort(paths.begin(), paths.end());
  return paths;
}

/// Name, rack, GPUs and the first server (by name) of its scale-up domain, or nothing.
using ServerFacts = std::tuple<std::string, std::string, int, std::string>;

std::vector<ServerFacts> sorted_servers(const Cluster& cluster) {
  std::map<std::uint32_t, std::string> first_of_group;
  for (const ServerId id : cluster.server_ids()) {
    const Server& server = cluster.server(id);
    if (!server.scale_up) continue;
    std::string& first = first_of_group.try_emplace(*server.scale_up, server.name).first->second;
    first = std::min(first, server.name);
  }
  std::vector<ServerFacts> servers;
  servers.reserve(cluster.server_count());
  for (const ServerId id : cluster.server_ids()) {
    const Server& server = cluster.server(id);
    servers.emplace_back(server.name, cluster.path(server.rack), server.gpus,
                         server.scale_up ? first_of_group.at(*server.scale_up) : "");
  }
  std::sort(servers.begin(), servers.end());
  return servers;
}

/// The topmost switches have no uplinks, so what is said of them does not count.
FabricSpec without_top_uplinks(FabricSpec spec) {
  if (spec.tiers.empty()) return spec;
  const TierSpec nothing;
  spec.tiers[0].uplinks = nothing.uplinks;
  spec.tiers[0].uplink_bandwidth = nothing.uplink_bandwidth;
  spec.tiers[0].oversubscription = nothing.oversubscription;
  return spec;
}

bool same_fabric(const FabricSpec& a, const FabricSpec& b) {
  return without_top_uplinks(a) == without_top_uplinks(b);
}

}  // namespace

bool same_cluster(const Cluster& a, const Cluster& b) {
  if (a.name() != b.name() || !std::ranges::equal(a.levels(), b.levels()) ||
      a.zone_level() != b.zone_level() || a.server_count() != b.server_count() ||
      a.domain_count() != b.domain_count() || !same_fabric(a.backend(), b.backend()) ||
      a.frontend().has_value() != b.frontend().has_value() ||
      (a.frontend() && !same_fabric(*a.frontend(), *b.frontend()))) {
    return false;
  }
  return sorted_paths(a) == sorted_paths(b) && sorted_servers(a) == sorted_servers(b);
}

}  // namespace zonecut
