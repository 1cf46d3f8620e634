#include "routing/link_times.hpp"

namespace zonecut {

BytesPerSecond capacity_of(const Fabric& fabric, const Bundle& bundle) {
  if (const auto* server = std::get_if<ServerId>(&bundle.below))
    return fabric.injection_capacity(*server);
  return fabric.uplink_capacity(std::get<DomainId>(bundle.below));
}

std::unique_ptr<LinkTimes> link_times(const Cluster& cluster, const Fabric& fabric,
                                      const Traffic& traffic, std::span<const ServerId> servers,
                                      const Routing& routing, const Background& background) {
  const bool hashed =
      routing.scheme == RoutingScheme::Ecmp || routing.scheme == RoutingScheme::EnhancedEcmp;
  if (routing.scheme == RoutingScheme::Ideal) return ideal_times(fabric, background);
  if (hashed && !routing.hash_seed) return hashed_times(cluster, fabric, routing, background);
  return routed_times(cluster, fabric, traffic, servers, routing, background);
}

}  // namespace zonecut
