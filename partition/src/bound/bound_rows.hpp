#pragma once
// The bound by pieces and patterns (bound_pieces.hpp) of a grid seen as rows in one way: which
// shares of what paths lack and of groups' prices make the most of it, and at last prices for each
// zone.
#include <cstdint>
#include <memory>
#include <span>

#include "bound/bound_grid.hpp"
#include "bound/grid_views.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// Rows like those of `view`, one of `views`, in three steps, so that there is most work for the
/// view of which most is known after the one before. Where it stays far below what is `known` it is
/// not looked at case by case (branch_and_bound.hpp). Where sizes are open, the shares are those at
/// which it stands, or none. Borrows views and sizes; not thread-safe.
class RowBound {
 public:
  /// `sizes` add up to all vertices. The search ends at `enough`.
  RowBound(const GridViews& views, GridView view, std::span<const std::uint32_t> sizes,
           std::int64_t enough);
  RowBound(RowBound&&) noexcept;
  RowBound& operator=(RowBound&&) noexcept;
  ~RowBound();

  /// The same prices for all zones. Leaves a part of the budget for those of each, where these are
  /// worth their while, and says how much. A budget that does not allow a single step gives a bound
  /// of 0.
  std::int64_t pool(WorkBudget& budget, std::int64_t known);
  /// Prices for each zone, after pool.
  void price_zones(WorkBudget& budget, std::int64_t known);
  /// And for each size of a piece of a group, after that. Takes more than the budget where others
  /// have left little of it.
  void price_groups(WorkBudget& budget, std::int64_t known);
  [[nodiscard]] const GridBound& best() const;

 private:
  class Search;
  std::unique_ptr<Search> search_;
};

/// All steps, one after the other.
[[nodiscard]] GridBound bound_rows(const GridViews& views, const GridView& view,
                                   std::span<const std::uint32_t> sizes, WorkBudget& budget,
                                   std::int64_t enough, std::int64_t known);

}  // namespace zonecut
