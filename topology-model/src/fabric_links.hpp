#pragma once
// The links of a fabric, undamaged. They are made domain by domain in depth-first order, the
// uplinks of a domain's switches before the links of its servers: so among the links of a switch
// those that lead up come first.
#include <vector>

#include "fabric_switches.hpp"

namespace zonecut {

/// O(links). The specification must have passed check_fabric_spec().
[[nodiscard]] std::vector<Link> make_links(const Cluster& cluster, const FabricSpec& spec,
                                           const SwitchNumbering& switches);

/// Bandwidth of all NICs of the servers in a domain, per direction.
[[nodiscard]] BytesPerSecond nic_bandwidth_below(const Cluster& cluster, const FabricSpec& spec,
                                                 DomainId domain);

}  // namespace zonecut
