#pragma once
// A few neighbouring parts at a time are divided anew, as a problem of their own: what leads out of
// them is cut however they are divided. Finds what exchanges of single vertices cannot, such as
// three parts that lie side by side and had better lie one above the other.
#include <cstdint>
#include <functional>

#include "partition_problem.hpp"
#include "refine/working_partition.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// Divides a problem into parts of these sizes, well or not. The number is a seed.
using DivideParts = std::function<Partition(const PartitionProblem&, const Shares&, std::uint64_t)>;

/// Never makes the cut worse. `steps`: what one division takes, which is spent each time, and the
/// size of the parts besides. Ends when the budget is spent or the cut is `enough`.
void divide_anew(WorkingPartition& partition, Random& random, std::int64_t steps,
                 WorkBudget& budget, std::int64_t enough, const DivideParts& divide);

}  // namespace zonecut
