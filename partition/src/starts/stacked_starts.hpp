#pragma once
// Starts for rows that cut little at few places (double binary trees): stacks of parts in columns
// (stacked_columns.hpp), annealed by tables of weights.
#include <cstdint>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"

namespace zonecut {

inline constexpr const char* kStacked = "stacked columns";  ///< method of such starts

struct StackingEffort {
  std::int64_t steps = 0;  ///< of all runs together; 0: no starts
  std::size_t runs = 1;
};

/// One of each run, at the shares in turn, of a grid_of_lines (equal_rows.hpp). None where parts
/// are too many for it. O(steps).
[[nodiscard]] std::vector<Partition> stacked_starts(const PartitionProblem& problem,
                                                    const GridTraffic& grid,
                                                    std::span<const Shares> choices,
                                                    const StackingEffort& effort,
                                                    const SearchTerms& terms);

}  // namespace zonecut
