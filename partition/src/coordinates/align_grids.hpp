#pragma once
// Two grids whose coordinates were found one by one, turned towards each other by the edges between
// them.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Axis 1 of `grid` comes to run along axis 1 of `first` (in shares of their lengths), rings turned
/// and flipped as needed. Where the first may be turned too, its axis 2 begins where the edges
/// between the two end. Changes `coordinates`. O(edges between them + places along axis 1 that they
/// join · length of axis 1), of very many places some.
void align_grids(const CommunicationGraph& graph, std::span<const std::uint32_t> first,
                 std::span<const std::uint32_t> grid, bool may_turn_first,
                 std::vector<Coordinates>& coordinates);

}  // namespace zonecut
