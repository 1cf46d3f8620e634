#pragma once
// How many hash functions a prediction looks at, phase by phase. The error of a mean over n
// launches falls as 1/√n, and a launch costs as much as its flows, so phases of few flows get many
// launches, and those of many flows none: there what a hash does is known by distribution.
#include <cstddef>
#include <vector>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

/// Paths that one prediction follows, at most twice as many where phases need their least number.
inline constexpr double kSampledPaths = 131'072;
/// Launches of a phase. Steps of a pairwise all-to-all are hashed apart, so each counts as one.
inline constexpr double kMostLaunches = 512;
inline constexpr double kFewestLaunches = 32;
/// Of a phase with many steps.
inline constexpr double kFewestOfSteps = 4;

/// Launches by phase; 0: it has too many flows. `parts`: flows of a pair of NICs that are hashed
/// apart. It depends on the traffic alone: all orders of a job are judged alike. O(members · log).
[[nodiscard]] std::vector<std::size_t> plan_launches(const Traffic& traffic, int nics, int parts);

}  // namespace zonecut
