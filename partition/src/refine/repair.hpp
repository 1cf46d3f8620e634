#pragma once
// Brings any partition to its exact limits: what stands too much in one part moves, cheapest first,
// to a part with room. Needed after solvers that balance only roughly.
#include "refine/working_partition.hpp"

namespace zonecut {

/// Afterwards no part exceeds its capacity. O(excess · log n + edges), deterministic.
void repair(WorkingPartition& partition);

}  // namespace zonecut
