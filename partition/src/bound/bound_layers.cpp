#include "bound/bound_layers.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/full_layers.hpp"
#include "bound/incidence.hpp"
#include "bound/layer_looks.hpp"
#include "bound/layer_relaxation.hpp"
#include "bound/layers.hpp"
#include "bound/narrow_layers.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr int kFewestByBundle = 30;  // steps, for the bundle method with all vertices
constexpr int kCoarseSteps = 300;
// Steps, for prices by zone to be worth their while.
constexpr int kFewestByZone = 100;
constexpr double kAhead = 0.06;
constexpr double kAheadWhenPressed = 0.005;
constexpr double kAheadEvenly = 0.08;
constexpr double kAheadOfLooks = 0.4;
constexpr double kSteadySteps = 300;
constexpr int kMany = 100;  // steps, with which prices are found from the first to the last

/// How far to aim above a bound: with few steps not far, or none of them finds a better one.
double ahead_of(int steps, double most) {
  const double part = static_cast<double>(steps) / kSteadySteps;
  return std::min(most, part * part);
}

struct FirstPrices {
  PieceMultipliers prices;
  std::size_t taken = 0;  ///< by a zone of a layer at most, about
};

/// Prices found where several vertices count as one: one for all vertices of a layer. Where there
/// is time for few steps with all of them, others follow, found with fewer and fewer as one, each
/// time with a part of the budget. None where tables are too large even so.
std::optional<FirstPrices> first_multipliers(std::span<const Layer> layers,
                                             std::span<const std::uint32_t> capacity, bool full,
                                             const LayerRelaxation& fine, WorkBudget& budget,
                                             double known) {
  const bool pressed = steps_within(budget, fine) < kMany;
  std::unique_ptr<LayerLook> last;
  for (std::size_t width = first_width(layers); !last || (pressed && width > 1);
       width = width_up_to(layers, width / 2)) {
    auto look = std::make_unique<LayerLook>(layers, capacity, full, width);
    if (!look->fits()) break;
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
  if (!last) return std::nullopt;
  return FirstPrices{last->prices_for(fine), last->most_taken()};
}

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
  if (left < kFewestByZone) return shared;
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
  const bool fits = relaxation.entries() <= kMostTableEntries;
  if (!fits && (unit > 1 || relaxation.entries_for_bound() > kMostTableEntries)) return {};
  if (full) {
    FullLayers zones(layers, capacity, touches, unit, relaxation, budget);
    if (fits && steps_within(budget, relaxation) >= kFewestByBundle) {
      return {zones.bound_by_steps(enough), {}};
    }
    if (unit == 1) return {zones.bound_by_looks(static_cast<double>(known)), {}};
  }
  const std::size_t options = options_that_fit(layers, capacity);
  if (!fits && options < 2) return {};
  const std::optional<FirstPrices> first =
      first_multipliers(layers, capacity, full, relaxation, budget, static_cast<double>(known));
  if (!first) return {};
  // Smaller tables may leave a zone no pieces that are whole units.
  if (unit == 1 && (!fits || steps_within(budget, relaxation) < kMany)) {
    const std::size_t most = std::min(2 * std::max<std::size_t>(1, first->taken), options - 1);
    budget.spend(relaxation.steps_per_solve());  // for what the prices found come to
    return bound_by_less(relaxation, {layers, capacity, full, touches, LayerPrices::Shared, most},
                         first->prices, budget, static_cast<double>(known));
  }
  LayerRelaxation by_zone(layers, capacity, full, touches, LayerPrices::ByZone,
                          LayerRelaxation::kAll, unit);
  const bool apart =
      steps_within(budget, by_zone) >= 2 * kFewestByZone && by_zone.entries() <= kMostTableEntries;
  return bound_by_steps(relaxation, first->prices, apart ? &by_zone : nullptr, budget,
                        static_cast<double>(known), enough);
}

}  // namespace zonecut
