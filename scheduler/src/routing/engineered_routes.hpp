#pragma once
// Central traffic engineering: a controller that knows every flow and routes one after the other.
#include "routing/router.hpp"

namespace zonecut {

/// Between leaves of one domain with the same cables, by an edge colouring: the flows of a leaf are
/// spread evenly over its cables, at both ends. All others by falling size, each on the shortest
/// up-down path whose busiest cable ends up least busy, then whose cables together are. O(flows ·
/// links between two leaves).
[[nodiscard]] RoutedLoads engineered_routes(const Cluster& cluster, const Cables& cables,
                                            std::span<const NicFlow> flows, Paths paths);

}  // namespace zonecut
