#pragma once
// Starts for rows that cut little at few places (double binary trees): parts annealed by blocks,
// from coarse to fine (block_anneal.hpp).
#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"

namespace zonecut {

inline constexpr const char* kBlocks = "annealed blocks";  ///< method of such starts

struct BlockEffort {
  std::int64_t steps = 0;     ///< of all runs together; 0: no starts
  std::size_t most_runs = 1;  ///< fewer where a run would be too short for so many vertices
};

/// Parts by vertex, of each run, at the shares in turn, of a grid_of_lines (equal_rows.hpp): about
/// so many vertices in each part, a few more or less. None where parts are too many for it.
/// O(steps + edges).
[[nodiscard]] std::vector<std::vector<std::uint32_t>> block_starts(const PartitionProblem& problem,
                                                                   const GridTraffic& grid,
                                                                   std::span<const Shares> choices,
                                                                   const BlockEffort& effort,
                                                                   const SearchTerms& terms);

}  // namespace zonecut
