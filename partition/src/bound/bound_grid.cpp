#include "bound/bound_grid.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "bound/bound_open_grid.hpp"
#include "bound/bound_ranks.hpp"
#include "bound/bound_rows.hpp"
#include "bound/bound_stages.hpp"
#include "bound/grid_views.hpp"
#include "grid/line_cut.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

/// Bounds for zones that are full in the end.
class KnownSizes {
 public:
  KnownSizes(const GridTraffic& grid, std::span<const std::uint32_t> sizes, std::int64_t steps,
             std::int64_t enough)
      : grid_(grid),
        views_(grid, sizes),
        sizes_(sizes),
        trees_(!grid.lines.empty()),
        left_(steps),
        enough_(enough) {}

  GridBound run() {
    std::vector<GridView> views = views_.plain();
    for (const GridView& view : views) take(view.quarters, view.model.name + ", separable");
    if (done() || views.empty()) return best_;
    if (trees_) with_part(left_ - left_ / 8, [&](WorkBudget& part) { price_ranks(views, part); });
    if (done()) return best_;
    with_part(left_ / 16, [&](WorkBudget& part) { views_.price_groups(part); });
    const std::int64_t each = left_ / 8 / static_cast<std::int64_t>(views.size());
    for (GridView& view : views) {
      with_part(each, [&](WorkBudget& part) { view = views_.best_shares(std::move(view), part); });
      take(view.quarters, view.model.name + ", separable");
    }
    std::ranges::stable_sort(views, std::ranges::greater{}, &GridView::quarters);
    for (const GridView& view : views) along_stages(view);
    strengthen(views);
    return best_;
  }

 private:
  [[nodiscard]] bool done() const { return left_ <= 0 || best_.quarters >= enough_; }

  void take(std::int64_t quarters, const std::string& name) {
    if (quarters > best_.quarters) best_ = {quarters, {}, name};
  }

  /// Work on a part of what is left.
  template <class Work>
  void with_part(std::int64_t steps, const Work& work) {
    WorkBudget part(steps);
    work(part);
    left_ -= steps - part.left();
  }

  /// Most of what there is to know of trees.
  void price_ranks(std::span<const GridView> views, WorkBudget& budget) {
    const std::optional<Rows> lines = rows_of_lines(grid_);
    const auto view = std::ranges::find(views, lines, &GridView::rows);
    if (!lines || view == views.end()) return;
    const auto bound = ranks_bound(grid_, view->raw.inside, sizes_, Filling::Full, budget, enough_);
    if (!bound) return;
    ranked_ = true;
    take(bound->quarters, "tree × pipeline, rank by rank");
    views_.price_places(*lines, std::move(bound->inside));
  }

  /// Where rows have places of their own: no cycle leads from the last to the first. Worth its work
  /// where it begins not far below the best bound.
  void along_stages(const GridView& view) {
    // Shares of edges know nothing of where a row is cut.
    if (done() || view.rows == Rows::SharedLines || !stage_rows(view.raw)) return;
    if (takes_too_much_memory(view.raw)) return;
    const std::int64_t share = trees_ && !ranked_ ? left_ / 2 : left_ / 20;
    WorkBudget budget(share);
    const GridView best = best_along_stages(view, budget);
    const std::optional<StageRows> rows = stage_rows(best.raw);
    // What the groups add is no bound by itself: pieces may cost less than nothing.
    const std::optional<std::int64_t> quarters =
        stages_bound(*rows, sizes_, budget, best_.quarters - best.groups, enough_less(best.groups));
    if (quarters) take(best.groups + *quarters, view.model.name + ", place by place");
    left_ = left_ - share + std::max<std::int64_t>(0, budget.left());
  }

  /// What a zone takes of every row, by what it took of those before.
  [[nodiscard]] bool takes_too_much_memory(const RowModel& model) const {
    constexpr std::size_t kMostEntries = 20'000'000;
    const std::size_t largest = std::ranges::max(sizes_);
    const std::size_t of_row = model.rows * (std::min(model.length, largest) + 1);
    return of_row > kMostEntries / (largest + 1);
  }

  /// What is enough beside groups that add so much, perhaps less than nothing.
  [[nodiscard]] std::int64_t enough_less(std::int64_t groups) const {
    return enough_ - std::max(groups, enough_ - std::numeric_limits<std::int64_t>::max());
  }

  /// The share of prices, of groups or of places, that makes the most of it before pieces have any.
  GridView best_along_stages(GridView view, WorkBudget& budget) const {
    if (!views_.priced(view.rows)) return view;
    const auto value = [&](const GridView& at) {
      return at.groups + separable_stages_bound(*stage_rows(at.raw), sizes_, budget);
    };
    std::int64_t most = value(view);
    for (const double priced : {0.5, 0.6, 0.7, 0.8, 0.9, 1.0}) {
      std::optional<GridView> other = views_.at(view.rows, priced, view.closing);
      const std::int64_t quarters = value(*other);
      if (quarters <= most) continue;
      most = quarters;
      view = std::move(*other);
    }
    return view;
  }

  /// By pieces and patterns, of all views with the same prices for all zones, and then, the highest
  /// first, with prices for each.
  void strengthen(std::span<const GridView> views) {
    // No bound of rows became higher than that of others by a quarter.
    constexpr double kHopeless = 0.8;
    std::vector<RowBound> rows;
    std::int64_t kept = 0;  // for prices by zone
    for (const GridView& view : views) {
      if (done()) return;
      if (in_quarters(view.quarters) < kHopeless * in_quarters(best_.quarters)) continue;
      rows.emplace_back(views_, view, sizes_, enough_);
      with_part(most_of(left_ - kept),
                [&](WorkBudget& budget) { kept += rows.back().pool(budget, best_.quarters); });
      take(rows.back().best().quarters, rows.back().best().name);
    }
    std::ranges::stable_sort(rows, std::ranges::greater{},
                             [](const RowBound& bound) { return bound.best().quarters; });
    for (RowBound& bound : rows) {
      if (done()) return;
      with_part(most_of(left_),
                [&](WorkBudget& budget) { bound.price_zones(budget, best_.quarters); });
      take(bound.best().quarters, bound.best().name);
    }
  }

  /// For the most promising.
  [[nodiscard]] static std::int64_t most_of(std::int64_t steps) { return steps - steps / 4; }

  const GridTraffic& grid_;
  GridViews views_;
  std::span<const std::uint32_t> sizes_;
  bool trees_;
  bool ranked_ = false;  // rank by rank
  std::int64_t left_;
  std::int64_t enough_;
  GridBound best_;
};

/// Steps rank by rank take two thirds of the time of others. Where zones are many the search takes
/// longer, so there are fewer: by the square of how many more.
std::int64_t steps_for_trees(std::int64_t steps, std::span<const std::uint32_t> zone_capacity) {
  constexpr std::ptrdiff_t kManyZones = 16;
  const std::ptrdiff_t zones =
      std::ranges::count_if(zone_capacity, [](std::uint32_t c) { return c > 0; });
  const double part =
      static_cast<double>(kManyZones) / static_cast<double>(std::max(kManyZones, zones));
  return static_cast<std::int64_t>(1.5 * part * part * static_cast<double>(steps));
}

/// What rows of trees cut by size takes longer than these steps, and than is always granted: enough
/// for 512 ranks.
bool is_too_long(const GridTraffic& grid, std::int64_t steps) {
  constexpr std::size_t kPerStep = 10;
  constexpr std::int64_t kGranted = 5'000'000;
  return least_cuts_steps(grid.size[1], grid.lines) / kPerStep >
         static_cast<std::size_t>(std::max(steps, kGranted));
}

}  // namespace

GridBound bound_grid(const GridTraffic& grid, std::span<const std::uint32_t> zone_capacity,
                     std::int64_t steps, std::int64_t enough) {
  const bool trees = !grid.lines.empty();
  if (trees && is_too_long(grid, steps)) return {};
  if (trees) steps = steps_for_trees(steps, zone_capacity);
  std::vector<std::uint32_t> capacity(zone_capacity.begin(), zone_capacity.end());
  std::size_t room = 0;
  for (std::uint32_t& c : capacity) {
    c = std::min<std::uint32_t>(c, static_cast<std::uint32_t>(grid.vertices()));
    room += c;
  }
  if (room > grid.vertices()) return bound_open_grid(grid, capacity, steps, enough);
  // Most bounds by pieces are found before their steps are spent.
  if (!trees) steps += steps / 3;
  GridBound bound = KnownSizes(grid, capacity, steps, enough).run();
  bound.shares = std::move(capacity);
  return bound;
}

}  // namespace zonecut
