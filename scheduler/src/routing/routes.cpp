#include "zonecut/scheduler/routes.hpp"

#include <fmt/format.h>

#include "routing/router.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

Route route_of(const Cables& cables, const NicFlow& flow, const RoutedPart& part,
               std::span<const std::uint32_t> path) {
  const auto nics = static_cast<std::uint32_t>(cables.fabric().spec().nics_per_server);
  Route route{ServerId{flow.from / nics},
              ServerId{flow.to / nics},
              static_cast<int>(flow.from % nics),
              static_cast<int>(flow.to % nics),
              part.bytes,
              {}};
  route.hops.reserve(path.size());
  for (const std::uint32_t index : path) {
    const std::size_t cable = index / 2;
    const LinkId link = cables.link_of(cable);
    route.hops.push_back(
        {link, static_cast<int>(cable - cables.first_cable(link)), index % 2 == 0});
  }
  return route;
}

}  // namespace

std::vector<PhaseRoutes> routes_of(const Fabric& fabric, const Traffic& traffic,
                                   std::span<const ServerId> servers, const Routing& routing) {
  ZONECUT_ENSURES(servers.size() == traffic.vertices());
  std::vector<PhaseRoutes> phases;
  const bool hashed =
      routing.scheme == RoutingScheme::Ecmp || routing.scheme == RoutingScheme::EnhancedEcmp;
  if (routing.scheme == RoutingScheme::Ideal || (hashed && !routing.hash_seed)) return phases;
  const Cables cables(fabric);
  for (const Phase& phase : traffic.phases) {
    const auto flows = nic_flows(fabric, traffic, phase, servers);
    const RoutedLoads loads =
        route(cables, flows, routing, routing.hash_seed.value_or(0), Paths::Keep);
    if (loads.parted > 0) {
      throw InputError("routing", fmt::format("no working path joins the ends of {} of phase {}",
                                              counted(loads.parted, "flow"), phase.name));
    }
    PhaseRoutes found{phase.name, loads.rule_count(), {}};
    for (const RoutedPart& part : loads.parts)
      found.routes.push_back(route_of(cables, flows[part.flow], part, loads.path(part)));
    phases.push_back(std::move(found));
  }
  return phases;
}

}  // namespace zonecut
