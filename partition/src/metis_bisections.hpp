#pragma once
// Recursive bisection with METIS asked for two parts at a time. Asked for many of which one is
// small, it can come to a step with no vertices left to divide, and says so on stdout.
#include "metis_partition.hpp"

namespace zonecut {

/// Whether METIS should not be asked for all these parts at once.
[[nodiscard]] bool has_small_part(const Shares& shares);

/// A part for every vertex, of exactly the size of its share. O(edges · log parts), and METIS.
[[nodiscard]] std::vector<std::uint32_t> metis_bisections(const CommunicationGraph& graph,
                                                          const Shares& shares, int seed);

}  // namespace zonecut
