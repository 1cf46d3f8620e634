#pragma once
// Vertices into racks of one or two places: who shares a rack is a matching.
#include "partition_problem.hpp"

namespace zonecut {

[[nodiscard]] bool all_small(std::span<const std::uint32_t> capacity);

/// The part of each vertex. The heaviest matching fills the parts of two; vertices without a
/// partner take single places, then whatever is left. Requires all_small().
[[nodiscard]] std::vector<std::uint32_t> fill_small_leaves(const PartitionProblem& problem);

}  // namespace zonecut
