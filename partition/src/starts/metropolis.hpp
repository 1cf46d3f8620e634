#pragma once
// Annealing by the rule of Metropolis, turned round: how much the cost may rise is drawn before a
// step, so that the step can be given up as soon as more is lost.
#include <algorithm>
#include <cmath>
#include <cstdint>

#include "zonecut/base/random.hpp"

namespace zonecut {

/// At least 0, whatever the heat; weights of a graph together are below 2⁶².
[[nodiscard]] inline std::int64_t draw_rise(Random& random, double heat) {
  constexpr double kLeast = 1e-12;
  constexpr double kMost = 4e18;
  return static_cast<std::int64_t>(
      std::min(kMost, -heat * std::log(std::max(kLeast, random.unit()))));
}

}  // namespace zonecut
