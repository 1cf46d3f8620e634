#include "bound/bound_open_grid.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "bound/bound_ranks.hpp"
#include "bound/bound_rows.hpp"
#include "bound/bound_separable.hpp"
#include "bound/grid_views.hpp"
#include "grid/row_model.hpp"

namespace zonecut {
namespace {

struct View {
  Rows rows = Rows::Stages;
  double closing = 1;
  RowModel model;
  std::vector<std::int64_t> half_borders;  ///< of a zone, by its vertices
  SharedBound separable;                   ///< less the model's deductions
};

View view_of(Rows rows, const RowModel& raw, double closing,
             std::span<const std::uint32_t> capacity) {
  RowModel model = with_closing(raw, closing);
  std::vector<std::int64_t> borders = zone_half_borders(model, std::ranges::max(capacity));
  SharedBound shared = cheapest_shares(borders, capacity, model.rows * model.length);
  shared.quarters -=
      model.deduction + model.per_divided_row * static_cast<std::int64_t>(model.rows);
  return {rows, closing, std::move(model), std::move(borders), std::move(shared)};
}

/// The cheapest of those in which every zone holds a multiple of `unit` vertices; none where zones
/// have not the room.
std::optional<Shares> cheapest_multiples(const View& view, std::span<const std::uint32_t> capacity,
                                         std::size_t unit) {
  std::vector<std::uint32_t> units;
  std::size_t room = 0;
  for (const std::uint32_t c : capacity) {
    units.push_back(c / static_cast<std::uint32_t>(unit));
    room += units.back();
  }
  const std::size_t wanted = view.model.rows * view.model.length / unit;
  if (room < wanted) return std::nullopt;
  std::vector<std::int64_t> borders;
  for (std::size_t x = 0; x < view.half_borders.size(); x += unit)
    borders.push_back(view.half_borders[x]);
  Shares shares = cheapest_shares(borders, units, wanted).shares;
  for (std::uint32_t& share : shares) share *= static_cast<std::uint32_t>(unit);
  return shares;
}

/// Zones that share neither a row nor a column leave each other no pieces to fill, of which the
/// separable bound knows nothing.
std::vector<Shares> whole_shares(const View& view, std::span<const std::uint32_t> capacity) {
  std::vector<Shares> all;
  for (const std::size_t unit : {view.model.length, view.model.rows}) {
    if (unit == 1 || unit == view.model.rows * view.model.length) continue;
    if (auto shares = cheapest_multiples(view, capacity, unit)) all.push_back(*std::move(shares));
  }
  return all;
}

/// All ways to see the grid, best first.
std::vector<View> views_of(const GridViews& ways, std::span<const std::uint32_t> capacity) {
  std::vector<View> views;
  for (const Rows rows : {Rows::Stages, Rows::Replicas, Rows::SharedLines}) {
    const std::optional<RowModel>& raw = ways.raw(rows);
    if (!raw) continue;
    views.push_back(view_of(rows, *raw, 1, capacity));
    if (raw->lacking_across == 0 && raw->lacking_inside == 0) continue;
    views.push_back(view_of(rows, *raw, 0, capacity));
  }
  const auto quarters = [](const View& view) { return view.separable.quarters; };
  std::ranges::stable_sort(views, std::ranges::greater{}, quarters);
  return views;
}

/// Those of the best view that takes what paths lack off once, of which there always is one: where
/// it is taken off at every end, ends seem to pay.
const Shares& likely_shares(std::span<const View> views) {
  return std::ranges::find(views, 1, &View::closing)->separable.shares;
}

/// The higher one; its shares, unless it has none.
void take(GridBound& best, GridBound bound) {
  if (bound.quarters <= best.quarters) return;
  if (bound.shares.empty()) bound.shares = std::move(best.shares);
  best = std::move(bound);
}

/// With multipliers and prices of groups.
void strengthen(GridViews& ways, std::span<const std::uint32_t> capacity, std::int64_t left,
                std::int64_t enough, GridBound& best) {
  if (left <= 0 || best.quarters >= enough) return;
  std::vector<GridView> views = ways.plain();
  WorkBudget of_groups(left / 16);
  ways.price_groups(of_groups);
  left -= left / 16 - of_groups.left();
  for (GridView& view : views) {
    WorkBudget budget(left / 8 / std::ssize(views));
    const std::int64_t before = budget.left();
    view = ways.best_shares(std::move(view), budget);
    left -= before - budget.left();
  }
  std::ranges::stable_sort(views, std::ranges::greater{}, &GridView::quarters);
  for (const GridView& view : views) {
    if (left <= 0 || best.quarters >= enough) return;
    // Most of it for the most promising.
    WorkBudget budget(left - left / 4);
    take(best, bound_rows(ways, view, capacity, budget, enough, 0));
    left = left / 4 + std::max<std::int64_t>(0, budget.left());
  }
}

}  // namespace

GridBound bound_open_grid(const GridTraffic& grid, std::span<const std::uint32_t> capacity,
                          std::int64_t steps, std::int64_t enough) {
  GridViews ways(grid, capacity, Filling::Open);
  std::vector<View> views = views_of(ways, capacity);
  if (views.empty()) return {};
  GridBound best{views.front().separable.quarters, likely_shares(views),
                 views.front().model.name + ", separable"};
  std::vector<Shares> whole = whole_shares(views.front(), capacity);
  std::int64_t left = steps;
  const std::optional<Rows> lines = rows_of_lines(grid);
  const auto of_lines = std::ranges::find(views, lines, &View::rows);
  if (lines && of_lines != views.end() && left > 0 && best.quarters < enough) {
    WorkBudget budget(left - left / 8);
    auto bound = ranks_bound(grid, of_lines->model.inside, capacity, Filling::Open, budget, enough);
    if (bound) {
      ways.price_places(*lines, std::move(bound->inside));
      take(best, {bound->quarters, std::move(bound->shares), "tree × pipeline, rank by rank"});
    }
    left = left / 8 + std::max<std::int64_t>(0, budget.left());
  }
  strengthen(ways, capacity, left, enough, best);
  best.whole = std::move(whole);
  return best;
}

}  // namespace zonecut
