#include "routing/link_times.hpp"

#include <fmt/format.h>

#include <cmath>

#include "bundle_index.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

BytesPerSecond capacity_of(const Fabric& fabric, const Bundle& bundle) {
  if (const auto* server = std::get_if<ServerId>(&bundle.below))
    return fabric.injection_capacity(*server);
  return fabric.uplink_capacity(std::get<DomainId>(bundle.below));
}

std::size_t bundle_of(const Cables& cables, std::size_t load_index) {
  const Fabric& fabric = cables.fabric();
  const Link& link = fabric.links()[cables.link_of(load_index / 2).index()];
  const bool outward = load_index % 2 == 0;
  const BundleIndex bundles(fabric.cluster());
  if (const auto* server = std::get_if<ServerId>(&link.lower)) return bundles.of(*server, outward);
  const SwitchId lower = std::get<SwitchId>(link.lower);
  return bundles.of(fabric.switches()[lower.index()].place.domain, outward);
}

void LedLoads::clear() {
  std::ranges::fill(bytes_, 0.0);
  std::ranges::fill(squares_, 0.0);
}

double LedLoads::detour(std::size_t bundle, const SparseSums& loads) const {
  constexpr double kRounding = 1e-9;  // of sums of parts of flows
  const double more = bytes_[bundle] - static_cast<double>(loads[bundle]);
  return more > kRounding * bytes_[bundle] ? more : 0;
}

void LedLoads::add_detours(SparseSums& loads) const {
  for (std::size_t bundle = 0; bundle < bytes_.size(); ++bundle) {
    const double more = detour(bundle, loads);
    if (more > 0) loads.add(bundle, std::llround(more));
  }
}

double LedLoads::flows(std::size_t bundle, const TrafficSums& sums) const {
  return detour(bundle, sums.phase_loads()) > 0 ? bytes_[bundle] * bytes_[bundle] / squares_[bundle]
                                                : sums.phase_flows(bundle);
}

void refuse_parted(const Phase& phase, std::size_t parted) {
  if (parted == 0) return;
  throw PartedFlows("routing",
                    fmt::format("no working path joins the ends of {} of phase {}",
                                counted(parted, "flow"), phase.name),
                    "repair the links, or leave out servers that have lost some");
}

std::unique_ptr<LinkTimes> link_times(const PlacedTraffic& placed) {
  const Routing& routing = placed.routing;
  if (routing.scheme == RoutingScheme::Ideal) return ideal_times(placed);
  if (routing.scheme == RoutingScheme::Engineered || routing.hash_seed) return routed_times(placed);
  return expected_times(placed);
}

}  // namespace zonecut
