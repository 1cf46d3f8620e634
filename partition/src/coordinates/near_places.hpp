#pragma once
// Coordinates without gaps that are longer than the job.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// The coordinates, where the places of an axis are renumbered in their order, without gaps, if any
/// is not below the number of vertices. O(vertices · log vertices).
[[nodiscard]] std::vector<Coordinates> near_places(std::span<const Coordinates> coordinates);

}  // namespace zonecut
