#pragma once
// Below the zones: the vertices of each domain are divided among its children, level by level, down
// to the leaves. Each step is a partition problem of its own.
#include <cstdint>
#include <span>
#include <vector>

#include "find_partition.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// The leaf of each vertex. `zone`: of each vertex, a domain of tree.cut_level; capacities hold.
[[nodiscard]] std::vector<std::uint32_t> place_below_zones(
    const CommunicationGraph& graph, const SlotTree& tree, std::span<const Coordinates> coordinates,
    std::span<const std::uint32_t> zone, const PartitionEffort& effort, const SearchTerms& terms);

}  // namespace zonecut
