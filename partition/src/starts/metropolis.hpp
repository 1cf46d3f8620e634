#pragma once
// Annealing by the rule of Metropolis, turned round: how much the cost may rise is drawn before a
// step, so that the step can be given up as soon as more is lost.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "partition_problem.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// How much the cost may rise in one step. At least 0, whatever the heat; weights of a graph
/// together are below 2⁶². Where it is plain that a change is allowed or is not, nothing is
/// computed.
class Rise {
 public:
  Rise(Random& random, double heat) : unit_(std::max(kLeast, random.unit())), heat_(heat) {}

  [[nodiscard]] bool allows(std::int64_t change) {
    if (change <= 0) return true;
    if (static_cast<double>(change) > kMostHeats * heat_) return false;
    if (most_ == kUnknown) {
      most_ = static_cast<std::int64_t>(std::min(kMost, -heat_ * std::log(unit_)));
    }
    return change <= most_;
  }

 private:
  static constexpr double kLeast = 1e-12;
  static constexpr double kMostHeats = 28;  // more than -log(kLeast)
  static constexpr double kMost = 4e18;
  static constexpr std::int64_t kUnknown = -1;

  double unit_;
  double heat_;
  std::int64_t most_ = kUnknown;
};

/// Heat that falls by the same part for the same work, until the budget is spent.
class Cooling {
 public:
  /// `fall`: the last heat, of the first; `steps_per_heat`: the budget is looked at once in so
  /// many. Borrows the budget.
  Cooling(const WorkBudget& budget, double first, double fall, unsigned steps_per_heat = 64)
      : budget_(budget),
        all_(static_cast<double>(std::max<std::int64_t>(1, budget.left()))),
        first_(first),
        fall_(fall),
        steps_per_heat_(steps_per_heat),
        heat_(first) {}

  /// For the next step.
  [[nodiscard]] double next() {
    if (step_++ % steps_per_heat_ == 0) {
      const double passed = 1 - static_cast<double>(budget_.left()) / all_;
      heat_ = first_ * std::pow(fall_, passed);
    }
    return heat_;
  }

 private:
  const WorkBudget& budget_;
  double all_;
  double first_;
  double fall_;
  unsigned steps_per_heat_;
  double heat_;
  unsigned step_ = 0;
};

/// Steps until the budget is spent, which `step` does; then `state` is what cost least of all that
/// steps left. `step` says whether it changed the state, `cost` what that costs.
template <class State, class Cost, class Step>
void keep_least(State& state, const WorkBudget& budget, const Cost& cost, const Step& step) {
  State best = state;
  auto least = cost();
  while (!budget.spent()) {
    if (!step() || cost() >= least) continue;
    least = cost();
    best = state;
  }
  state = std::move(best);
}

}  // namespace zonecut
