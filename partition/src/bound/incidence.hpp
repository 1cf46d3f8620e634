#pragma once
// Zones and rows as a bipartite graph, an edge wherever a zone holds part of a row. In each of its
// components the sizes of the zones add up to whole rows, so it has few components and many edges.
#include <cstdint>
#include <span>

#include "bound/multipliers.hpp"

namespace zonecut {

/// Zones of size 0 do not count.
[[nodiscard]] Incidence incidence_of(std::span<const std::uint32_t> sizes, std::size_t length,
                                     std::size_t rows);

}  // namespace zonecut
