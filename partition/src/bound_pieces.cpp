#include "bound_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "ascent.hpp"
#include "bound_separable.hpp"
#include "incidence.hpp"
#include "piece_relaxation.hpp"

namespace zonecut {
namespace {

constexpr int kSteps = 400;
constexpr double kAhead = 0.02;
constexpr double kAheadStages = 0.06;  // prices begin further from the best ones
constexpr std::int64_t kFewStages = 10;
constexpr double kPromising = 0.97;
constexpr double kRounding = 1e-11;

}  // namespace

std::int64_t separable_bound(const RowModel& model, std::span<const std::uint32_t> sizes) {
  PieceMultipliers none;
  none.piece.assign(model.length, 0);
  PieceViolation violation;
  return static_cast<std::int64_t>(
      std::floor(PieceRelaxation(model, sizes, {}).solve(none, violation)));
}

std::int64_t pieces_bound(const RowModel& model, std::span<const std::uint32_t> sizes,
                          WorkBudget& budget, std::int64_t enough) {
  PieceRelaxation relaxation(model, sizes, incidence_of(sizes, model.length, model.rows));
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return 0;
  Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
  double high = 1;
  for (const std::int64_t cost : model.inside) high = std::max(high, static_cast<double>(cost));
  ascent.climb_touches(high + static_cast<double>(model.across.back()));
  ascent.climb_all(kSteps, kAhead);
  return static_cast<std::int64_t>(std::floor(ascent.best()));
}

std::int64_t separable_stages_bound(const StageRows& rows, std::span<const std::uint32_t> sizes,
                                    WorkBudget& budget) {
  StageRelaxation relaxation(rows, sizes, 0);
  const std::size_t steps = relaxation.steps_per_solve();
  if (static_cast<std::int64_t>(steps) > budget.left()) return 0;
  budget.spend(steps);
  PieceMultipliers none;
  none.piece.assign(relaxation.pieces(), 0);
  PieceViolation violation;
  return static_cast<std::int64_t>(std::floor(relaxation.solve(none, violation)));
}

std::int64_t stages_bound(const StageRows& rows, std::span<const std::uint32_t> sizes,
                          WorkBudget& budget, std::int64_t known, std::int64_t enough) {
  StageRelaxation relaxation(rows, sizes, incidence_of(sizes, rows.length, rows.rows).touches);
  const auto affordable = budget.left() / static_cast<std::int64_t>(relaxation.steps_per_solve());
  if (affordable < kFewStages) return 0;
  Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
  if (ascent.best() < kPromising * static_cast<double>(known)) return 0;
  ascent.climb_all(kSteps, kAheadStages);
  return static_cast<std::int64_t>(std::floor(ascent.best()));
}

std::int64_t open_pieces_bound(const RowModel& model, std::span<const std::uint32_t> capacity,
                               WorkBudget& budget, std::int64_t known) {
  PieceRelaxation relaxation(model, capacity, {model.rows, 0}, Filling::Open);
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return 0;
  Ascent ascent(relaxation, budget, static_cast<double>(known),
                std::numeric_limits<double>::infinity());
  ascent.climb_all(kSteps / 3, kAhead, true);
  ascent.climb_all(kSteps, kAhead);
  // At the best multipliers, sizes that add up exactly.
  PieceViolation violation;
  relaxation.solve(ascent.best_multipliers(), violation);
  std::vector<std::int64_t> by_size;
  for (const double cost : relaxation.by_size()) {
    by_size.push_back(static_cast<std::int64_t>(std::floor(cost - kRounding * std::abs(cost))));
  }
  const SharedBound shared = cheapest_shares(by_size, capacity, model.rows * model.length);
  const auto constant = static_cast<std::int64_t>(std::floor(relaxation.constant()));
  return std::max(static_cast<std::int64_t>(std::floor(ascent.best())), shared.quarters + constant);
}

}  // namespace zonecut
