#include "bound/bound_layers.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/bundle_ascent.hpp"
#include "bound/incidence.hpp"
#include "bound/layer_looks.hpp"
#include "bound/layer_relaxation.hpp"
#include "bound/layers.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 24;  // of tables that are there at a time
constexpr int kSteps = 500;
constexpr int kCoarseSteps = 300;
// Where zones are full: steps of the bundle method.
constexpr int kFewestByBundle = 30;
constexpr int kFirstLook = 60;
constexpr int kLaterLook = 30;
constexpr int kFewestByZone = 5;
constexpr std::int64_t kLookPart = 4;    // of the work, of a look one part in so many at most
constexpr std::int64_t kSharedPart = 4;  // the same prices for all zones, where each has its own
// Models with so many multipliers are seldom finished; a smaller reach would not change that.
constexpr double kUnfinishedReach = 1;
constexpr double kReachBehind = 0.1;  // such a model may say less than is known
constexpr double kReachByZone = 0.3;  // of that with the same prices for all zones, to begin with
constexpr double kNoEnd = std::numeric_limits<double>::infinity();
// Where zones may hold less: steps, for prices by zone to be worth their while.
constexpr int kFewestOpenByZone = 100;
constexpr double kAhead = 0.06;
constexpr double kAheadWhenPressed = 0.005;
constexpr double kAheadEvenly = 0.08;
constexpr double kAheadOfLooks = 0.4;
constexpr double kSteadySteps = 300;
constexpr int kMany = 100;  // steps, with which prices are found from the first to the last
constexpr int kFewestOfALook = 20;
constexpr std::size_t kFine = 12;  // a layer of so many parts is fine enough to begin with

/// Vertices as one at first.
std::size_t first_width(std::span<const Layer> layers) {
  return width_up_to(layers, std::ranges::min(layers, {}, &Layer::size).size / kFine);
}

/// How far to aim above a bound: with few steps not far, or none of them finds a better one.
double ahead_of(int steps, double most) {
  const double part = static_cast<double>(steps) / kSteadySteps;
  return std::min(most, part * part);
}

/// Up to kSteps.
int steps_within(const WorkBudget& budget, const LayerRelaxation& relaxation) {
  const auto each = static_cast<std::int64_t>(relaxation.steps_per_solve());
  return static_cast<int>(std::min<std::int64_t>(kSteps, budget.left() / each));
}

struct FirstPrices {
  PieceMultipliers prices;
  std::size_t taken = 0;  ///< by a zone of a layer at most, about
};

/// Prices found where several vertices count as one: one for all vertices of a layer. Where there
/// is time for few steps with all of them, others follow, found with fewer and fewer as one, each
/// time with a part of the budget.
FirstPrices first_multipliers(std::span<const Layer> layers,
                              std::span<const std::uint32_t> capacity, bool full,
                              const LayerRelaxation& fine, WorkBudget& budget, double known) {
  const bool pressed = steps_within(budget, fine) < kMany;
  std::unique_ptr<LayerLook> last;
  for (std::size_t width = first_width(layers); !last || (pressed && width > 1);
       width = width_up_to(layers, width / 2)) {
    auto look = std::make_unique<LayerLook>(layers, capacity, full, width);
    if (last && look->relaxation().entries() > kMostEntries) break;
    const std::int64_t share = budget.left() / 4;
    const int steps = steps_within(WorkBudget(share), look->relaxation());
    if (last && steps < kFewestOfALook) break;
    with_part(budget, share, [&](WorkBudget& part) {
      Ascent ascent(look->relaxation(), part, known, std::numeric_limits<double>::infinity());
      if (last) {
        ascent.start_at(last->prices_for(*look));
        ascent.climb_evenly(steps, ahead_of(steps, kAheadOfLooks));
      } else {
        ascent.climb_all(kCoarseSteps, kAhead, true);
      }
      look->keep(ascent.best_multipliers());
    });
    last = std::move(look);
  }
  return {last->prices_for(fine), last->width() * last->relaxation().most_taken(last->prices())};
}

/// Of each layer, for tables not to be too large: 0 to one vertex less than this.
std::size_t options_that_fit(std::span<const Layer> layers,
                             std::span<const std::uint32_t> capacity) {
  const std::size_t sums = *std::ranges::max_element(capacity) + std::size_t{1};
  return kMostEntries / (layers.size() * sums);
}

/// Prices that are found while zones take at most twice of a layer what any takes at first: that
/// bounds nothing, but tables are smaller, and larger pieces get prices at which layers are not
/// made up of them.
PieceMultipliers prices_by_less(const LayerRelaxation& relaxation, LayerRelaxation narrow,
                                const PieceMultipliers& start, WorkBudget& budget, double known) {
  Ascent ascent(narrow, budget, known, std::numeric_limits<double>::infinity());
  ascent.start_at(narrow.of_more(relaxation, start));
  const int steps = steps_within(budget, narrow);
  ascent.climb_all(steps / 2, kAheadWhenPressed, true);
  ascent.start_at(ascent.best_multipliers());
  ascent.climb_evenly(steps - steps / 2, kAheadWhenPressed);
  return relaxation.of_fewer(narrow, ascent.best_multipliers());
}

/// At those. Tables of both are never there at once.
SharedBound bound_by_less(LayerRelaxation& relaxation, LayerRelaxation narrow,
                          const PieceMultipliers& start, WorkBudget& budget, double known) {
  budget.spend(relaxation.steps_per_solve());  // for what the prices found come to
  const PieceMultipliers found =
      prices_by_less(relaxation, std::move(narrow), start, budget, known);
  const std::int64_t bound = rounded_down(relaxation.bound_at(found));
  return {bound, relaxation.shares().value_or(Shares{})};
}

/// Where zones are full, and there is time for more than a few solutions: by the bundle method, the
/// same prices for all zones with fewer and fewer vertices as one, and then prices by zone.
class FullZones {
 public:
  FullZones(std::span<const Layer> layers, std::span<const std::uint32_t> capacity,
            std::size_t touches, std::size_t unit, WorkBudget& budget, std::int64_t enough)
      : layers_(layers),
        capacity_(capacity),
        shared_(layers, capacity, true, touches, LayerPrices::Shared, LayerRelaxation::kAll, unit),
        by_zone_(layers, capacity, true, touches, LayerPrices::ByZone, LayerRelaxation::kAll, unit),
        budget_(budget),
        enough_(enough) {}

  std::int64_t bound() {
    const bool apart =
        by_zone_.entries() <= kMostEntries && steps_within(budget_, by_zone_) >= 2 * kFewestByZone;
    const PieceMultipliers start = look();
    const std::int64_t steps = apart ? budget_.left() / kSharedPart : budget_.left();
    const PieceMultipliers found =
        with_part(budget_, steps, [&](WorkBudget& part) { return climb(shared_, start, part); });
    if (apart && best_ < enough_ && steps_within(budget_, by_zone_) >= kFewestByZone) {
      climb(by_zone_, by_zone_.of_more(shared_, found), budget_);
    }
    return best_;
  }

 private:
  /// Prices to begin with, of all zones.
  PieceMultipliers look() {
    std::unique_ptr<LayerLook> last;
    for (std::size_t width = first_width(layers_); !last || width > 1;
         width = width_up_to(layers_, width / 2)) {
      auto look = std::make_unique<LayerLook>(layers_, capacity_, true, width);
      const std::int64_t steps = budget_.left() / kLookPart;
      if (last && steps_within(WorkBudget(steps), look->relaxation()) < kFewestOfALook) break;
      PieceMultipliers start{std::vector<double>(look->relaxation().pieces(), 0)};
      if (last) start = last->prices_for(*look);
      with_part(budget_, steps, [&](WorkBudget& part) {
        BundleAscent bundle(look->relaxation(), part, kNoEnd, start);
        bundle.climb(last ? kLaterLook : kFirstLook, {kUnfinishedReach, kReachBehind});
        look->keep(bundle.best_multipliers());
      });
      last = std::move(look);
    }
    return last->prices_for(shared_);
  }

  /// Gives the prices of the highest bound.
  PieceMultipliers climb(LayerRelaxation& relaxation, const PieceMultipliers& start,
                         WorkBudget& budget) {
    if (steps_within(budget, relaxation) == 0) return start;
    BundleAscent bundle(relaxation, budget, static_cast<double>(enough_), start);
    bundle.climb(kSteps, {kUnfinishedReach, kReachBehind, reach_});
    reach_ = kReachByZone * bundle.reached();
    best_ = std::max(best_, rounded_down(bundle.best()));
    return bundle.best_multipliers();
  }

  std::span<const Layer> layers_;
  std::span<const std::uint32_t> capacity_;
  LayerRelaxation shared_;
  LayerRelaxation by_zone_;
  WorkBudget& budget_;
  std::int64_t enough_;
  std::int64_t best_ = 0;
  double reach_ = 0;  // of the next climb at first, at least
};

/// The best that was found, and the sizes it took.
SharedBound bound_at(LayerRelaxation& relaxation, const Ascent<LayerRelaxation>& ascent) {
  PieceViolation violation;
  relaxation.solve(ascent.best_multipliers(), violation);
  return {rounded_down(ascent.best()), relaxation.shares().value_or(Shares{})};
}

/// By subgradients; with prices by zone in the second half, if it is given one.
SharedBound bound_by_steps(LayerRelaxation& relaxation, const PieceMultipliers& start,
                           LayerRelaxation* by_zone, WorkBudget& budget, double known,
                           std::int64_t enough) {
  const int within = steps_within(budget, relaxation);
  const int steps = by_zone != nullptr ? within / 2 : within;
  if (steps == 0) return {};
  Ascent ascent(relaxation, budget, known, static_cast<double>(enough));
  ascent.start_at(start);
  ascent.climb_all(steps / 4, within < kMany ? kAheadWhenPressed : kAhead, true);
  ascent.climb_evenly(steps - steps / 4, ahead_of(within, kAheadEvenly));
  SharedBound shared = bound_at(relaxation, ascent);
  if (by_zone == nullptr || shared.quarters >= enough) return shared;
  const int left = steps_within(budget, *by_zone);
  if (left < kFewestOpenByZone) return shared;
  Ascent further(*by_zone, budget, known, static_cast<double>(enough));
  further.start_at(by_zone->of_more(relaxation, ascent.best_multipliers()));
  further.climb_evenly(left, kAheadEvenly);
  SharedBound better = bound_at(*by_zone, further);
  return better.quarters > shared.quarters ? better : shared;
}

}  // namespace

SharedBound layers_bound(const PartitionProblem& problem, WeightUnit unit, WorkBudget& budget,
                         std::int64_t known, std::int64_t enough) {
  const std::size_t most =
      std::min<std::size_t>(*std::ranges::max_element(problem.capacity), problem.graph.vertices());
  return bound_of_layers(layers_of(problem, unit, most), problem, 1, budget, known, enough);
}

SharedBound bound_of_layers(std::span<const Layer> layers, const PartitionProblem& problem,
                            std::size_t unit, WorkBudget& budget, std::int64_t known,
                            std::int64_t enough) {
  if (layers.empty()) return {};
  const std::size_t vertices = problem.graph.vertices();
  std::vector<std::uint32_t> capacity;
  for (const std::uint32_t c : problem.capacity) {
    capacity.push_back(std::min<std::uint32_t>(c, static_cast<std::uint32_t>(vertices)));
  }
  const bool full = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0}) == vertices;
  const std::size_t touches =
      full ? incidence_of(capacity, common_divisor(layers), layers.size()).touches : 0;
  LayerRelaxation relaxation(layers, capacity, full, touches, LayerPrices::Shared,
                             LayerRelaxation::kAll, unit);
  // Prices take a solution, and so does what they come to.
  if (steps_within(budget, relaxation) < 2) return {};
  const bool fits = relaxation.entries() <= kMostEntries;
  const std::size_t options = options_that_fit(layers, capacity);
  if (!fits && (unit > 1 || options < 2 || relaxation.entries_for_bound() > kMostEntries)) {
    return {};
  }
  if (full && fits && steps_within(budget, relaxation) >= kFewestByBundle) {
    return {FullZones(layers, capacity, touches, unit, budget, enough).bound(), {}};
  }
  const auto [start, taken] =
      first_multipliers(layers, capacity, full, relaxation, budget, static_cast<double>(known));
  // Smaller tables may leave a zone no pieces that are whole units.
  if (unit == 1 && (full || !fits || steps_within(budget, relaxation) < kMany)) {
    const std::size_t most = std::min(2 * std::max<std::size_t>(1, taken), options - 1);
    return bound_by_less(relaxation, {layers, capacity, full, touches, LayerPrices::Shared, most},
                         start, budget, static_cast<double>(known));
  }
  LayerRelaxation by_zone(layers, capacity, full, touches, LayerPrices::ByZone,
                          LayerRelaxation::kAll, unit);
  const bool apart =
      steps_within(budget, by_zone) >= 2 * kFewestOpenByZone && by_zone.entries() <= kMostEntries;
  return bound_by_steps(relaxation, start, apart ? &by_zone : nullptr, budget,
                        static_cast<double>(known), enough);
}

}  // namespace zonecut
