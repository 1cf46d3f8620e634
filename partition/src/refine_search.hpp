#pragma once
// Iterated local search: two neighbouring parts exchange balls of vertices, pair refinement runs
// around them, and the result stays if it is no worse. Leaves the local optima that single moves
// cannot.
#include "working_partition.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// Never makes the cut worse. Stops when the budget is spent or the cut is `enough`.
void search_by_balls(WorkingPartition& partition, Random& random, WorkBudget& budget,
                     std::int64_t enough);

}  // namespace zonecut
