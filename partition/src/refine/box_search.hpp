#pragma once
// Iterated local search with boxes: two parts, or three, exchange boxes of neighbouring columns and
// rows, even where the cut rises; pair refinement runs around them, then exchanges follow that
// lower the cut. Where it has risen in the end, that is kept by chance, the less likely the more it
// rose and the less of the budget is left; the best partition comes back at last. Finds what single
// vertices and balls cannot: a block of columns that changes sides in some stages and not in others
// costs far more than it gains until the whole of it has, and as much has come back elsewhere.
#include "refine/working_partition.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// Never makes the cut worse. Stops when the budget is spent, when `patience` steps of it brought
/// nothing, or the cut is `enough`. Does nothing without coordinates that fill a grid, for more
/// than 64 parts, or where the budget does not allow for a first look.
void search_by_boxes(WorkingPartition& partition, Random& random, WorkBudget& budget,
                     std::int64_t patience, std::int64_t enough);

}  // namespace zonecut
