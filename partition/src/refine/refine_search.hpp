#pragma once
// Iterated local search: two neighbouring parts exchange balls of vertices, pair refinement runs
// around them, and the result stays if it is no worse. Leaves the local optima that single moves
// cannot.
#include "refine/working_partition.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// Never makes the cut worse. Stops when the budget is spent or the cut is `enough`.
void search_by_balls(WorkingPartition& partition, Random& random, WorkBudget& budget,
                     std::int64_t enough);

/// The same for the largest load of a part, then the cut; half of the balls begin at the busiest
/// part. `uplinks` by part. Never makes the largest load worse.
void search_by_balls_for_load(WorkingPartition& partition, std::span<const std::int64_t> uplinks,
                              Random& random, WorkBudget& budget, const ZoneLoad& enough);

/// O(parts).
[[nodiscard]] ZoneLoad largest_load(const WorkingPartition& partition,
                                    std::span<const std::int64_t> uplinks);

}  // namespace zonecut
