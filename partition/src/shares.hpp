#pragma once
// The room of zones, and how many vertices each part gets when parts have more room than there are
// vertices.
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "bound/bound.hpp"
#include "partition_problem.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Slots of every zone, no more than there are vertices.
[[nodiscard]] std::vector<std::uint32_t> room_of_zones(const SlotTree& tree, std::size_t vertices);

/// The shares that fill the fewest parts: the largest ones, and at last the smallest that holds the
/// rest.
[[nodiscard]] Shares fewest_parts(std::span<const std::uint32_t> capacity, std::size_t vertices);
/// In proportion to the capacities, rounded so that they add up to `vertices`.
[[nodiscard]] Shares proportional_shares(std::span<const std::uint32_t> capacity,
                                         std::size_t vertices);
/// The shares worth trying, each once: those at which the bound is attained, those of a plainer
/// bound, whole rows or columns or, where there are none, the proportional ones, and the fewest
/// parts.
[[nodiscard]] std::vector<Shares> share_choices(
    const PartitionProblem& problem, const std::optional<PartitionBound>& bound,
    const std::optional<Shares>& plainer = std::nullopt);

/// One part filled after the other. O(edges).
[[nodiscard]] Partition filled_in_order(const PartitionProblem& problem, const Shares& shares);

/// Whether every choice fills at least two parts, and at most `most`.
[[nodiscard]] bool have_few_parts(std::span<const Shares> choices, std::size_t most);

}  // namespace zonecut
