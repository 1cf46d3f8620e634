#pragma once
// How many vertices each part gets when the parts have more room than there are vertices.
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

/// Fewest parts: the largest are filled first, and the last one needed is the smallest that does.
[[nodiscard]] Shares fewest_parts(std::span<const std::uint32_t> capacity, std::size_t vertices);
/// By room, rounded so that they sum up.
[[nodiscard]] Shares proportional_shares(std::span<const std::uint32_t> capacity,
                                         std::size_t vertices);

}  // namespace zonecut
