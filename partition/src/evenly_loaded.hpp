#pragma once
// Shares for vertices of which every two exchange as much.
#include <cstdint>
#include <span>

#include "partition_problem.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// The shares at which the largest load is least where every two of the vertices exchange as much:
/// a share s of n has a load of s·(n - s) over its uplink. Of those, the fewest parts as a rule.
/// O((parts + vertices + slots) · log parts).
[[nodiscard]] Shares evenly_loaded(std::span<const std::uint32_t> capacity,
                                   std::span<const std::int64_t> uplinks, std::size_t vertices);

}  // namespace zonecut
