#pragma once
// A grid seen as rows in each way that applies, with the shares that make the most of it: of what
// paths lack against cycles, and of the prices of groups or of the places of a row. Any shares give
// a bound.
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "bound/filling.hpp"
#include "bound/group_prices.hpp"
#include "grid/divisions.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// Rows in which a piece costs less for each group it touches (row_excess.hpp).
struct TouchedRows {
  std::int64_t touch = 0;
  std::size_t group = 0;  ///< vertices of one
  RowModel model;
};

struct GridView {
  Rows rows = Rows::Stages;
  RowModel raw;               ///< with all that paths lack taken off once
  RowModel model;             ///< with a share of it
  double priced = 0;          ///< share of the groups' own multipliers, or of the prices of places
  double closing = 1;         ///< of what paths lack, taken off once
  std::int64_t groups = 0;    ///< what the groups add at these, in quarters
  std::int64_t quarters = 0;  ///< separable bound and groups
  std::vector<TouchedRows> touched{};
  std::shared_ptr<Divisions> divisions{};

  /// Whether paths lack something against cycles that may be taken off in more ways than one.
  [[nodiscard]] bool lacks() const;
};

class GridViews {
 public:
  /// Borrows both. Of zones that are full in the end, or hold less.
  GridViews(const GridTraffic& grid, std::span<const std::uint32_t> sizes,
            Filling filling = Filling::Full);

  /// All ways to see the grid, what paths lack taken off in one way or the other. Without prices of
  /// groups. O(length · largest size) each, and what the rows' own cuts take.
  [[nodiscard]] std::vector<GridView> plain() const;
  /// Looks for prices of groups, which the views below may have. Spends the budget.
  void price_groups(WorkBudget& budget);
  /// Prices of the places of such rows, which the views below may have: what pieces cut then,
  /// RankRelaxation::priced_inside.
  void price_places(Rows rows, std::vector<std::int64_t> inside);
  /// Whether such rows have prices that are worthwhile.
  [[nodiscard]] bool priced(Rows rows) const {
    return (groups_ && groups_->worthwhile()) || (places_ && places_->rows == rows);
  }
  [[nodiscard]] const GridTraffic& grid() const { return grid_; }
  /// The grid seen as such rows, without prices of groups, all that paths lack taken off once; none
  /// where it has no such rows.
  [[nodiscard]] const std::optional<RowModel>& raw(Rows rows) const {
    return plain_[static_cast<std::size_t>(rows)];
  }
  [[nodiscard]] Filling filling() const { return filling_; }
  /// None before price_groups, and where there are no groups.
  [[nodiscard]] const std::optional<GroupMultipliers>& groups() const { return groups_; }

  /// None where the grid has no such rows. `priced` above 0 only where they have prices.
  [[nodiscard]] std::optional<GridView> at(Rows rows, double priced, double closing) const;
  /// The same rows at the same shares, with each of some prices of a touch; none where rows are
  /// not made up of groups that all pieces cut alike. In steps(view) each.
  [[nodiscard]] std::vector<TouchedRows> touched(const GridView& view) const;
  [[nodiscard]] std::size_t touches(Rows rows) const { return prices_of_touches(rows).size(); }
  /// Whether what such rows cut is known by how pieces divide them.
  [[nodiscard]] bool divisible(Rows rows) const;
  /// The same views of such rows, with their divisions.
  [[nodiscard]] std::vector<GridView> with_divisions(std::span<const GridView> views) const;
  /// The shares with which the separable bound is highest. Spends the budget.
  [[nodiscard]] GridView best_shares(GridView view, WorkBudget& budget) const;
  /// Steps to see the grid once, and to bound it once.
  [[nodiscard]] std::size_t steps(const GridView& view) const;

 private:
  [[nodiscard]] bool has_lines(Rows rows) const;
  [[nodiscard]] std::optional<std::int64_t> cut_of_groups(Rows rows) const;
  [[nodiscard]] std::vector<std::int64_t> prices_of_touches(Rows rows) const;
  [[nodiscard]] std::vector<std::int64_t> refund_at(double priced) const;
  void add_prices_of_places(RowModel& model, double share) const;

  const GridTraffic& grid_;
  std::span<const std::uint32_t> sizes_;
  Filling filling_;
  std::array<std::optional<RowModel>, 3> plain_;  // by rows: without prices, paths closed
  std::optional<GroupMultipliers> groups_;
  struct Places {
    Rows rows = Rows::Stages;
    std::vector<std::int64_t> inside;
  };
  std::optional<Places> places_;
};

}  // namespace zonecut
