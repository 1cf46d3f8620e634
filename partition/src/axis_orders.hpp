#pragma once
// The orders in which coordinates can be swept: an outer axis, within it a middle one, within that
// the innermost, each axis upwards or the inner ones downwards. Every sweep gives each vertex one
// rank, so that "the first s vertices" is a set with a border as short as the sweep allows.
#include <cstdint>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

/// rank[v] is unique per sweep. Without coordinates the vertices' own order is the only sweep.
using Sweep = std::vector<std::uint32_t>;

/// All sweeps that differ; at most 12. O(n log n) each.
[[nodiscard]] std::vector<Sweep> sweeps(std::size_t vertices,
                                        std::span<const Coordinates> coordinates);

}  // namespace zonecut
