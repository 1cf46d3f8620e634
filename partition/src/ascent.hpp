#pragma once
// Looks for the multipliers of the highest bound and remembers the best value it saw: deflected
// subgradients (Camerini, Fratta and Maffioli, Mathematical Programming Study 3, 1975) with
// Polyak's step towards a target a little above.
//
// A Relaxation has pieces(), most_run(), steps_per_solve() and solve(multipliers, violation); the
// values it gives are bounds for any multipliers.
#include <algorithm>
#include <cmath>
#include <limits>

#include "multipliers.hpp"
#include "partition_problem.hpp"

namespace zonecut {

template <class Relaxation>
class Ascent {
 public:
  /// `scale`: about what the bound may come to; ends at `enough`.
  Ascent(Relaxation& relaxation, WorkBudget& budget, double scale, double enough)
      : relaxation_(relaxation), budget_(budget), scale_(scale), enough_(enough) {
    multipliers_.piece.assign(relaxation.pieces(), 0);
    direction_.piece.assign(relaxation.pieces(), 0);
    evaluate();
  }

  void start_at(const PieceMultipliers& multipliers) {
    multipliers_ = multipliers;
    evaluate();
  }

  /// The multiplier of touches alone: the bound is concave in it, its slope says which way to go.
  void climb_touches(double high) {
    constexpr int kSteps = 24;
    double low = 0;
    for (int step = 0; step < kSteps && !done() && high - low > 0.25; ++step) {
      multipliers_.touch = (low + high) / 2;
      evaluate();
      (violation_.touch > 0 ? low : high) = multipliers_.touch;
    }
    return_to_best();
  }

  /// All multipliers, aiming at so much above the best bound so far. `coarse`: only in those
  /// directions that the relaxation keeps.
  void climb_all(int most_steps, double ahead, bool coarse = false) {
    constexpr int kPatience = 6;
    constexpr int kMostVain = 150;
    constexpr double kWorthwhile = 1e-6;
    double ambition = 1;
    int fruitless = 0;
    int vain = 0;
    for (int step = 0; step < most_steps && !done(); ++step) {
      if constexpr (requires { relaxation_.coarsen(violation_); }) {
        if (coarse) relaxation_.coarsen(violation_);
      }
      const double norm = deflect();
      if (norm < 1e-9) return;
      const double target = std::max(best_ + ahead * std::max(scale_, std::abs(best_)), value_) + 1;
      move(ambition * (target - value_) / norm);
      const double before = best_;
      evaluate();
      fruitless = best_ > before ? 0 : fruitless + 1;
      vain = best_ > before + kWorthwhile * std::abs(before) ? 0 : vain + 1;
      if (vain == kMostVain) return;
      if (fruitless == kPatience) {
        ambition *= 0.85;
        fruitless = 0;
      }
    }
  }

  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] const PieceMultipliers& best_multipliers() const { return best_multipliers_; }

 private:
  [[nodiscard]] bool done() const { return budget_.spent() || best_ >= enough_; }

  /// Its squared length; where a multiplier is at its limit, no further.
  double deflect() {
    constexpr double kMemory = 0.8;
    double norm = 0;
    for (std::size_t i = 0; i < direction_.piece.size(); ++i) {
      direction_.piece[i] = kMemory * direction_.piece[i] + violation_.piece[i];
      norm += direction_.piece[i] * direction_.piece[i];
    }
    direction_.touch = kMemory * direction_.touch + violation_.touch;
    if (multipliers_.touch <= 0) direction_.touch = std::max(0.0, direction_.touch);
    direction_.run = kMemory * direction_.run + violation_.run;
    if (multipliers_.run <= 0) direction_.run = std::max(0.0, direction_.run);
    if (multipliers_.run >= relaxation_.most_run()) {
      direction_.run = std::min(0.0, direction_.run);
    }
    return norm + direction_.touch * direction_.touch + direction_.run * direction_.run;
  }

  void move(double length) {
    for (std::size_t i = 0; i < direction_.piece.size(); ++i) {
      multipliers_.piece[i] += length * direction_.piece[i];
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

  Relaxation& relaxation_;
  WorkBudget& budget_;
  double scale_;
  double enough_;
  PieceMultipliers multipliers_;
  PieceMultipliers best_multipliers_;
  PieceViolation violation_;
  PieceViolation best_violation_;
  PieceViolation direction_;
  double value_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
};

}  // namespace zonecut
