#include "bound_pieces.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <vector>

#include "piece_relaxation.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostExactSizes = 16;
constexpr int kTouchSteps = 24;
constexpr int kPieceSteps = 400;
constexpr int kPatience = 10;
constexpr double kTarget = 0.02;  // how far above the best bound a step aims

/// Pairs first, then three at a time: at least as many groups as there can be.
std::size_t groups_at_most(const std::map<std::size_t, std::size_t>& residues, std::size_t length) {
  std::size_t pairs = 0;
  std::size_t rest = 0;
  for (const auto& [residue, count] : residues) {
    const std::size_t other = length - residue;
    const auto partner = residues.find(other);
    const std::size_t there = partner == residues.end() ? 0 : partner->second;
    if (residue == other) {
      pairs += count / 2;
      rest += count % 2;
    } else {
      if (residue < other) pairs += std::min(count, there);
      rest += count - std::min(count, there);
    }
  }
  return pairs + rest / 3;
}

/// most[set] over all subsets: the best that taking one away leaves, and one more if the set itself
/// adds up.
std::size_t groups_exactly(const std::vector<std::size_t>& residues, std::size_t length) {
  const std::size_t sets = std::size_t{1} << residues.size();
  std::vector<std::uint8_t> most(sets, 0);
  std::vector<std::size_t> sum(sets, 0);
  for (std::size_t set = 1; set < sets; ++set) {
    std::uint8_t best = 0;
    for (std::size_t i = 0; i < residues.size(); ++i) {
      const std::size_t without = set & ~(std::size_t{1} << i);
      if (without == set) continue;
      best = std::max(best, most[without]);
      sum[set] = (sum[without] + residues[i]) % length;
    }
    most[set] = static_cast<std::uint8_t>(best + (sum[set] == 0 ? 1 : 0));
  }
  return most.back();
}

/// Looks for the multipliers of the highest bound. Remembers the best value it saw.
class Ascent {
 public:
  Ascent(PieceRelaxation relaxation, const RowModel& model, WorkBudget& budget)
      : relaxation_(std::move(relaxation)), budget_(budget) {
    multipliers_.piece.assign(model.length, 0);
    direction_.piece.assign(model.length, 0);
    evaluate();
  }

  /// The multiplier of touches alone: the bound is concave in it, its slope says which way to go.
  void climb_touches(double high) {
    double low = 0;
    for (int step = 0; step < kTouchSteps && !budget_.spent() && high - low > 0.25; ++step) {
      multipliers_.touch = (low + high) / 2;
      evaluate();
      (violation_.touch > 0 ? low : high) = multipliers_.touch;
    }
    return_to_best();
  }

  /// All multipliers: deflected subgradients with Polyak's step towards a target a little above.
  void climb_all() {
    double ambition = 1;
    int fruitless = 0;
    for (int step = 0; step < kPieceSteps && !budget_.spent(); ++step) {
      const double norm = deflect();
      if (norm < 1e-9) return;
      const double target = std::max(best_ + kTarget * std::abs(best_), value_) + 1;
      move(ambition * (target - value_) / norm);
      const double before = best_;
      evaluate();
      fruitless = best_ > before ? 0 : fruitless + 1;
      if (fruitless == kPatience) {
        ambition *= 0.85;
        fruitless = 0;
      }
    }
  }

  [[nodiscard]] double best() const { return best_; }

 private:
  /// Its squared length; where a multiplier is at its limit, no further.
  double deflect() {
    double norm = 0;
    for (std::size_t x = 1; x < direction_.piece.size(); ++x) {
      direction_.piece[x] = 0.8 * direction_.piece[x] + violation_.piece[x];
      norm += direction_.piece[x] * direction_.piece[x];
    }
    direction_.touch = 0.8 * direction_.touch + violation_.touch;
    if (multipliers_.touch <= 0) direction_.touch = std::max(0.0, direction_.touch);
    direction_.run = 0.8 * direction_.run + violation_.run;
    if (multipliers_.run <= 0) direction_.run = std::max(0.0, direction_.run);
    if (multipliers_.run >= relaxation_.most_run()) {
      direction_.run = std::min(0.0, direction_.run);
    }
    return norm + direction_.touch * direction_.touch + direction_.run * direction_.run;
  }

  void move(double length) {
    for (std::size_t x = 1; x < direction_.piece.size(); ++x) {
      multipliers_.piece[x] += length * direction_.piece[x];
    }
    multipliers_.touch = std::max(0.0, multipliers_.touch + length * direction_.touch);
    multipliers_.run =
        std::clamp(multipliers_.run + length * direction_.run, 0.0, relaxation_.most_run());
  }

  void evaluate() {
    budget_.spend(relaxation_.steps_per_solve());
    value_ = relaxation_.solve(multipliers_, violation_);
    if (value_ <= best_) return;
    best_ = value_;
    best_multipliers_ = multipliers_;
    best_violation_ = violation_;
  }

  void return_to_best() {
    value_ = best_;
    multipliers_ = best_multipliers_;
    violation_ = best_violation_;
  }

  PieceRelaxation relaxation_;
  WorkBudget& budget_;
  PieceMultipliers multipliers_;
  PieceMultipliers best_multipliers_;
  PieceViolation violation_;
  PieceViolation best_violation_;
  PieceViolation direction_;
  double value_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
};

}  // namespace

std::size_t most_whole_groups(std::span<const std::uint32_t> sizes, std::size_t length) {
  std::size_t groups = 0;
  std::vector<std::size_t> residues;
  std::map<std::size_t, std::size_t> counts;
  for (const std::uint32_t size : sizes) {
    if (size == 0) continue;
    if (size % length == 0) {
      ++groups;
    } else {
      residues.push_back(size % length);
      ++counts[size % length];
    }
  }
  if (residues.empty()) return groups;
  return groups + (residues.size() <= kMostExactSizes ? groups_exactly(residues, length)
                                                      : groups_at_most(counts, length));
}

std::int64_t separable_bound(const RowModel& model, std::span<const std::uint32_t> sizes) {
  PieceMultipliers none;
  none.piece.assign(model.length, 0);
  PieceViolation violation;
  return static_cast<std::int64_t>(
      std::floor(PieceRelaxation(model, sizes, {}).solve(none, violation)));
}

std::int64_t pieces_bound(const RowModel& model, std::span<const std::uint32_t> sizes,
                          WorkBudget& budget) {
  const auto zones = static_cast<std::size_t>(
      std::ranges::count_if(sizes, [](std::uint32_t size) { return size > 0; }));
  const std::size_t components = most_whole_groups(sizes, model.length);
  PieceRelaxation relaxation(model, sizes, {zones + model.rows - components, components});
  if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return 0;
  Ascent ascent(std::move(relaxation), model, budget);
  double high = 1;
  for (const std::int64_t cost : model.inside) high = std::max(high, static_cast<double>(cost));
  high += static_cast<double>(model.across.back());
  ascent.climb_touches(high);
  ascent.climb_all();
  return static_cast<std::int64_t>(std::floor(ascent.best()));
}

}  // namespace zonecut
