#pragma once
// A cut is a sum of edge weights. Where a graph has few different ones, most numbers are none, and
// a bound may go up to the next that is.
#include <cstdint>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// The least number from `bound` on that is a sum of edge weights, each taken as often as one
/// likes. Beyond 2·10⁵ steps of the search: the next multiple of the weights' common divisor.
/// O(edges).
[[nodiscard]] std::int64_t next_possible_cut(const CommunicationGraph& graph, std::int64_t bound);

}  // namespace zonecut
