#pragma once
// Coordinates that leave places out.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// The same, but an axis with places beyond the number of vertices has those that occur numbered in
/// their order, so that all are below it. O(vertices · log vertices).
[[nodiscard]] std::vector<Coordinates> near_places(std::span<const Coordinates> coordinates);

}  // namespace zonecut
