#pragma once
// Vertices that look alike, by 1-dimensional Weisfeiler and Leman.
#include <cstdint>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// A number for this one that looks random; no two have the same.
[[nodiscard]] std::uint64_t mixed(std::uint64_t x);

/// Refined by the weights and colours of neighbours until there are no more of them. Isomorphic
/// graphs get the same. Two vertices that differ may look alike by chance. O(edges) a round, 64
/// rounds at most.
[[nodiscard]] std::vector<std::uint64_t> refined_colours(const CommunicationGraph& graph,
                                                         std::vector<std::uint64_t> colour);

}  // namespace zonecut
