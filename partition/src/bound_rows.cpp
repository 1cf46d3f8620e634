#include "bound_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ascent.hpp"
#include "blended_relaxation.hpp"
#include "bound_pieces.hpp"
#include "incidence.hpp"

namespace zonecut {
namespace {

constexpr int kFullSteps = 400;
constexpr int kShortSteps = 60;
constexpr int kBlendedSteps = 2000;
constexpr int kFewestByZone = 100;  // steps, for prices by zone to be worth their while
constexpr int kFewestUncounted = 250;
constexpr int kMostByZone = 1000;
constexpr double kAheadBlended = 0.08;
constexpr double kAheadLast = 0.02;
constexpr double kNearest = 0.02;
constexpr std::int64_t kAround = 8;   // one part of the work in so many
constexpr std::int64_t kToBlend = 4;  // one part of the work in so many, for the views it takes

/// A view with multipliers for it and the bound that they give.
struct Climbed {
  GridView view;
  PieceMultipliers multipliers;
  std::int64_t quarters = 0;
};

class RowSearch {
 public:
  RowSearch(const GridViews& views, std::span<const std::uint32_t> sizes, WorkBudget& budget,
            std::int64_t enough)
      : views_(views), sizes_(sizes), budget_(budget), enough_(enough) {}

  GridBound run(const GridView& view) {
    name_ = view.model.name + ", pieces and patterns";
    incidence_ = incidence_of(sizes_, view.model.length, view.model.rows);
    choose_by_zone(view.model);
    if (blends(view)) {
      climb_blended(view);
    } else {
      climb_views(view);
    }
    return best_;
  }

 private:
  [[nodiscard]] bool done() const { return budget_.spent() || best_.quarters >= enough_; }

  void take(std::int64_t quarters, const std::string& name) {
    if (quarters > best_.quarters) best_ = {quarters, {}, name};
  }

  /// Work on no more than so much of the budget.
  template <class Work>
  auto with_part(std::int64_t steps, const Work& work) {
    WorkBudget part(std::max<std::int64_t>(0, steps));
    const std::int64_t before = part.left();
    auto result = work(part);
    budget_.spend(static_cast<std::size_t>(before - part.left()));
    return result;
  }

  /// None where the budget does not allow a single step.
  std::optional<Climbed> climb(GridView view, const PieceMultipliers& start, int steps,
                               WorkBudget& budget) const {
    std::optional<PiecesBound> bound =
        pieces_bound(view.model, sizes_, incidence_, budget, enough_ - view.groups, start, steps);
    if (!bound) return std::nullopt;
    const std::int64_t quarters = view.groups + bound->quarters;
    return Climbed{std::move(view), std::move(bound->multipliers), quarters};
  }

  /// Whether prices by zone are worth their while, and with which tables. Where zones in every row
  /// are not counted there is less to gain, so it takes more steps.
  void choose_by_zone(const RowModel& model) {
    const std::array<std::pair<std::size_t, std::int64_t>, 2> ways{
        {{ZoneShapes::kMostCounted, kFewestByZone}, {0, kFewestUncounted}}};
    for (const auto& [most_counted, fewest] : ways) {
      by_zone_ = pieces_by_zone_steps(model, sizes_, most_counted);
      most_counted_ = most_counted;
      zones_apart_ = by_zone_ * fewest <= budget_.left() / 2;
      if (zones_apart_) return;
    }
  }

  /// View after view.
  void climb_views(const GridView& view) {
    // Prices for each zone come last, if at all, and get up to half of the work.
    const std::int64_t kept =
        zones_apart_ ? std::min(budget_.left() / 2, by_zone_ * kMostByZone) : 0;
    std::optional<Climbed> best = with_part(budget_.left() - kept, [&](WorkBudget& part) {
      std::optional<Climbed> first = climb(view, {}, kShortSteps, part);
      // What a full climb does not need, and a little of it.
      const std::int64_t climbing =
          zones_apart_ ? 0 : kFullSteps * pieces_bound_steps(view.model, sizes_);
      WorkBudget share(std::max(part.left() / kAround, part.left() - climbing));
      const std::int64_t before = share.left();
      if (first) look_around(*first, share);
      part.spend(static_cast<std::size_t>(before - share.left()));
      return first;
    });
    if (!best) return;
    take(best->quarters, name_);
    std::optional<Climbed> last = with_part(
        zones_apart_ ? budget_.left() / kAround : budget_.left(),
        [&](WorkBudget& part) { return climb(best->view, best->multipliers, kFullSteps, part); });
    if (last) take(last->quarters, name_);
    if (last && last->quarters > best->quarters) best = std::move(last);
    if (done() || !zones_apart_) return;
    take(best->view.groups + pieces_by_zone_bound(best->view.model, sizes_, incidence_, budget_,
                                                  enough_ - best->view.groups, best->multipliers,
                                                  kMostByZone, most_counted_),
         name_ + " by zone");
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
  [[nodiscard]] bool blends(const GridView& view) const {
    if (!views_.priced() || !may_blend(view)) return false;
    const auto views = static_cast<std::int64_t>(blended_views_for(view));
    return views * static_cast<std::int64_t>(views_.steps(view)) <= budget_.left() / kToBlend;
  }

  /// Shares and multipliers sought at once.
  void climb_blended(const GridView& view) {
    budget_.spend(blended_views_for(view) * views_.steps(view));
    const std::vector<GridView> views = blended_views(views_, view);
    BlendedRelaxation pooled(views, sizes_, incidence_);
    const std::int64_t kept =
        zones_apart_ ? std::min(budget_.left() / 2, by_zone_ * kMostByZone) : 0;
    const PieceMultipliers best = with_part(budget_.left() - kept, [&](WorkBudget& part) {
      return climb(pooled, pooled.multipliers_at(view.priced, view.closing, {}), name_, part);
    });
    if (done() || !zones_apart_) return;
    BlendedByZone by_zone(views, sizes_, incidence_, most_counted_);
    climb(by_zone,
          by_zone.multipliers_at(pooled.priced(best), pooled.closing(best),
                                 by_zone.relaxed().of_pooled(pooled.of_pieces(best))),
          name_ + " by zone", budget_);
  }

  /// The best multipliers, found for the most part evenly.
  template <class Relaxation>
  PieceMultipliers climb(Relaxation& relaxation, const PieceMultipliers& start,
                         const std::string& name, WorkBudget& budget) {
    const auto affordable = budget.left() / static_cast<std::int64_t>(relaxation.steps_per_solve());
    const auto steps = static_cast<int>(std::min<std::int64_t>(affordable, kBlendedSteps));
    Ascent ascent(relaxation, budget, 0, static_cast<double>(enough_));
    ascent.start_at(start);
    const int last = steps / static_cast<int>(kAround);
    ascent.climb_evenly(steps - last, kAheadBlended);
    ascent.start_at(ascent.best_multipliers());
    ascent.climb_all(last, kAheadLast);
    take(static_cast<std::int64_t>(std::floor(ascent.best())), name);
    return ascent.best_multipliers();
  }

  const GridViews& views_;
  std::span<const std::uint32_t> sizes_;
  WorkBudget& budget_;
  std::int64_t enough_;
  std::string name_;
  Incidence incidence_;
  std::size_t most_counted_ = 0;
  std::int64_t by_zone_ = 0;  // steps of a solution with prices for each zone
  bool zones_apart_ = false;  // whether those are worth their while
  GridBound best_;
};

}  // namespace

GridBound bound_rows(const GridViews& views, const GridView& view,
                     std::span<const std::uint32_t> sizes, WorkBudget& budget,
                     std::int64_t enough) {
  return RowSearch(views, sizes, budget, enough).run(view);
}

}  // namespace zonecut
