#pragma once
// The bound of one grid where more slots are free than it needs: it holds for every choice of
// shares.
#include <cstdint>
#include <span>

#include "bound/bound_grid.hpp"

namespace zonecut {

/// As bound_grid; the shares are those at which the separable bound stands.
[[nodiscard]] GridBound bound_open_grid(const GridTraffic& grid,
                                        std::span<const std::uint32_t> capacity, std::int64_t steps,
                                        std::int64_t enough);

}  // namespace zonecut
