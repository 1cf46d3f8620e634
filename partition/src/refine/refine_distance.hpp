#pragma once
// The last word on J: single vertices move to a free slot beside a neighbour, or change places with
// somebody who has one. Lexicographic: the cut between zones never rises, and J falls with every
// step that leaves it.
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Changes `leaf` (by vertex) in place.
void refine_distance(const CommunicationGraph& graph, const SlotTree& tree,
                     std::vector<std::uint32_t>& leaf, WorkBudget& budget);

}  // namespace zonecut
