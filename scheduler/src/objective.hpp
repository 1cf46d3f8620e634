#pragma once
// What makes one placement better than another, lexicographically: predicted communication seconds,
// to a tolerance; bytes between zones, then J; what is left for others.
#include <string>
#include <vector>

#include "zonecut/scheduler/placement.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// Seconds up to this are as good as the least. There must be one placement at least.
[[nodiscard]] double seconds_limit(const std::vector<Placement>& placements, double tolerance);

/// Indices of the placements, best first; equal ones in the order given. `limit`: seconds_limit().
/// O(n log n).
[[nodiscard]] std::vector<std::size_t> ranked(const std::vector<Placement>& placements,
                                              double limit);

/// What decided against `other`, in figures: "2.3 times the communication time".
[[nodiscard]] std::string verdict_against(const Cluster& cluster, const Placement& best,
                                          const Placement& other, double limit);

}  // namespace zonecut
