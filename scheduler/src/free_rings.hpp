#pragma once
// Jobs whose rings may have any order: the order that suits a placement, and a bound that holds for
// every order.
#include <optional>
#include <span>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// The traffic with its free rings in the order that suits these servers, by vertex; none where it
/// has no free ring. O(members log members).
[[nodiscard]] std::optional<Traffic> arranged_on(const Traffic& traffic,
                                                 std::span<const ServerId> servers);

/// The rings whose order was chosen, as they stand in this traffic.
[[nodiscard]] std::vector<ChosenRing> chosen_rings(const Traffic& traffic);

/// A bound of the cut that holds whatever the order of free rings. Rings that share no server could
/// change places with their fixed selves: in any order a ring over k > 1 zones cuts k edges, as it
/// does with each zone's members next to each other. So the rings of one phase are bounded by
/// themselves, then the rest of the traffic, and the sum bounds the whole. None where nothing is
/// known.
[[nodiscard]] std::optional<CutBound> free_ring_bound(const Traffic& traffic, const SlotTree& tree,
                                                      std::span<const Coordinates> coordinates,
                                                      Effort effort);

}  // namespace zonecut
