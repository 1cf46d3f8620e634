#include "bound/bound_stages.hpp"

#include <algorithm>
#include <limits>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/incidence.hpp"
#include "bound/wide_units.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr int kSteps = 400;
constexpr double kAheadAtFirst = 0.1;
constexpr double kAhead = 0.02;
constexpr double kPromising = 0.9;  // of the bound known
constexpr double kNear = 0.99;      // to the bound known, with the first prices
constexpr std::size_t kWidest = 4;
constexpr std::size_t kFewUnits = 12;  // a row of so many is coarse enough as it is

/// The most vertices taken as one that divide a row.
std::size_t width_of(const StageRows& rows) {
  std::size_t width = std::min(kWidest, std::max<std::size_t>(1, rows.length / kFewUnits));
  while (rows.length % width != 0) --width;
  return width;
}

StageRows coarser(const StageRows& rows, std::size_t width) {
  const auto times = static_cast<std::int64_t>(width);
  StageRows wide{{rows.rows, rows.length / width, times * rows.step, times * rows.wrap}, {}};
  for (std::size_t x = 0; x <= rows.length; x += width) wide.inside.push_back(rows.inside[x]);
  return wide;
}

/// Prices of pieces of whole units, and in between in proportion.
PieceMultipliers finer(const PieceMultipliers& wide, std::size_t classes, std::size_t options,
                       std::size_t width) {
  const std::size_t units = wide.piece.size() / classes;
  PieceMultipliers fine;
  fine.touch = wide.touch;
  for (std::size_t c = 0; c < classes; ++c) {
    const double* price = &wide.piece[c * units];
    for (std::size_t x = 0; x < options; ++x) {
      const std::size_t low = std::min(x / width, units - 1);
      const std::size_t high = std::min(low + 1, units - 1);
      const double share = static_cast<double>(x % width) / static_cast<double>(width);
      fine.piece.push_back((1 - share) * price[low] + share * price[high]);
    }
  }
  return fine;
}

/// A third of the budget for prices to begin with.
PieceMultipliers first_multipliers(const StageRows& rows, std::span<const std::uint32_t> sizes,
                                   std::size_t width, const StageRelaxation& relaxation,
                                   WorkBudget& budget) {
  const StageRows wide = coarser(rows, width);
  const std::vector<std::uint32_t> units = in_wide_units(sizes, width);
  StageRelaxation coarse(wide, units, 0);
  const PieceMultipliers best = with_part(budget, budget.left() / 3, [&](WorkBudget& share) {
    Ascent ascent(coarse, share, 0, std::numeric_limits<double>::infinity());
    ascent.climb_all(kSteps, kAheadAtFirst);
    return ascent.best_multipliers();
  });
  const std::size_t classes = (rows.rows + 1) / 2;
  return finer(best, classes, relaxation.pieces() / classes, width);
}

}  // namespace

std::int64_t separable_stages_bound(const StageRows& rows, std::span<const std::uint32_t> sizes,
                                    WorkBudget& budget) {
  StageRelaxation relaxation(rows, sizes, 0);
  const std::size_t steps = relaxation.steps_per_solve();
  if (static_cast<std::int64_t>(steps) > budget.left()) return 0;
  budget.spend(steps);
  PieceMultipliers none;
  none.piece.assign(relaxation.pieces(), 0);
  PieceViolation violation;
  return rounded_down(relaxation.solve(none, violation));
}

std::optional<std::int64_t> stages_bound(const StageRows& rows,
                                         std::span<const std::uint32_t> sizes, WorkBudget& budget,
                                         std::int64_t known, std::int64_t enough) {
  StageRelaxation relaxation(rows, sizes, incidence_of(sizes, rows.length, rows.rows).touches);
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return std::nullopt;
  Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
  const auto reaches = [&](double share) {
    return ascent.best() >= share * static_cast<double>(known);
  };
  const std::size_t width = width_of(rows);
  if (reaches(kPromising) && width > 1) {
    ascent.start_at(first_multipliers(rows, sizes, width, relaxation, budget));
    if (reaches(kNear)) {
      ascent.climb_all(kSteps, kAhead);
      ascent.climb_all(kSteps, kAhead / 8);
    }
  } else if (reaches(kPromising)) {
    ascent.climb_all(kSteps, kAheadAtFirst);
  }
  return rounded_down(ascent.best());
}

}  // namespace zonecut
