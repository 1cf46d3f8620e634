#include "bound_layers.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

#include "ascent.hpp"
#include "incidence.hpp"
#include "layer_relaxation.hpp"
#include "layers.hpp"
#include "relaxation_sums.hpp"
#include "wide_units.hpp"

namespace zonecut {
namespace {

constexpr int kSteps = 500;
constexpr int kCoarseSteps = 300;
constexpr int kFewestByZone = 100;  // for prices by zone to be worth their while
constexpr double kAhead = 0.06;
constexpr double kAheadEvenly = 0.08;
constexpr std::size_t kFine = 12;  // a layer of so many parts is fine enough to begin with

/// Every so many vertices taken as one; the layers' sizes are multiples of `width`.
std::vector<Layer> coarser(std::span<const Layer> layers, std::size_t width) {
  std::vector<Layer> result;
  const auto times = static_cast<std::int64_t>(width);
  for (const Layer& layer : layers) {
    Layer& wide = result.emplace_back(Layer{layer.size / width, {}, layer.link});
    for (std::size_t x = 0; x < layer.inside.size(); x += width) {
      wide.inside.push_back(layer.inside[x]);
    }
    for (std::int64_t* w : {&wide.link.least_before, &wide.link.most_before, &wide.link.least_here,
                            &wide.link.most_here}) {
      *w *= times;
    }
  }
  return result;
}

std::size_t width_of(std::span<const Layer> layers) {
  std::size_t divisor = 0;
  for (const Layer& layer : layers) divisor = std::gcd(divisor, layer.size);
  std::size_t width = std::max<std::size_t>(1, divisor / kFine);
  while (divisor % width != 0) --width;
  return width;
}

/// Prices of a vertex of each layer, found where a few vertices count as one.
PieceMultipliers first_multipliers(std::span<const Layer> layers,
                                   std::span<const std::uint32_t> capacity, bool full,
                                   const LayerRelaxation& fine, WorkBudget& budget, double known) {
  const std::size_t width = width_of(layers);
  const std::vector<Layer> wide = coarser(layers, width);
  LayerRelaxation relaxation(wide, in_wide_units(capacity, width), full, 0);
  WorkBudget share(budget.left() / 4);
  const std::int64_t before = share.left();
  Ascent ascent(relaxation, share, known, std::numeric_limits<double>::infinity());
  ascent.climb_all(kCoarseSteps, kAhead, true);
  budget.spend(static_cast<std::size_t>(before - share.left()));
  PieceMultipliers start;
  start.piece.assign(fine.pieces(), 0);
  for (std::size_t layer = 0; layer < layers.size(); ++layer) {
    if (relaxation.options(layer) < 2) continue;
    const double price =
        ascent.best_multipliers().piece[relaxation.first(layer) + 1] / static_cast<double>(width);
    for (std::size_t x = 1; x < fine.options(layer); ++x) {
      start.piece[fine.first(layer) + x] = price * static_cast<double>(x);
    }
  }
  return start;
}

/// The best that was found, and the sizes it took.
SharedBound bound_at(LayerRelaxation& relaxation, const Ascent<LayerRelaxation>& ascent) {
  PieceViolation violation;
  relaxation.solve(ascent.best_multipliers(), violation);
  return {rounded_down(ascent.best()), relaxation.shares().value_or(Shares{})};
}

}  // namespace

SharedBound layers_bound(const PartitionProblem& problem, WeightUnit unit, WorkBudget& budget,
                         std::int64_t known, std::int64_t enough) {
  const std::size_t vertices = problem.graph.vertices();
  std::vector<std::uint32_t> capacity;
  for (const std::uint32_t c : problem.capacity) {
    capacity.push_back(std::min<std::uint32_t>(c, static_cast<std::uint32_t>(vertices)));
  }
  const std::vector<Layer> layers = layers_of(problem, unit, *std::ranges::max_element(capacity));
  if (layers.empty()) return {};
  const bool full = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0}) == vertices;
  std::size_t divisor = 0;
  for (const Layer& layer : layers) divisor = std::gcd(divisor, layer.size);
  const std::size_t touches = full ? incidence_of(capacity, divisor, layers.size()).touches : 0;
  LayerRelaxation relaxation(layers, capacity, full, touches);
  const PieceMultipliers start =
      first_multipliers(layers, capacity, full, relaxation, budget, static_cast<double>(known));
  const auto affordable = [&](const LayerRelaxation& of) {
    const std::int64_t steps = budget.left() / static_cast<std::int64_t>(of.steps_per_solve());
    return static_cast<int>(std::min<std::int64_t>(kSteps, steps));
  };
  LayerRelaxation by_zone(layers, capacity, full, touches, LayerPrices::ByZone);
  const bool apart = affordable(by_zone) >= 2 * kFewestByZone;
  const int steps = apart ? std::min(affordable(relaxation), kSteps / 2) : affordable(relaxation);
  if (steps == 0) return {};
  Ascent ascent(relaxation, budget, static_cast<double>(known), static_cast<double>(enough));
  ascent.start_at(start);
  ascent.climb_all(steps / 4, kAhead, true);
  ascent.climb_evenly(steps - steps / 4, kAheadEvenly);
  SharedBound shared = bound_at(relaxation, ascent);
  if (!apart || shared.quarters >= enough || affordable(by_zone) < kFewestByZone) return shared;
  Ascent further(by_zone, budget, static_cast<double>(known), static_cast<double>(enough));
  further.start_at(by_zone.of_shared(relaxation, ascent.best_multipliers()));
  further.climb_evenly(affordable(by_zone), kAheadEvenly);
  SharedBound better = bound_at(by_zone, further);
  return better.quarters > shared.quarters ? better : shared;
}

}  // namespace zonecut
