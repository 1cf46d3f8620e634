#pragma once
// The bound by pieces and patterns (bound_pieces.hpp) of a grid seen as rows in one way: which
// shares of what paths lack and of groups' prices make the most of it, and at last prices for each
// zone.
#include <cstdint>
#include <span>

#include "bound/bound_grid.hpp"
#include "bound/grid_views.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// For rows like those of `view`, one of `views`. `sizes` add up to all vertices. Ends at `enough`
/// or with the budget; a budget that does not allow a single step gives a bound of 0. Where sizes
/// are open, the shares are those at which it stands, or none. Where it stays far below what is
/// `known` it is not looked at case by case (branch_and_bound.hpp).
[[nodiscard]] GridBound bound_rows(const GridViews& views, const GridView& view,
                                   std::span<const std::uint32_t> sizes, WorkBudget& budget,
                                   std::int64_t enough, std::int64_t known);

}  // namespace zonecut
