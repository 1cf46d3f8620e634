#pragma once
// Central traffic engineering: a controller that knows every flow and routes one after the other.
#include "routing/router.hpp"

namespace zonecut {

/// Flows by falling size, each on the shortest up-down path whose busiest cable ends up least busy,
/// then whose cables together are. O(flows · links between two leaves).
[[nodiscard]] RoutedLoads engineered_routes(const Cluster& cluster, const Cables& cables,
                                            std::span<const NicFlow> flows);

}  // namespace zonecut
