#pragma once
// The bound of spectral_relaxation.hpp, for traffic of which nothing else is known.
#include <cstdint>

#include "partition_problem.hpp"

namespace zonecut {

/// Spends the budget; ends at `enough`. 0 where the budget does not do for one solution, with that
/// of balanced beyond some 660 vertices, or where there are more than 2,000. O(vertices²) memory.
[[nodiscard]] std::int64_t spectral_bound(const PartitionProblem& problem, WorkBudget& budget,
                                          std::int64_t enough);

}  // namespace zonecut
