#pragma once
// Vertices that look alike, by 1-dimensional Weisfeiler and Leman.
#include <cstdint>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// By vertex, refined by the weights and colours of neighbours until there are no more of them.
/// Isomorphic graphs get the same. Two vertices that differ may look alike by chance. O(edges +
/// vertices · log vertices) a round, 64 rounds at most.
[[nodiscard]] std::vector<std::uint64_t> refined_colours(const CommunicationGraph& graph,
                                                         std::vector<std::uint64_t> colour);
/// From one colour for all.
[[nodiscard]] std::vector<std::uint64_t> refined_colours(const CommunicationGraph& graph);

}  // namespace zonecut
