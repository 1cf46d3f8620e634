#pragma once
// Starts for grids of two axes, rings or paths: how much each part holds of every row is annealed
// (interval_packing.hpp), and the best of what comes of it gets places (interval_layout.hpp).
// Either axis may be that of the rows.
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

inline constexpr const char* kIntervals = "intervals in rows";  ///< method of such starts

struct IntervalEffort {
  std::int64_t steps = 0;  ///< of all runs together; 0: no starts
  std::size_t runs = 2;    ///< at least one along either axis
  std::size_t kept = 1;    ///< of those after the first two, the best by their estimates
};

/// None where the graph is no such grid. O(steps).
[[nodiscard]] std::vector<Partition> interval_starts(const PartitionProblem& problem,
                                                     std::span<const Shares> choices,
                                                     const IntervalEffort& effort,
                                                     const SearchTerms& terms);

}  // namespace zonecut
