#pragma once
// What a job's share of a server is called: a vertex takes a whole server as a rule, else a place
// on one that has several.
#include <string_view>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// "server", or "place" where some server has room for several vertices when it is free.
/// O(servers).
[[nodiscard]] inline std::string_view place_noun(const PlacementProblem& problem) {
  const Cluster& cluster = *problem.view.cluster;
  for (const ServerId server : cluster.server_ids()) {
    const auto gpus = static_cast<std::size_t>(cluster.server(server).gpus);
    if (gpus >= 2 * problem.traffic.ranks_per_server) return "place";
  }
  return "server";
}

}  // namespace zonecut
