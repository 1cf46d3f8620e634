#include "positions.hpp"

#include <unordered_map>

namespace zonecut {

std::vector<Position> positions_of(const Cluster& cluster, std::span<const ServerId> servers) {
  std::unordered_map<std::uint32_t, std::uint32_t> first_server;  // of a scale-up domain
  std::vector<Position> positions;
  positions.reserve(servers.size());
  for (const ServerId id : servers) {
    const Server& server = cluster.server(id);
    const auto index = static_cast<std::uint32_t>(id.index());
    const std::uint32_t island =
        server.scale_up ? first_server.try_emplace(*server.scale_up, index).first->second : index;
    const DomainId zone = cluster.ancestor(server.rack, cluster.zone_level());
    positions.push_back({index, static_cast<std::uint32_t>(server.rack.index()),
                         static_cast<std::uint32_t>(cluster.position_in_level(zone)), island});
  }
  return positions;
}

DomainLevels::DomainLevels(const Cluster& cluster) {
  parent.reserve(cluster.domain_count());
  level.reserve(cluster.domain_count());
  for (const DomainId id : cluster.domain_ids()) {
    const Domain& domain = cluster.domain(id);
    parent.push_back(static_cast<std::uint32_t>(domain.parent.value_or(Cluster::root()).index()));
    level.push_back(static_cast<std::uint8_t>(domain.level));
  }
}

}  // namespace zonecut
