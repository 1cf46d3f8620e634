#pragma once
// What the zones of a cluster are called there: the name of their level.
#include <string>

#include "zonecut/topology/cluster.hpp"

namespace zonecut {

[[nodiscard]] inline const std::string& zone_word(const Cluster& cluster) {
  return cluster.levels()[static_cast<std::size_t>(cluster.zone_level())];
}

}  // namespace zonecut
