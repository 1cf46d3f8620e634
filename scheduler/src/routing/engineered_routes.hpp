#pragma once
// Central traffic engineering: a controller that knows every flow.
#include "routing/router.hpp"

namespace zonecut {

/// Flows that are under way at a time share the links; steps of a pairwise all-to-all, which follow
/// each other, are routed step by step. Where other flows go on beside the steps, all are routed
/// together if that takes less long. A flow goes to the plane in which its NICs, then the links
/// above its leaves have the least to do. By edge colouring where the fabric is regular
/// (coloured_ways.hpp): flows of one size are then spread as evenly as they can be. All others by
/// falling size, each on the shortest up-down path whose busiest cable ends up least busy, then
/// whose cables together are. While a cable is busier than one must be (least_busy.hpp), it gives
/// flows away as long as these fit better elsewhere, and flows exchange ways (way_exchange.hpp).
/// O(flows · levels + steps · links) by colouring, O(flows · links between two leaves) by search.
[[nodiscard]] RoutedLoads engineered_routes(const Cables& cables, std::span<const NicFlow> flows,
                                            Paths paths);

}  // namespace zonecut
