#pragma once
// Coordinates found again in the graph alone, where a job gives none: traffic of parallel jobs is a
// Cartesian product of rings, paths, trees and cliques, and edges of one kind weigh the same.
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// By vertex; empty where the graph is no such product, but for a few edges that are missing or
/// there besides. A class of edges that joins unlike products (an encoder to a decoder) is looked
/// through. O(edges · weights that occur), up to 24 of these; where edges of two kinds weigh the
/// same, O(edges · degree²) as far as that is not long.
[[nodiscard]] std::vector<Coordinates> recover_coordinates(const CommunicationGraph& traffic);

}  // namespace zonecut
