#pragma once
// The bound of set_relaxation.hpp, for traffic of any kind whose vertices can be put in an order in
// which few lie open at a time: jobs of few or narrow groups.
#include <cstdint>
#include <optional>

#include "bound/bound_separable.hpp"
#include "grid/weight_unit.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// In quarters of these units; ends at `enough`, and early where it stays far below a bound that is
/// `known`. Where parts have more room than there are vertices, with shares at which it stands, or
/// none. None where there are more than a thousand vertices, or too many of them lie open for ten
/// solutions.
[[nodiscard]] std::optional<SharedBound> sets_bound(const PartitionProblem& problem,
                                                    WeightUnit unit, WorkBudget& budget,
                                                    std::int64_t known, std::int64_t enough);

}  // namespace zonecut
