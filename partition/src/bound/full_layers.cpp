#include "bound/full_layers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "bound/bundle_ascent.hpp"
#include "bound/narrow_layers.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr int kFirstLook = 60;
constexpr int kLaterLook = 30;
constexpr int kFewSteps = 5;
constexpr int kFewestOfTheLast = 12;     // of the finest look with the same prices for all zones
constexpr std::int64_t kLookPart = 4;    // of the work, of a look one part in so many at most
constexpr std::int64_t kSharedPart = 4;  // the same prices for all zones, where each has its own
// One solution with prices by zone and all vertices takes one part in so many of the work at most.
constexpr std::int64_t kByZonePart = 4;
// Models with so many multipliers are seldom finished; a smaller reach would not change that.
constexpr double kUnfinishedReach = 1;
constexpr double kReachBehind = 0.1;  // such a model may say less than is known
constexpr double kReachByZone = 0.3;  // of that with the same prices for all zones, to begin with
constexpr double kNoEnd = std::numeric_limits<double>::infinity();

void climb(LayerLook& look, const PieceMultipliers& start, int most_steps, WorkBudget& budget) {
  BundleAscent bundle(look.relaxation(), budget, kNoEnd, start);
  bundle.climb(most_steps, {kUnfinishedReach, kReachBehind});
  look.keep(bundle.best_multipliers());
}

}  // namespace

FullLayers::FullLayers(std::span<const Layer> layers, std::span<const std::uint32_t> capacity,
                       std::size_t touches, std::size_t unit, LayerRelaxation& shared,
                       WorkBudget& budget)
    : layers_(layers),
      capacity_(capacity),
      touches_(touches),
      shared_(shared),
      by_zone_(layers, capacity, true, touches, LayerPrices::ByZone, LayerRelaxation::kAll, unit),
      budget_(budget) {}

/// Prices to begin with, the same for all zones. None where tables are too large in any case.
std::unique_ptr<LayerLook> FullLayers::first_looks() {
  std::unique_ptr<LayerLook> last;
  for (std::size_t width = first_width(layers_); !last || width > 1;
       width = width_up_to(layers_, width / 2)) {
    auto look = std::make_unique<LayerLook>(layers_, capacity_, true, width);
    if (!look->fits()) break;
    const std::int64_t steps = budget_.left() / kLookPart;
    if (last && steps_within(WorkBudget(steps), look->relaxation()) < kFewestOfALook) break;
    PieceMultipliers start{std::vector<double>(look->relaxation().pieces(), 0)};
    if (last) start = last->prices_for(*look);
    with_part(budget_, steps,
              [&](WorkBudget& part) { climb(*look, start, last ? kLaterLook : kFirstLook, part); });
    last = std::move(look);
  }
  return last;
}

/// With as few vertices as one, up to `width`, as leave so many steps time; with so many where that
/// leaves a few at least.
std::unique_ptr<LayerLook> FullLayers::finest(LayerPrices prices, std::size_t width,
                                              std::int64_t steps, int wanted) {
  std::unique_ptr<LayerLook> best;
  for (bool more = true; more; width = width_up_to(layers_, width / 2)) {
    auto look = std::make_unique<LayerLook>(layers_, capacity_, true, width, prices);
    const int fewest = best ? wanted : kFewSteps;
    if (!look->fits() || steps_within(WorkBudget(steps), look->relaxation()) < fewest) break;
    best = std::move(look);
    more = width > 1;
  }
  return best;
}

/// With all vertices. Gives the prices of the highest bound.
PieceMultipliers FullLayers::climb_whole(LayerRelaxation& relaxation, const PieceMultipliers& start,
                                         WorkBudget& budget, std::int64_t enough) {
  if (steps_within(budget, relaxation) == 0) return start;
  BundleAscent bundle(relaxation, budget, static_cast<double>(enough), start);
  bundle.climb(kMostLayerSteps, {kUnfinishedReach, kReachBehind, reach_});
  reach_ = kReachByZone * bundle.reached();
  best_ = std::max(best_, rounded_down(bundle.best()));
  return bundle.best_multipliers();
}

std::int64_t FullLayers::bound_by_steps(std::int64_t enough) {
  const bool apart =
      by_zone_.entries() <= kMostTableEntries && steps_within(budget_, by_zone_) >= 2 * kFewSteps;
  const PieceMultipliers start = first_looks()->prices_for(shared_);
  const std::int64_t steps = apart ? budget_.left() / kSharedPart : budget_.left();
  const PieceMultipliers found = with_part(
      budget_, steps, [&](WorkBudget& part) { return climb_whole(shared_, start, part, enough); });
  if (apart && best_ < enough && steps_within(budget_, by_zone_) >= kFewSteps) {
    climb_whole(by_zone_, by_zone_.of_more(shared_, found), budget_, enough);
  }
  return best_;
}

/// Where zones take few vertices of a layer, prices for those are sought; otherwise with fewer
/// vertices as one, and `look` is then that one.
std::int64_t FullLayers::bound_by_shared(std::unique_ptr<LayerLook>& look, WorkBudget& budget,
                                         double known) {
  const std::size_t taken = std::max<std::size_t>(1, look->most_taken());
  const std::size_t options = options_that_fit(layers_, capacity_);
  if (taken < options) {
    const std::size_t most = std::min(2 * taken, options - 1);
    LayerRelaxation narrow(layers_, capacity_, true, touches_, LayerPrices::Shared, most);
    return bound_by_less(shared_, std::move(narrow), look->prices_for(shared_), budget, known)
        .quarters;
  }
  if (auto finer = finest(LayerPrices::Shared, look->width(), budget.left(), kFewestOfTheLast)) {
    climb(*finer, look->prices_for(*finer), kMostLayerSteps, budget);
    look = std::move(finer);
  }
  return rounded_down(shared_.bound_at(look->prices_for(shared_)));
}

std::int64_t FullLayers::bound_by_looks(double known) {
  const std::int64_t all = budget_.left();
  budget_.spend(shared_.steps_per_solve());
  const auto solution = static_cast<std::int64_t>(by_zone_.steps_per_solve());
  const bool apart = solution <= all / kByZonePart;
  if (apart) budget_.spend(static_cast<std::size_t>(solution));
  std::unique_ptr<LayerLook> look = first_looks();
  if (!look) return 0;
  const std::size_t width = look->width();
  const std::int64_t steps = apart ? budget_.left() / 2 : budget_.left();
  best_ = with_part(budget_, steps,
                    [&](WorkBudget& part) { return bound_by_shared(look, part, known); });
  if (!apart) return best_;
  if (auto zones = finest(LayerPrices::ByZone, width, budget_.left(), kFewestOfALook)) {
    climb(*zones, look->prices_for(*zones), kMostLayerSteps, budget_);
    best_ = std::max(best_, rounded_down(by_zone_.bound_at(zones->prices_for(by_zone_))));
  }
  return best_;
}

}  // namespace zonecut
