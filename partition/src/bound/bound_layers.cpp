#include "bound/bound_layers.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/bundle_ascent.hpp"
#include "bound/incidence.hpp"
#include "bound/layer_relaxation.hpp"
#include "bound/layers.hpp"
#include "bound/wide_units.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostEntries = std::size_t{1} << 24;
constexpr int kSteps = 500;
constexpr int kCoarseSteps = 300;
constexpr int kFewestByZone = 100;  // for prices by zone to be worth their while
constexpr double kAhead = 0.06;
constexpr double kAheadWhenPressed = 0.005;
constexpr double kAheadEvenly = 0.08;
constexpr double kAheadOfLooks = 0.4;
constexpr double kSteadySteps = 300;
constexpr int kMany = 100;  // steps, with which prices are found from the first to the last
constexpr int kFewestOfALook = 20;
constexpr int kHardPressed = 20;   // so few steps that prices are found in smaller tables
constexpr std::size_t kFine = 12;  // a layer of so many parts is fine enough to begin with

/// Every so many vertices taken as one; the layers' sizes are multiples of `width`. Zones take up
/// to `most` of those. Where that is rounded up, what the last one cuts is not known, and counts as
/// what as many as are known cut.
std::vector<Layer> coarser(std::span<const Layer> layers, std::size_t width, std::size_t most) {
  std::vector<Layer> result;
  const auto times = static_cast<std::int64_t>(width);
  std::size_t most_before = 0;
  for (const Layer& layer : layers) {
    const std::size_t most_here = std::min(layer.size / width, most);
    Layer& wide = result.emplace_back(Layer{
        layer.size / width, {}, layer.link, layer.pairs.coarser(width, most_before, most_here)});
    for (std::size_t x = 0; x <= most_here; ++x) {
      wide.inside.push_back(layer.inside[std::min(x * width, layer.inside.size() - 1)]);
    }
    for (std::int64_t* w : {&wide.link.least_before, &wide.link.most_before, &wide.link.least_here,
                            &wide.link.most_here}) {
      *w *= times;
    }
    most_before = most_here;
  }
  return result;
}

std::size_t common_divisor(std::span<const Layer> layers) {
  std::size_t divisor = 0;
  for (const Layer& layer : layers) divisor = std::gcd(divisor, layer.size);
  return divisor;
}

/// The largest up to `most` by which all layers can be divided.
std::size_t width_up_to(std::span<const Layer> layers, std::size_t most) {
  const std::size_t divisor = common_divisor(layers);
  std::size_t width = std::max<std::size_t>(1, std::min(most, divisor));
  while (divisor % width != 0) --width;
  return width;
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

/// Layers with so many vertices taken as one, and prices for them.
struct Look {
  Look(std::span<const Layer> fine, std::span<const std::uint32_t> capacity, bool full,
       std::size_t vertices_as_one)
      : Look(fine, in_wide_units(capacity, vertices_as_one), full, vertices_as_one, {}) {}
  // The relaxation borrows the layers.
  Look(const Look&) = delete;
  Look& operator=(const Look&) = delete;

  /// Those of another look at the same layers; what they do not say is in proportion.
  [[nodiscard]] PieceMultipliers at(std::size_t finer, const LayerRelaxation& fine) const {
    PieceMultipliers result;
    result.piece.assign(fine.pieces(), 0);
    const double times = number(finer) / number(width);
    for (std::size_t layer = 0; layer < layers.size(); ++layer) {
      const std::size_t last = relaxation.options(layer) - 1;
      if (last == 0) continue;
      const double* known = &prices.piece[relaxation.first(layer)];
      for (std::size_t x = 1; x < fine.options(layer); ++x) {
        const std::size_t low = std::min(x * finer / width, last - 1);
        const double before = low == 0 ? 0 : known[low];
        result.piece[fine.first(layer) + x] =
            before + (known[low + 1] - before) * (number(x) * times - number(low));
      }
    }
    return result;
  }

  std::size_t width;
  std::vector<Layer> layers;
  LayerRelaxation relaxation;
  PieceMultipliers prices;

 private:
  Look(std::span<const Layer> fine, const std::vector<std::uint32_t>& wide_capacity, bool full,
       std::size_t vertices_as_one, PieceMultipliers none)
      : width(vertices_as_one),
        layers(coarser(fine, width, std::ranges::max(wide_capacity))),
        relaxation(layers, wide_capacity, full, 0),
        prices(std::move(none)) {}
};

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
  const std::size_t smallest = std::ranges::min(layers, {}, &Layer::size).size;
  const bool pressed = steps_within(budget, fine) < kMany;
  std::unique_ptr<Look> last;
  for (std::size_t width = width_up_to(layers, smallest / kFine); !last || (pressed && width > 1);
       width = width_up_to(layers, width / 2)) {
    auto look = std::make_unique<Look>(layers, capacity, full, width);
    WorkBudget share(budget.left() / 4);
    const std::int64_t before = share.left();
    const int steps = steps_within(share, look->relaxation);
    if (last && steps < kFewestOfALook) break;
    Ascent ascent(look->relaxation, share, known, std::numeric_limits<double>::infinity());
    if (last) {
      ascent.start_at(last->at(width, look->relaxation));
      ascent.climb_evenly(steps, ahead_of(steps, kAheadOfLooks));
    } else {
      ascent.climb_all(kCoarseSteps, kAhead, true);
    }
    budget.spend(static_cast<std::size_t>(before - share.left()));
    look->prices = ascent.best_multipliers();
    last = std::move(look);
  }
  return {last->at(1, fine), last->width * last->relaxation.most_taken(last->prices)};
}

/// A bound at prices that are found while zones take at most twice of a layer what any takes at
/// first: that bounds nothing, but tables are smaller, and larger pieces get prices at which layers
/// are not made up of them.
std::int64_t bound_by_less(LayerRelaxation& relaxation, LayerRelaxation& narrow,
                           const PieceMultipliers& start, WorkBudget& budget, double known) {
  const auto last = static_cast<std::int64_t>(relaxation.steps_per_solve());
  WorkBudget part(std::max<std::int64_t>(0, budget.left() - last));
  Ascent ascent(narrow, part, known, std::numeric_limits<double>::infinity());
  ascent.start_at(narrow.of_more(relaxation, start));
  const int steps = steps_within(part, narrow);
  ascent.climb_all(steps / 2, kAheadWhenPressed, true);
  ascent.start_at(ascent.best_multipliers());
  ascent.climb_evenly(steps - steps / 2, kAheadWhenPressed);
  budget = WorkBudget(part.left());
  PieceViolation violation;
  return rounded_down(
      relaxation.solve(relaxation.of_fewer(narrow, ascent.best_multipliers()), violation));
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
  // Prices take a solution, and so does what they come to; or tables are too large for any.
  if (steps_within(budget, relaxation) < 2 || relaxation.entries() > kMostEntries) return {};
  const auto [start, taken] =
      first_multipliers(layers, capacity, full, relaxation, budget, static_cast<double>(known));
  LayerRelaxation by_zone(layers, capacity, full, touches, LayerPrices::ByZone,
                          LayerRelaxation::kAll, unit);
  const bool apart =
      steps_within(budget, by_zone) >= 2 * kFewestByZone && by_zone.entries() <= kMostEntries;
  const int within = steps_within(budget, relaxation);
  // Smaller tables may leave a zone no pieces that are whole units.
  if (full && unit == 1 && within < kHardPressed) {
    LayerRelaxation narrow(layers, capacity, full, touches, LayerPrices::Shared,
                           2 * std::max<std::size_t>(1, taken));
    return {bound_by_less(relaxation, narrow, start, budget, static_cast<double>(known)), {}};
  }
  // Evenly at first: a bundle method starts best not far from the highest bound.
  const int steps = full || apart ? within / 2 : within;
  if (steps == 0) return {};
  Ascent ascent(relaxation, budget, static_cast<double>(known), static_cast<double>(enough));
  ascent.start_at(start);
  ascent.climb_all(steps / 4, within < kMany ? kAheadWhenPressed : kAhead, true);
  ascent.climb_evenly(steps - steps / 4, ahead_of(within, kAheadEvenly));
  SharedBound shared = bound_at(relaxation, ascent);
  PieceMultipliers found = ascent.best_multipliers();
  if (full && shared.quarters < enough && steps_within(budget, relaxation) > 0) {
    with_part(budget, apart ? budget.left() / 4 : budget.left(), [&](WorkBudget& part) {
      BundleAscent bundle(relaxation, part, static_cast<double>(enough), found);
      bundle.climb(kSteps);
      found = bundle.best_multipliers();
      shared.quarters = std::max(shared.quarters, rounded_down(bundle.best()));
    });
  }
  const int left = steps_within(budget, by_zone);
  if (!apart || shared.quarters >= enough || left < kFewestByZone) return shared;
  Ascent further(by_zone, budget, static_cast<double>(known), static_cast<double>(enough));
  further.start_at(by_zone.of_more(relaxation, found));
  further.climb_evenly(left, kAheadEvenly);
  SharedBound better = bound_at(by_zone, further);
  return better.quarters > shared.quarters ? better : shared;
}

}  // namespace zonecut
