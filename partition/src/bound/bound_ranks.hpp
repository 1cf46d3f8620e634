#pragma once
// The bound of rank_relaxation.hpp: rows of which few ranks lie open at a time, as those of trees.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/bound_separable.hpp"
#include "bound/filling.hpp"
#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// Ranks; sets of longer rows take so much work that there is time for few solutions.
inline constexpr std::size_t kLongRow = 512;

struct RanksBound : SharedBound {
  std::vector<std::int64_t> inside;  ///< RankRelaxation::priced_inside, at good prices
};

/// In quarters; ends at `enough`. Where sizes are open, with shares at which it stands, or none.
/// `inside`: the least cut of x vertices of a line, in quarters. Prices are first sought with
/// several vertices taken as one. None where the grid has no lines along axis 1 and one axis of
/// rows besides, where too many vertices of a line are open, where tables would take more than some
/// 130 MB, or one step is more than the budget.
[[nodiscard]] std::optional<RanksBound> ranks_bound(const GridTraffic& grid,
                                                    std::span<const std::int64_t> inside,
                                                    std::span<const std::uint32_t> sizes,
                                                    Filling filling, WorkBudget& budget,
                                                    std::int64_t enough);

}  // namespace zonecut
