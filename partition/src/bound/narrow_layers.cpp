#include "bound/narrow_layers.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "bound/ascent.hpp"
#include "bound/layer_looks.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr double kAhead = 0.005;  // how far to aim

/// Prices that are found while zones take at most twice of a layer what any takes at first: that
/// bounds nothing, but tables are smaller, and larger pieces get prices at which layers are not
/// made up of them.
PieceMultipliers prices_by_less(const LayerRelaxation& relaxation, LayerRelaxation narrow,
                                const PieceMultipliers& start, WorkBudget& budget, double known) {
  Ascent ascent(narrow, budget, known, std::numeric_limits<double>::infinity());
  ascent.start_at(narrow.of_more(relaxation, start));
  const int steps = steps_within(budget, narrow);
  ascent.climb_all(steps / 2, kAhead, true);
  ascent.start_at(ascent.best_multipliers());
  ascent.climb_evenly(steps - steps / 2, kAhead);
  return relaxation.of_fewer(narrow, ascent.best_multipliers());
}

}  // namespace

std::size_t options_that_fit(std::span<const Layer> layers,
                             std::span<const std::uint32_t> capacity) {
  const std::size_t sums = *std::ranges::max_element(capacity) + std::size_t{1};
  return kMostTableEntries / (layers.size() * sums);
}

SharedBound bound_by_less(LayerRelaxation& relaxation, LayerRelaxation narrow,
                          const PieceMultipliers& start, WorkBudget& budget, double known) {
  const PieceMultipliers found =
      prices_by_less(relaxation, std::move(narrow), start, budget, known);
  const std::int64_t bound = rounded_down(relaxation.bound_at(found));
  return {bound, relaxation.shares().value_or(Shares{})};
}

}  // namespace zonecut
