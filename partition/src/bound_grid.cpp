#include "bound_grid.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "ascent.hpp"
#include "blended_relaxation.hpp"
#include "bound_open_grid.hpp"
#include "bound_pieces.hpp"
#include "bound_ranks.hpp"
#include "bound_stages.hpp"
#include "grid_views.hpp"
#include "incidence.hpp"

namespace zonecut {
namespace {

constexpr int kFullSteps = 400;
constexpr int kShortSteps = 60;
constexpr int kBlendedSteps = 2000;
constexpr int kFewestByZone = 100;  // steps, for it to be worth their while
constexpr int kMostByZone = 1000;
constexpr double kAheadBlended = 0.08;
constexpr double kNearest = 0.02;
constexpr std::int64_t kAround = 8;   // one part of the work in so many
constexpr std::int64_t kToBlend = 4;  // one part of the work in so many, for the views it takes

/// A view with multipliers for it and the bound that they give.
struct Climbed {
  GridView view;
  PieceMultipliers multipliers;
  std::int64_t quarters = 0;
};

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
    if (trees_) with_part(left_ - left_ / 8, [&](WorkBudget& part) { price_ranks(part); });
    if (done()) return best_;
    with_part(left_ / 16, [&](WorkBudget& part) { views_.price_groups(part); });
    const std::int64_t each = left_ / 8 / static_cast<std::int64_t>(views.size());
    for (GridView& view : views) {
      with_part(each, [&](WorkBudget& part) { view = views_.best_shares(std::move(view), part); });
      take(view.quarters, view.model.name + ", separable");
    }
    std::ranges::stable_sort(views, std::ranges::greater{}, &GridView::quarters);
    for (const GridView& view : views) along_stages(view);
    for (const GridView& view : views) strengthen(view);
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
  void price_ranks(WorkBudget& budget) {
    const auto quarters = ranks_bound(grid_, sizes_, Filling::Full, budget, enough_);
    if (quarters) take(*quarters, "tree × pipeline, rank by rank");
  }

  /// Where rows have places of their own: no cycle leads from the last to the first. Worth its work
  /// where it begins not far below the best bound.
  void along_stages(const GridView& view) {
    // Shares of edges know nothing of where a row is cut.
    if (done() || view.rows == Rows::SharedLines || !stage_rows(view.raw)) return;
    // Little comes of the cyclic view of trees.
    const std::int64_t share = trees_ ? left_ - left_ / 4 : left_ / 3;
    WorkBudget budget(share);
    const GridView best = best_along_stages(view, budget);
    const std::optional<StageRows> rows = stage_rows(best.raw);
    // What the groups add is no bound by itself: pieces may cost less than nothing.
    const std::optional<std::int64_t> quarters =
        stages_bound(*rows, sizes_, budget, best_.quarters - best.groups, enough_ - best.groups);
    if (quarters) take(best.groups + *quarters, view.model.name + ", place by place");
    left_ = left_ - share + std::max<std::int64_t>(0, budget.left());
  }

  /// The prices of groups that make the most of it before pieces have any.
  GridView best_along_stages(GridView view, WorkBudget& budget) const {
    if (!views_.priced()) return view;
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

  /// None where the budget does not allow a single step.
  std::optional<Climbed> climb(GridView view, const PieceMultipliers& start, int steps,
                               WorkBudget& budget) const {
    std::optional<PiecesBound> bound =
        pieces_bound(view.model, sizes_, budget, enough_ - view.groups, start, steps);
    if (!bound) return std::nullopt;
    const std::int64_t quarters = view.groups + bound->quarters;
    return Climbed{std::move(view), std::move(bound->multipliers), quarters};
  }

  /// Tries other prices of groups and other shares of what paths lack around those of `best`,
  /// nearer and nearer.
  void look_around(Climbed& best, WorkBudget& budget) const {
    const bool groups = views_.priced();
    const bool paths = best.view.lacks();
    const auto attempt = [&](double priced, double closing) {
      priced = std::clamp(priced, 0.0, 1.0);
      closing = std::clamp(closing, 0.0, 1.0);
      if (budget.spent() || best.quarters >= enough_) return;
      if (priced == best.view.priced && closing == best.view.closing) return;
      budget.spend(views_.steps(best.view));
      GridView view = *views_.at(best.view.rows, priced, closing);
      auto other = climb(std::move(view), best.multipliers, kShortSteps, budget);
      if (other && other->quarters > best.quarters) best = std::move(*other);
    };
    for (double step = 0.5; step > kNearest; step /= 2) {
      std::int64_t before = 0;
      do {
        before = best.quarters;
        for (const double way : {-step, step}) {
          if (groups) attempt(best.view.priced + way, best.view.closing);
          if (paths) attempt(best.view.priced, best.view.closing + way);
        }
      } while (best.quarters > before);
    }
  }

  /// Whether shares may be multipliers, and the views for it take no more than a part of the work.
  [[nodiscard]] bool blends(const GridView& view, const WorkBudget& budget) const {
    if (!views_.priced() || !BlendedRelaxation::applies(view)) return false;
    const auto views = static_cast<std::int64_t>(BlendedRelaxation::views_for(view));
    return views * static_cast<std::int64_t>(views_.steps(view)) <= budget.left() / kToBlend;
  }

  /// Shares and multipliers sought at once. Leaves a part of the budget for what follows.
  std::optional<Climbed> climb_blended(const GridView& view, WorkBudget& budget) {
    budget.spend(BlendedRelaxation::views_for(view) * views_.steps(view));
    BlendedRelaxation relaxation(views_, view, sizes_,
                                 incidence_of(sizes_, view.model.length, view.model.rows));
    WorkBudget share(budget.left() - budget.left() / kAround);
    const std::int64_t before = share.left();
    Ascent ascent(relaxation, share, 0, static_cast<double>(enough_));
    ascent.start_at(relaxation.multipliers_at(view));
    ascent.climb_evenly(kBlendedSteps, kAheadBlended);
    budget.spend(static_cast<std::size_t>(before - share.left()));
    take(static_cast<std::int64_t>(std::floor(ascent.best())),
         view.model.name + ", pieces and patterns");
    const PieceMultipliers& best = ascent.best_multipliers();
    return climb(*views_.at(view.rows, relaxation.priced(best), relaxation.closing(best)),
                 relaxation.of_pieces(best), kShortSteps, budget);
  }

  void strengthen(GridView view) {
    if (done()) return;
    // Most of it for the most promising.
    WorkBudget budget(left_ - left_ / 4);
    const std::int64_t by_zone = pieces_by_zone_steps(view.model, sizes_);
    // Prices for each zone come last, if at all, and get up to half of the work.
    const bool zones_apart = by_zone * kFewestByZone <= budget.left() / 2;
    const std::int64_t kept = zones_apart ? std::min(budget.left() / 2, by_zone * kMostByZone) : 0;
    budget.spend(static_cast<std::size_t>(kept));
    if (auto best = blends(view, budget) ? climb_blended(view, budget)
                                         : climb(std::move(view), {}, kShortSteps, budget)) {
      // What a full climb does not need, and a little of it.
      const std::int64_t climbing =
          zones_apart ? 0 : kFullSteps * pieces_bound_steps(best->view.model, sizes_);
      WorkBudget share(std::max(budget.left() / kAround, budget.left() - climbing));
      const std::int64_t before = share.left();
      look_around(*best, share);
      budget.spend(static_cast<std::size_t>(before - share.left()));
      WorkBudget rest(std::max<std::int64_t>(0, budget.left()) + kept);
      take_best(*best, zones_apart, rest);
      budget = rest;
    }
    left_ = left_ / 4 + std::max<std::int64_t>(0, budget.left());
  }

  void take_best(const Climbed& best, bool zones_apart, WorkBudget& budget) {
    const std::string name = best.view.model.name + ", pieces and patterns";
    take(best.quarters, name);
    WorkBudget pooled(zones_apart ? budget.left() / kAround : budget.left());
    const std::int64_t before = pooled.left();
    const auto last = climb(best.view, best.multipliers, kFullSteps, pooled);
    budget.spend(static_cast<std::size_t>(before - pooled.left()));
    if (last) take(last->quarters, name);
    if (done() || !zones_apart) return;
    const PieceMultipliers& start =
        last && last->quarters > best.quarters ? last->multipliers : best.multipliers;
    const std::int64_t quarters = pieces_by_zone_bound(
        best.view.model, sizes_, budget, enough_ - best.view.groups, start, kMostByZone);
    take(best.view.groups + quarters, name + " by zone");
  }

  const GridTraffic& grid_;
  GridViews views_;
  std::span<const std::uint32_t> sizes_;
  bool trees_;
  std::int64_t left_;
  std::int64_t enough_;
  GridBound best_;
};

}  // namespace

GridBound bound_grid(const GridTraffic& grid, std::span<const std::uint32_t> zone_capacity,
                     std::int64_t steps, std::int64_t enough) {
  std::vector<std::uint32_t> capacity(zone_capacity.begin(), zone_capacity.end());
  std::size_t room = 0;
  for (std::uint32_t& c : capacity) {
    c = std::min<std::uint32_t>(c, static_cast<std::uint32_t>(grid.vertices()));
    room += c;
  }
  if (room > grid.vertices()) return bound_open_grid(grid, capacity, steps, enough);
  GridBound bound = KnownSizes(grid, capacity, steps, enough).run();
  bound.shares = std::move(capacity);
  return bound;
}

}  // namespace zonecut
