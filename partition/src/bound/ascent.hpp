#pragma once
// Looks for the multipliers of the highest bound and remembers the best value it saw: deflected
// subgradients (Camerini, Fratta and Maffioli, Mathematical Programming Study 3, 1975) with
// Polyak's step towards a target a little above.
//
// A Relaxation has pieces(), most_run(), steps_per_solve() and solve(multipliers, violation); the
// values it gives are bounds for any multipliers.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

#include "bound/multipliers.hpp"
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
      if (settled()) return;
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

  /// All multipliers, each moved the less the more it was violated of late (after Duchi, Hazan and
  /// Singer, JMLR 12, 2011), by steps that dwindle to none over those that the budget allows. Finds
  /// good multipliers of many pieces in far fewer steps, however high the bound may get.
  void climb_evenly(int most_steps, double ahead) {
    constexpr int kPatience = 30;
    constexpr int kMostVain = 150;
    constexpr double kWorthwhile = 1e-6;
    const int steps = affordable(most_steps);
    squares_ = {};
    squares_.piece.assign(multipliers_.piece.size(), 0);
    double ambition = 1;
    int vain = 0;
    for (int step = 0; step < steps && !done() && vain < kMostVain; ++step) {
      if (settled()) return;
      const double norm = deflect_evenly();
      if (norm < 1e-9) return;
      const double target = std::max(best_ + ahead * std::max(scale_, std::abs(best_)), value_) + 1;
      const double left = 1 - static_cast<double>(step) / static_cast<double>(steps);
      move_evenly(ambition * left * (target - value_) / norm);
      const double before = best_;
      evaluate();
      vain = best_ > before + kWorthwhile * std::abs(before) ? 0 : vain + 1;
      if (vain > 0 && vain % kPatience == 0) ambition *= 0.5;
    }
  }

  [[nodiscard]] double best() const { return best_; }
  [[nodiscard]] const PieceMultipliers& best_multipliers() const { return best_multipliers_; }

 private:
  [[nodiscard]] bool done() const { return budget_.spent() || best_ >= enough_; }

  /// Of so many steps, those that the budget allows; 1 at least.
  [[nodiscard]] int affordable(int most_steps) const {
    const auto each = static_cast<std::int64_t>(relaxation_.steps_per_solve());
    const std::int64_t steps = budget_.left() / std::max<std::int64_t>(1, each);
    return static_cast<int>(std::clamp<std::int64_t>(steps, 1, most_steps));
  }

  /// Where a multiplier is at its limit, no further.
  void keep_to_limits(double& touch, double& run) const {
    if (multipliers_.touch <= 0) touch = std::max(0.0, touch);
    if (multipliers_.run <= 0) run = std::max(0.0, run);
    if (multipliers_.run >= relaxation_.most_run()) run = std::min(0.0, run);
  }

  /// No multipliers give more. The direction would fade, and what is divided by it grow.
  [[nodiscard]] bool settled() const {
    double touch = violation_.touch;
    double run = violation_.run;
    keep_to_limits(touch, run);
    return touch == 0 && run == 0 &&
           std::ranges::all_of(violation_.piece, [](double each) { return each == 0; });
  }

  /// What a multiplier moves for its direction, by the sum of the squares of its violations.
  static double pace(double squares) { return 1 / std::sqrt(squares + 1); }

  /// Its squared length, each multiplier at its pace.
  double deflect_evenly() {
    constexpr double kMemory = 0.7;
    constexpr double kMemoryOfSquares = 0.95;
    double norm = 0;
    const auto turn = [](double& direction, double& squares, double violation) {
      direction = kMemory * direction + violation;
      squares = kMemoryOfSquares * squares + violation * violation;
    };
    for (std::size_t i = 0; i < direction_.piece.size(); ++i) {
      double& direction = direction_.piece[i];
      turn(direction, squares_.piece[i], violation_.piece[i]);
      norm += direction * direction * pace(squares_.piece[i]);
    }
    turn(direction_.touch, squares_.touch, violation_.touch);
    turn(direction_.run, squares_.run, violation_.run);
    keep_to_limits(direction_.touch, direction_.run);
    return norm + direction_.touch * direction_.touch * pace(squares_.touch) +
           direction_.run * direction_.run * pace(squares_.run);
  }

  /// Its squared length.
  double deflect() {
    constexpr double kMemory = 0.8;
    double norm = 0;
    for (std::size_t i = 0; i < direction_.piece.size(); ++i) {
      direction_.piece[i] = kMemory * direction_.piece[i] + violation_.piece[i];
      norm += direction_.piece[i] * direction_.piece[i];
    }
    direction_.touch = kMemory * direction_.touch + violation_.touch;
    direction_.run = kMemory * direction_.run + violation_.run;
    keep_to_limits(direction_.touch, direction_.run);
    return norm + direction_.touch * direction_.touch + direction_.run * direction_.run;
  }

  void move(double length) {
    for (std::size_t i = 0; i < direction_.piece.size(); ++i) {
      multipliers_.piece[i] += length * direction_.piece[i];
    }
    move_others(length * direction_.touch, length * direction_.run);
  }

  void move_evenly(double length) {
    for (std::size_t i = 0; i < direction_.piece.size(); ++i) {
      multipliers_.piece[i] += length * direction_.piece[i] * pace(squares_.piece[i]);
    }
    move_others(length * direction_.touch * pace(squares_.touch),
                length * direction_.run * pace(squares_.run));
  }

  void move_others(double touch, double run) {
    multipliers_.touch = std::max(0.0, multipliers_.touch + touch);
    multipliers_.run = std::clamp(multipliers_.run + run, 0.0, relaxation_.most_run());
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
  PieceViolation squares_;  // of violations, the older the less
  double value_ = 0;
  double best_ = -std::numeric_limits<double>::infinity();
};

}  // namespace zonecut
