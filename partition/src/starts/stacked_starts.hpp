#pragma once
// Starts for rows that cut little at few places (double binary trees): parts in columns, of one or
// two found by beam search (column_beam.hpp), or stacked and annealed (stacked_columns.hpp), both
// by tables of weights.
#include <cstdint>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"

namespace zonecut {

// Methods of such starts.
inline constexpr const char* kColumns = "columns in order";
inline constexpr const char* kStacked = "stacked columns";

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

struct ColumnEffort {
  std::int64_t steps = 0;  ///< for all shares together; 0: no starts
  std::size_t starts = 1;  ///< about as many
};

/// The best by beam search, for all shares, of a grid_of_lines. None where parts are too many for
/// it, or steps too few. O(steps).
[[nodiscard]] std::vector<Partition> column_starts(const PartitionProblem& problem,
                                                   const GridTraffic& grid,
                                                   std::span<const Shares> choices,
                                                   const ColumnEffort& effort);

}  // namespace zonecut
