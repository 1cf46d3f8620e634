#pragma once
// What makes one placement better than another, lexicographically: predicted communication seconds,
// to a tolerance; bytes between zones, then J; what is left for others.
#include <span>
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

/// All placements in this order, by their names, each with what decided against it. `limit`:
/// seconds_limit().
[[nodiscard]] std::vector<Candidate> candidates_of(const Cluster& cluster,
                                                   std::span<const std::string> names,
                                                   const std::vector<Placement>& placements,
                                                   std::span<const std::size_t> order,
                                                   double limit);

}  // namespace zonecut
