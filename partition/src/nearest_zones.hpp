#pragma once
// Above the zones: partitions that cut as little may differ in what they send between buildings.
#include "find_partition.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Of `found` and what up to `tries` more searches of half the effort find that cut as little,
/// beginning at the same sizes, the one with the least J between zones, its zones exchanged for
/// that. Ends with the first search that cuts more. Nothing is tried without tiers above, or of
/// more than 64 zones.
[[nodiscard]] Partition nearest_zones(const PartitionProblem& problem, const SlotTree& tree,
                                      const PartitionEffort& effort, std::size_t tries,
                                      SearchTerms terms, Partition found);

}  // namespace zonecut
