#include "bound/bound_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/open_zones.hpp"
#include "bound/piece_relaxation.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr double kAhead = 0.02;
constexpr int kOpenSteps = 400;
constexpr double kOpenAhead = 0.05;

}  // namespace

std::int64_t separable_bound(const RowModel& model, std::span<const std::uint32_t> sizes,
                             Filling filling) {
  PieceMultipliers none;
  none.piece.assign(model.length, 0);
  PieceViolation violation;
  const Incidence incidence = filling == Filling::Full ? Incidence{} : open_incidence(model);
  return rounded_down(PieceRelaxation(model, sizes, incidence, filling).solve(none, violation));
}

std::optional<PiecesBound> pieces_bound(const RowModel& model, std::span<const std::uint32_t> sizes,
                                        const Incidence& incidence, WorkBudget& budget,
                                        std::int64_t enough, const PieceMultipliers& start,
                                        int most_steps) {
  PieceRelaxation relaxation(model, sizes, incidence);
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return std::nullopt;
  Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
  if (start.piece.empty()) {
    double high = 1;
    for (const std::int64_t cost : model.inside) high = std::max(high, static_cast<double>(cost));
    ascent.climb_touches(high + static_cast<double>(model.across.back()));
  } else {
    ascent.start_at(start);
  }
  ascent.climb_all(most_steps, kAhead);
  return PiecesBound{rounded_down(ascent.best()), ascent.best_multipliers()};
}

std::optional<PiecesBound> open_pieces_bound(const RowModel& model,
                                             std::span<const std::uint32_t> capacity,
                                             WorkBudget& budget, std::int64_t enough) {
  PieceRelaxation relaxation(model, capacity, open_incidence(model), Filling::Open);
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return std::nullopt;
  Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
  ascent.climb_evenly(kOpenSteps, kOpenAhead);
  return PiecesBound{rounded_down(ascent.best()), ascent.best_multipliers()};
}

}  // namespace zonecut
