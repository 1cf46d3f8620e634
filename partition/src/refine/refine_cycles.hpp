#pragma once
// Moves that no pair of parts can make alone: three vertices change places around a cycle of three
// parts (the shortest of the negative cycles of KaBaPE, Sanders & Schulz, arXiv 1210.0477).
#include <cstdint>
#include <vector>

#include "refine/working_partition.hpp"

namespace zonecut {

/// Turns the best cycle as long as one pays. Never makes the cut worse. O(edges), and for every
/// turn O(edges of the parts around it + parts³); does nothing for more than 64 parts. The parts
/// that it changed, in ascending order; none where the cut did not fall.
std::vector<std::uint32_t> refine_cycles(WorkingPartition& partition, WorkBudget& budget);

/// Pair passes, then cycles, and again while cycles help. Never makes the cut worse.
void refine_by_turns(WorkingPartition& partition, WorkBudget& budget);

}  // namespace zonecut
