#include "bound/bound_stages.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "bound/bundle_ascent.hpp"
#include "bound/incidence.hpp"
#include "bound/wide_units.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::array kLookSteps{60, 30, 20, 10};  // of the widest look, of the next, and so on
constexpr int kSteps = 1000;
constexpr std::size_t kFirstLooks = 2;
constexpr std::int64_t kToClimb =
    4;  // of what is left after the first solution, one part in so many
constexpr std::size_t kWidest = 16;
constexpr std::size_t kFewUnits = 12;  // a row of so many is coarse enough as it is

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

/// The largest number below `width` that divides it.
std::size_t largest_divisor(std::size_t width) {
  std::size_t divisor = width / 2;
  while (divisor > 1 && width % divisor != 0) --divisor;
  return std::max<std::size_t>(1, divisor);
}

}  // namespace

StageBound::StageBound(std::vector<PricedStages> shares, std::span<const std::uint32_t> sizes,
                       std::int64_t enough)
    : shares_(std::move(shares)), sizes_(sizes), enough_(enough) {}

/// Vertices to take as one in the next look.
std::size_t StageBound::narrower() const {
  if (width_ > 0) return largest_divisor(width_);
  const std::size_t length = share().rows.length;
  std::size_t width = std::min(kWidest, std::max<std::size_t>(1, length / kFewUnits));
  while (length % width != 0) --width;
  return width;
}

StageRelaxation StageBound::relaxation() const {
  const StageRows& rows = share().rows;
  return {rows, sizes_, incidence_of(sizes_, rows.length, rows.rows).touches};
}

/// Those of the last look, if there was one.
PieceMultipliers StageBound::prices_for(const StageRelaxation& relaxation,
                                        std::size_t width) const {
  if (width_ > 0) {
    const std::size_t classes = relaxation.classes();
    return finer(prices_, classes, relaxation.pieces() / classes, width_ / width);
  }
  PieceMultipliers none;
  none.piece.assign(relaxation.pieces(), 0);
  return none;
}

void StageBound::look(std::size_t width, int most_steps, WorkBudget& budget) {
  const std::vector<std::uint32_t> sizes = in_wide_units(sizes_, width);
  const StageRows rows = coarser(share().rows, width);
  StageRelaxation relaxation(rows, sizes, 0);
  BundleAscent ascent(relaxation, budget, std::numeric_limits<double>::infinity(),
                      prices_for(relaxation, width));
  ascent.climb(most_steps);
  prices_ = ascent.best_multipliers();
  width_ = width;
}

/// Looks with fewer and fewer vertices taken as one, each with half of what is left at most.
void StageBound::descend(std::size_t most_looks, WorkBudget& budget) {
  for (std::size_t width = narrower(); width > 1 && looks_ < most_looks; width = narrower()) {
    const int steps = kLookSteps[std::min(looks_, kLookSteps.size() - 1)];
    const StageRows rows = coarser(share().rows, width);
    const auto each = static_cast<std::int64_t>(
        StageRelaxation(rows, in_wide_units(sizes_, width), 0).steps_per_solve());
    if (2 * steps * each > budget.left()) return;
    with_part(budget, budget.left() / 2, [&](WorkBudget& part) { look(width, steps, part); });
    ++looks_;
  }
}

void StageBound::take(double bound) {
  best_ = std::max(best_, share().added + rounded_down(bound));
}

/// Units of several vertices say little of what groups are worth to zones, so shares are told apart
/// by what all vertices say.
void StageBound::choose_share(WorkBudget& budget) {
  double most = -std::numeric_limits<double>::infinity();
  std::size_t best = 0;
  for (share_ = 0; share_ < shares_.size(); ++share_) {
    StageRelaxation fine = relaxation();
    const std::size_t each = fine.steps_per_solve();
    if (static_cast<std::int64_t>(each) > budget.left()) break;
    budget.spend(each);
    PieceViolation violation;
    const double bound = fine.solve(prices_for(fine, 1), violation);
    take(bound);
    if (bound + static_cast<double>(share().added) <= most) continue;
    most = bound + static_cast<double>(share().added);
    best = share_;
  }
  share_ = best;
}

void StageBound::begin(WorkBudget& budget) {
  const std::size_t each = relaxation().steps_per_solve();
  const std::int64_t before = budget.left() - static_cast<std::int64_t>(each);
  if (before < 0) return;
  with_part(budget, before, [&](WorkBudget& part) { descend(kFirstLooks, part); });
  budget.spend(each);
  StageRelaxation fine = relaxation();
  PieceViolation violation;
  take(fine.solve(prices_for(fine, 1), violation));
  with_part(budget, budget.left() / kToClimb, [&](WorkBudget& part) { climb(part); });
}

void StageBound::climb(WorkBudget& budget, std::int64_t known) {
  if (width_ != 1) {
    descend(kLookSteps.size(), budget);
    with_part(budget, budget.left() / 4, [&](WorkBudget& part) { choose_share(part); });
  }
  StageRelaxation fine = relaxation();
  if (static_cast<std::int64_t>(fine.steps_per_solve()) > budget.left()) return;
  const auto above = [&](std::int64_t bound) {
    return static_cast<double>(bound) - static_cast<double>(share().added);
  };
  BundleAscent ascent(fine, budget, above(enough_), prices_for(fine, 1));
  ascent.climb(kSteps, above(known));
  take(ascent.best());
  prices_ = ascent.best_multipliers();
  width_ = 1;
}

}  // namespace zonecut
