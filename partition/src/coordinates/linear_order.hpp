#pragma once
// The vertices of a small graph in a row, so that neighbours stand close: rings, paths, cliques and
// chains of them by joining heaviest edges first, anything else by repeated bisection.
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// [i]: the vertex at place i. O(edges log edges), or a METIS call per few vertices.
[[nodiscard]] std::vector<std::uint32_t> linear_order(const CommunicationGraph& graph);

}  // namespace zonecut
