#pragma once
// The way of every flow, switch by switch: what traffic engineering installs, and what pinning or
// one launch's hash functions come to.
#include <cstdint>
#include <string>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/routing.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// One cable on the way.
struct RouteHop {
  LinkId link;
  int cable = 0;   ///< which of the link's, from 0
  bool up = true;  ///< from the lower end to the upper one
};

struct Route {
  ServerId from;
  ServerId to;
  int from_nic = 0;
  int to_nic = 0;
  double bytes = 0;            ///< per iteration
  std::vector<RouteHop> hops;  ///< the first leaves the NIC, the last enters the other one
};

struct PhaseRoutes {
  std::string phase;
  /// Switch entries a controller must install: one for each switch a flow passes. 0 for the schemes
  /// that need none.
  std::int64_t rules = 0;
  std::vector<Route> routes;
};

/// Of every phase, under the scheme; `ideal` and hashing without a seed have none. Throws
/// InputError as predict() does.
[[nodiscard]] std::vector<PhaseRoutes> routes_of(const Fabric& fabric, const Traffic& traffic,
                                                 std::span<const ServerId> servers,
                                                 const Routing& routing);

/// JSON (zonecut.routes/v1); docs/schema/routes-v1.json.
[[nodiscard]] std::string write_routes_json(const Fabric& fabric, const Routing& routing,
                                            std::span<const PhaseRoutes> phases);

}  // namespace zonecut
