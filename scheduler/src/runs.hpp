#pragma once
// Consecutive vertices that stay together, as slices and gangs want it, seen as one vertex.
#include <cstdint>
#include <span>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// The graph between consecutive runs of `size` of these vertices, the last one as long as is left;
/// size 1: the graph they induce.
[[nodiscard]] CommunicationGraph between_runs(const CommunicationGraph& graph,
                                              std::span<const std::uint32_t> vertices,
                                              std::size_t size);

}  // namespace zonecut
