#include "bound/grid_views.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <utility>

#include "bound/bound_pieces.hpp"
#include "grid/line_divisions.hpp"
#include "grid/relaxation_sums.hpp"
#include "grid/row_divisions.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr int kSections = 10;
constexpr std::array kAllRows{Rows::Stages, Rows::Replicas, Rows::SharedLines};

/// The highest of a concave function on [0, 1] by golden sections; none where it falls from 1 on.
/// Ends early with the budget.
GridView highest(const std::function<GridView(double)>& at, GridView at_one,
                 const WorkBudget& budget) {
  constexpr double kGolden = 0.381966;
  constexpr double kNear = 0.95;
  GridView best = std::move(at_one);
  const auto take = [&](double share) {
    GridView view = at(share);
    const std::int64_t value = view.quarters;
    if (value > best.quarters) best = std::move(view);
    return value;
  };
  const std::int64_t end = best.quarters;
  if (take(kNear) <= end || budget.spent()) return best;
  double low = 0;
  double high = 1;
  double left = kGolden;
  double right = 1 - kGolden;
  std::int64_t at_right = take(right);
  if (budget.spent()) return best;
  std::int64_t at_left = take(left);
  for (int i = 0; i < kSections && !budget.spent(); ++i) {
    if (at_left >= at_right) {
      high = std::exchange(right, left);
      at_right = at_left;
      left = low + kGolden * (high - low);
      at_left = take(left);
    } else {
      low = std::exchange(left, right);
      at_left = at_right;
      right = high - kGolden * (high - low);
      at_right = take(right);
    }
  }
  if (!budget.spent()) take(0);
  return best;
}

}  // namespace

bool GridView::lacks() const {
  return raw.lacking_across > 0 || raw.lacking_inside > 0 || raw.lacking_border > 0;
}

GridViews::GridViews(const GridTraffic& grid, std::span<const std::uint32_t> sizes, Filling filling)
    : grid_(grid), sizes_(sizes), filling_(filling) {
  for (const Rows rows : kAllRows) plain_[static_cast<std::size_t>(rows)] = row_model(grid, rows);
}

std::vector<GridView> GridViews::plain() const {
  std::vector<GridView> views;
  for (const Rows rows : kAllRows) {
    std::optional<GridView> view = at(rows, 0, 1);
    if (!view) continue;
    if (view->lacks()) {
      GridView other = *at(rows, 0, 0);
      if (other.quarters > view->quarters) view = std::move(other);
    }
    views.push_back(std::move(*view));
  }
  return views;
}

void GridViews::price_groups(WorkBudget& budget) {
  if (const std::optional<RowModel> groups = group_model(grid_)) {
    groups_.emplace(*groups, sizes_, budget, filling_);
  }
}

void GridViews::price_places(Rows rows, std::vector<std::int64_t> inside) {
  ZONECUT_ENSURES(raw(rows) && raw(rows)->inside.size() == inside.size());
  places_ = {rows, std::move(inside)};
}

/// In proportion: a set of places cuts no less than either says.
void GridViews::add_prices_of_places(RowModel& model, double share) const {
  for (std::size_t x = 1; x < model.length; ++x) {
    const auto more = in_quarters(places_->inside[x] - model.inside[x]);
    model.inside[x] += rounded_down(share * more);
  }
}

std::optional<GridView> GridViews::at(Rows rows, double priced, double closing) const {
  const bool of_places = places_ && places_->rows == rows;
  GroupPrices prices;
  if (priced > 0 && !of_places) prices = groups_->times(priced);
  const std::optional<RowModel>& plain = raw(rows);
  if (!plain) return std::nullopt;
  // Rows are only seen anew where that makes them others: trees take long.
  const bool same = (priced == 0 || of_places) && (closing == 1 || plain->lacking_border == 0);
  std::optional<RowModel> raw = same ? plain : row_model(grid_, rows, prices.refund, closing);
  if (of_places) add_prices_of_places(*raw, priced);
  RowModel model = with_closing(*raw, closing);
  if (filling_ == Filling::Open && groups_) {
    model.group = grid_.size[0];
    model.per_divider = half_down(prices.touch);
  }
  const std::int64_t quarters = separable_bound(model, sizes_, filling_) + prices.constant;
  return GridView{rows,    std::move(*raw), std::move(model), priced,
                  closing, prices.constant, quarters,         {},
                  nullptr};
}

/// Rows of groups are no lines, whose places have prices.
std::vector<std::int64_t> GridViews::refund_at(double priced) const {
  return priced > 0 ? groups_->times(priced).refund : std::vector<std::int64_t>{};
}

/// What any piece of a group cuts in such rows, of zones that are full in the end; none where not
/// all cut the same: nothing is gained, and searches take too long.
std::optional<std::int64_t> GridViews::cut_of_groups(Rows rows) const {
  if (!raw(rows) || filling_ == Filling::Open) return std::nullopt;
  const std::optional<RowModel> groups = group_model(grid_);
  if (!groups) return std::nullopt;
  const std::int64_t cut = groups->inside[1];
  const std::span<const std::int64_t> divided(groups->inside.begin() + 1, groups->length - 1);
  if (std::ranges::any_of(divided, [&](std::int64_t each) { return each != cut; })) {
    return std::nullopt;
  }
  return cut;
}

/// Half of what a piece of a group cuts, so that a piece more costs about nothing, and less, so
/// that it does not spread over all groups.
std::vector<std::int64_t> GridViews::prices_of_touches(Rows rows) const {
  const std::optional<std::int64_t> cut = cut_of_groups(rows);
  if (!cut || grid_.size[0] < 3) return {};
  return {*cut / 2, 3 * *cut / 8};
}

std::vector<TouchedRows> GridViews::touched(const GridView& view) const {
  const std::vector<std::int64_t> prices = prices_of_touches(view.rows);
  if (prices.empty()) return {};
  std::vector<TouchedRows> all;
  std::vector<std::int64_t> refund = refund_at(view.priced);
  refund.resize(grid_.size[0] + 1, 0);
  for (const std::int64_t touch : prices) {
    std::vector<std::int64_t> more = refund;
    for (std::size_t k = 1; k < more.size(); ++k) more[k] += touch;
    const std::optional<RowModel> rows = row_model(grid_, view.rows, more, view.closing);
    all.push_back({touch, grid_.size[0], with_closing(*rows, view.closing)});
  }
  return all;
}

/// Of zones that are full in the end.
bool GridViews::has_lines(Rows rows) const {
  return filling_ == Filling::Full && rows_of_lines(grid_) == rows;
}

bool GridViews::divisible(Rows rows) const {
  if (has_lines(rows)) return LineDivisions::can_search(grid_.size[1], grid_.lines);
  if (!cut_of_groups(rows)) return false;
  const std::optional<CellRing> cells = cells_of_rows(grid_, rows);
  return cells && RowDivisions::can_search(*cells);
}

std::vector<GridView> GridViews::with_divisions(std::span<const GridView> views) const {
  std::vector<GridView> all(views.begin(), views.end());
  if (has_lines(views.front().rows)) {
    // Of the places' prices rows know no more than all of them together.
    const auto lines = std::make_shared<LineDivisions>(grid_.size[1], grid_.lines);
    for (GridView& view : all) view.divisions = lines;
    return all;
  }
  for (GridView& view : all) {
    // They are the same, however much of what paths lack is taken off.
    const auto same = std::ranges::find_if(all, [&](const GridView& other) {
      return other.divisions != nullptr && other.priced == view.priced;
    });
    view.divisions = same != all.end() ? same->divisions
                                       : std::make_shared<RowDivisions>(*cells_of_rows(
                                             grid_, view.rows, refund_at(view.priced)));
  }
  return all;
}

std::size_t GridViews::steps(const GridView& view) const {
  const std::size_t length = view.model.length;
  const std::size_t bounded = filling_ == Filling::Full ? 8 : 24;
  return bounded * length * std::min<std::size_t>(length, std::ranges::max(sizes_)) +
         16 * length * grid_.size[0];
}

GridView GridViews::best_shares(GridView view, WorkBudget& budget) const {
  if (priced(view.rows) && !budget.spent()) {
    const auto less = [&](double unpriced) {
      budget.spend(steps(view));
      return *at(view.rows, 1 - unpriced, view.closing);
    };
    view = highest(less, view.priced == 0 ? view : less(1), budget);
  }
  if (view.lacks() && !budget.spent()) {
    const auto less = [&](double closing) {
      budget.spend(steps(view));
      return *at(view.rows, view.priced, closing);
    };
    view = highest(less, view.closing == 1 ? view : less(1), budget);
  }
  return view;
}

}  // namespace zonecut
