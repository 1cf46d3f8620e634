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

/// Fewest parts: the largest are filled first, and the last one needed is the smallest that does.
[[nodiscard]] Shares fewest_parts(std::span<const std::uint32_t> capacity, std::size_t vertices);
/// By room, rounded so that they sum up.
[[nodiscard]] Shares proportional_shares(std::span<const std::uint32_t> capacity,
                                         std::size_t vertices);
/// Those worth trying: the shares at which the bound stands, and those of a plainer one, the fewest
/// zones, and the same share of every zone. No two alike.
[[nodiscard]] std::vector<Shares> share_choices(
    const PartitionProblem& problem, const std::optional<PartitionBound>& bound,
    const std::optional<Shares>& plainer = std::nullopt);

/// Whether more than one part is filled, and no more than so many, in all choices.
[[nodiscard]] bool have_few_parts(std::span<const Shares> choices, std::size_t most);

}  // namespace zonecut
