#pragma once
// A setting as placements see it.
#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {

/// Servers that are to be worked on look like all drained ones: they take nothing new.
[[nodiscard]] inline ClusterView view_of(const Setting& setting) {
  ClusterView view = setting.view;
  for (const ServerId server : setting.emptied) {
    ServerHealth& health = view.health.servers[server];
    if (health == ServerHealth::Up) health = ServerHealth::Drained;
  }
  return view;
}

}  // namespace zonecut
