#include "asked.hpp"

#include <algorithm>
#include <utility>

#include "spread.hpp"

namespace zonecut {

MappingOptions lighter(MappingOptions options) {
  if (options.effort == Effort::Balanced) options.effort = Effort::Fast;
  return options;
}

std::vector<Room> rooms_at(const Asked& asked, const Reach& reach, int level) {
  const PlacementProblem& problem = asked.problem;
  std::vector<Room> rooms;
  for (const Kept kept : {Kept::Roomiest, Kept::Together}) {
    Room room = room_reaching(problem.room, reach, level);
    cap_spread(*problem.view.cluster, asked.constraints, problem.traffic.ranks_per_server,
               problem.graph.vertices(), level, kept, room);
    if (rooms.empty() || rooms.front() != room) rooms.push_back(std::move(room));
  }
  return rooms;
}

int common_level_of(const Cluster& cluster, std::span<const ServerId> servers) {
  int level = cluster.rack_level();
  for (const ServerId server : servers)
    level = std::min(level, cluster.common_level(servers.front(), server));
  return level;
}

bool keeps_slices(const Asked& asked, std::span<const ServerId> servers) {
  const Cluster& cluster = *asked.problem.view.cluster;
  for (const VertexSlice& slice : asked.slices) {
    for (std::size_t v = 0; v < servers.size(); v += slice.vertices) {
      if (common_level_of(cluster, servers.subspan(v, slice.vertices)) < slice.level) return false;
    }
  }
  return true;
}

}  // namespace zonecut
