#pragma once
// Traffic engineering between a failure and the controller's next run.
#include "routing/router.hpp"

namespace zonecut {

/// The rules of a controller that takes the fabric to be whole. Flows that these lead over what has
/// failed lose their rules, and are hashed over what works as by EnhancedEcmp with the queue pairs
/// of `routing`; the others stay where they are. `rules` are those that are left. The time and
/// memory of engineered_routes() twice.
[[nodiscard]] RoutedLoads stale_routes(const Cables& cables, std::span<const NicFlow> flows,
                                       const Routing& routing, std::uint64_t seed, Paths paths);

}  // namespace zonecut
