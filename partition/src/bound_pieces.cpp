#include "bound_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "ascent.hpp"
#include "bound_separable.hpp"
#include "piece_relaxation.hpp"
#include "relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr int kSteps = 400;
constexpr double kAhead = 0.02;

}  // namespace

std::int64_t separable_bound(const RowModel& model, std::span<const std::uint32_t> sizes) {
  PieceMultipliers none;
  none.piece.assign(model.length, 0);
  PieceViolation violation;
  return static_cast<std::int64_t>(
      std::floor(PieceRelaxation(model, sizes, {}).solve(none, violation)));
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

std::int64_t open_pieces_bound(const RowModel& model, std::span<const std::uint32_t> capacity,
                               WorkBudget& budget, std::int64_t known, std::int64_t enough) {
  PieceRelaxation relaxation(model, capacity, {model.rows, 0}, Filling::Open);
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return 0;
  Ascent ascent(relaxation, budget, static_cast<double>(known), static_cast<double>(enough));
  ascent.climb_all(kSteps / 3, kAhead, true);
  ascent.climb_all(kSteps, kAhead);
  const auto climbed = rounded_down(ascent.best());
  if (climbed >= enough) return climbed;
  // At the best multipliers, sizes that add up exactly.
  PieceViolation violation;
  relaxation.solve(ascent.best_multipliers(), violation);
  std::vector<std::int64_t> by_size;
  for (const double cost : relaxation.by_size()) {
    by_size.push_back(rounded_down(cost - kRounding * std::abs(cost)));
  }
  const SharedBound shared = cheapest_shares(by_size, capacity, model.rows * model.length);
  const auto constant = rounded_down(relaxation.constant());
  return std::max(climbed, shared.quarters + constant);
}

}  // namespace zonecut
