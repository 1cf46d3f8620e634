#include "bound/bound_grid.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bound/bound_open_grid.hpp"
#include "bound/bound_ranks.hpp"
#include "bound/bound_rows.hpp"
#include "bound/bound_stages.hpp"
#include "bound/grid_views.hpp"
#include "effort_plan.hpp"
#include "grid/line_cut.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

// No bound of rows became higher than that of others by a quarter.
constexpr double kHopeless = 0.8;
constexpr double kFar = 0.95;         // the same, with prices for each zone
constexpr double kNear = 0.99;        // to the highest bound, for stages to be worth what is left
constexpr std::int64_t kToBegin = 8;  // along stages, beside the work: one part of it in so many
constexpr std::array kSharesAlongStages{0.9, 0.8, 1.0, 0.6};  // the most likely first

/// Bounds for zones that are full in the end.
class KnownSizes {
 public:
  KnownSizes(const GridTraffic& grid, std::span<const std::uint32_t> sizes, std::int64_t steps,
             std::int64_t enough)
      : grid_(grid),
        views_(grid, sizes),
        sizes_(sizes),
        trees_(!grid.lines.empty()),
        budget_(steps),
        enough_(enough) {}

  GridBound run() {
    std::vector<GridView> views = views_.plain();
    for (const GridView& view : views) take(view.quarters, view.model.name + ", separable");
    if (done() || views.empty()) return best_;
    if (trees_) {
      with_part(budget_, most_of(budget_.left(), 8),
                [&](WorkBudget& part) { price_ranks(views, part); });
    }
    if (done()) return best_;
    with_part(budget_, budget_.left() / 16, [&](WorkBudget& part) { views_.price_groups(part); });
    const std::int64_t each = budget_.left() / 8 / static_cast<std::int64_t>(views.size());
    for (GridView& view : views) {
      with_part(budget_, each,
                [&](WorkBudget& part) { view = views_.best_shares(std::move(view), part); });
      take(view.quarters, view.model.name + ", separable");
    }
    std::ranges::stable_sort(views, std::ranges::greater{}, &GridView::quarters);
    strengthen(views);
    return best_;
  }

 private:
  struct AlongStages {
    StageBound bound;
    std::string name;
  };

  [[nodiscard]] bool done() const { return budget_.spent() || best_.quarters >= enough_; }

  void take(std::int64_t quarters, const std::string& name) {
    if (quarters > best_.quarters) best_ = {quarters, {}, name};
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

  /// Where rows have places of their own: no cycle leads from the last to the first.
  [[nodiscard]] std::vector<AlongStages> along_stages(std::span<const GridView> views) const {
    std::vector<AlongStages> all;
    for (const GridView& view : views) {
      // Shares of edges know nothing of where a row is cut.
      if (view.rows == Rows::SharedLines || takes_too_much_memory(view.raw)) continue;
      std::vector<PricedStages> shares;
      const auto add = [&](const GridView& at) {
        if (auto rows = stage_rows(at.raw)) shares.push_back({*std::move(rows), at.groups});
      };
      if (!stage_rows(view.raw)) continue;
      for (const double priced : kSharesAlongStages) {
        if (views_.priced(view.rows)) add(*views_.at(view.rows, priced, view.closing));
      }
      add(view);
      all.push_back(
          {StageBound(std::move(shares), sizes_, enough_), view.model.name + ", place by place"});
    }
    return all;
  }

  /// What a zone takes of every row, by what it took of those before.
  [[nodiscard]] bool takes_too_much_memory(const RowModel& model) const {
    constexpr std::size_t kMostEntries = 20'000'000;
    const std::size_t largest = std::ranges::max(sizes_);
    const std::size_t of_row = model.rows * (std::min(model.length, largest) + 1);
    return of_row > kMostEntries / (largest + 1);
  }

  /// By pieces and patterns, of all views with the same prices for all zones, and then, the highest
  /// first, with prices for each; between the two along stages where that promises more.
  void strengthen(std::span<const GridView> views) {
    stages_ = along_stages(views);
    begin_along_stages();
    pool_rows(views);
    for (AlongStages& along : stages_) climb(along, 1, most_of(budget_.left()));
    keep_promising_rows();
    for (RowBound& bound : rows_) {
      raise(bound, most_of(budget_.left()),
            [&](WorkBudget& part) { bound.price_zones(part, best_.quarters); });
    }
    for (RowBound& bound : rows_) {
      raise(bound, budget_.left(),
            [&](WorkBudget& part) { bound.price_groups(part, best_.quarters); });
    }
    for (AlongStages& along : stages_) climb(along, kNear, budget_.left());
  }

  void begin_along_stages() {
    for (AlongStages& along : stages_) {
      if (done()) return;
      WorkBudget beside(budget_.left() / kToBegin);
      along.bound.begin(beside);
      take(along.bound.best(), along.name);
      // Of trees of such rows there may be no other.
      if (trees_ && !ranked_) climb(along, 0, budget_.left() / 2);
    }
  }

  void pool_rows(std::span<const GridView> views) {
    std::int64_t kept = 0;  // for prices by zone
    for (const GridView& view : views) {
      if (in_quarters(view.quarters) < kHopeless * in_quarters(best_.quarters)) continue;
      rows_.emplace_back(views_, view, sizes_, enough_);
      raise(rows_.back(), most_of(budget_.left() - kept),
            [&](WorkBudget& part) { kept += rows_.back().pool(part, best_.quarters); });
    }
  }

  /// For prices by zone; the highest first.
  void keep_promising_rows() {
    std::ranges::stable_sort(rows_, std::ranges::greater{},
                             [](const RowBound& bound) { return bound.best().quarters; });
    std::erase_if(rows_, [&](const RowBound& bound) {
      return in_quarters(bound.best().quarters) < kFar * in_quarters(best_.quarters);
    });
  }

  /// By `work`, for which there are so many steps.
  template <class Work>
  void raise(RowBound& bound, std::int64_t steps, Work work) {
    if (done()) return;
    with_part(budget_, steps, work);
    take(bound.best().quarters, bound.best().name);
  }

  /// Where that has come to such a part of the highest bound.
  void climb(AlongStages& along, double part_of_best, std::int64_t steps) {
    if (done() || in_quarters(along.bound.best()) < part_of_best * in_quarters(best_.quarters)) {
      return;
    }
    with_part(budget_, steps, [&](WorkBudget& part) { along.bound.climb(part, best_.quarters); });
    take(along.bound.best(), along.name);
  }

  /// For the most promising: all but one part of the steps in so many.
  [[nodiscard]] static std::int64_t most_of(std::int64_t steps, std::int64_t parts = 4) {
    return steps - steps / parts;
  }

  const GridTraffic& grid_;
  GridViews views_;
  std::span<const std::uint32_t> sizes_;
  bool trees_;
  bool ranked_ = false;  // rank by rank
  WorkBudget budget_;
  std::int64_t enough_;
  GridBound best_;
  std::vector<AlongStages> stages_;
  std::vector<RowBound> rows_;
};

/// Steps rank by rank take two thirds of the time of others. Where zones are many the search takes
/// longer, so there are fewer: by the square of how many more. In a long row one look takes many;
/// jobs that need not be done in a second get more for it.
std::int64_t steps_for_trees(const GridTraffic& grid, std::int64_t steps,
                             std::span<const std::uint32_t> zone_capacity) {
  constexpr std::ptrdiff_t kManyZones = 16;
  constexpr std::int64_t kForLong = 4;
  if (grid.size[1] > kLongRow && grid.vertices() > kVerticesForASecond) steps *= kForLong;
  const std::ptrdiff_t zones =
      std::ranges::count_if(zone_capacity, [](std::uint32_t c) { return c > 0; });
  const double part =
      static_cast<double>(kManyZones) / static_cast<double>(std::max(kManyZones, zones));
  return static_cast<std::int64_t>(1.5 * part * part * static_cast<double>(steps));
}

/// What rows of trees cut by size, or how the largest zone is made up of them, takes longer than
/// these steps, and than are always granted.
bool is_too_long(const GridTraffic& grid, std::int64_t steps,
                 std::span<const std::uint32_t> zone_capacity) {
  constexpr std::size_t kCutsPerStep = 10;
  constexpr std::size_t kViews = 2;
  constexpr std::int64_t kGranted = 5'000'000;
  const std::size_t length = grid.size[1];
  const std::size_t largest =
      std::min<std::size_t>(std::ranges::max(zone_capacity), grid.vertices());
  const auto most = static_cast<std::size_t>(std::max(steps, kGranted));
  return least_cuts_steps(length, grid.lines) / kCutsPerStep > most ||
         kViews * length * largest > most;
}

}  // namespace

GridBound bound_grid(const GridTraffic& grid, std::span<const std::uint32_t> zone_capacity,
                     std::int64_t steps, std::int64_t enough) {
  const bool trees = !grid.lines.empty();
  if (trees && is_too_long(grid, steps, zone_capacity)) return {};
  if (trees) steps = steps_for_trees(grid, steps, zone_capacity);
  std::vector<std::uint32_t> capacity(zone_capacity.begin(), zone_capacity.end());
  std::size_t room = 0;
  for (std::uint32_t& c : capacity) {
    c = std::min<std::uint32_t>(c, static_cast<std::uint32_t>(grid.vertices()));
    room += c;
  }
  if (room > grid.vertices()) return bound_open_grid(grid, capacity, steps, enough);
  // Most bounds by pieces are found before their steps are spent.
  if (!trees) steps += steps / 8;
  GridBound bound = KnownSizes(grid, capacity, steps, enough).run();
  bound.shares = std::move(capacity);
  return bound;
}

}  // namespace zonecut
