#pragma once
// Two grids, such as an encoder and its decoder, whose coordinates were found separately: turns
// them so that the edges between them join like places.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Rotates and mirrors axis 1 of `grid` so that it runs along axis 1 of `first`, as shares of their
/// lengths. If `may_turn_first`, also rotates axis 2 of `first` to begin where the edges from
/// `grid` arrive. Both are lists of vertices; changes `coordinates`. O(edges between them + places
/// of axis 1 that they join · length of axis 1); of very many places only some are looked at.
void align_grids(const CommunicationGraph& graph, std::span<const std::uint32_t> first,
                 std::span<const std::uint32_t> grid, bool may_turn_first,
                 std::vector<Coordinates>& coordinates);

}  // namespace zonecut
