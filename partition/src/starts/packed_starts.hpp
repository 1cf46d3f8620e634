#pragma once
// Starts for rows by replica that are made up of rings (context parallelism): which parts share a
// row is annealed by what their pieces cut at least (row_packing.hpp), every divided row is then
// laid out in many ways, as a problem of its own among them, and of each the one is chosen that
// suits its neighbours (row_layouts.hpp).
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

inline constexpr const char* kPacked = "packed rows";  ///< method of such starts

struct PackingEffort {
  std::int64_t steps = 0;  ///< of all runs together, for 160 places in a table of parts and rows;
                           ///< in proportion from a quarter of that to twice; 0: no starts
  std::size_t runs = 1;
  std::size_t kept = 1;  ///< of them, the best by their estimates
};

/// Part of each vertex of a single row, with exactly these shares.
using DivideRow = std::function<std::vector<std::uint32_t>(const PartitionProblem&, const Shares&)>;

/// None where the graph is not one grid of such rows. O(steps), and what dividing the rows takes.
[[nodiscard]] std::vector<Partition> packed_starts(const PartitionProblem& problem,
                                                   const Shares& shares,
                                                   const PackingEffort& effort, std::uint64_t seed,
                                                   const DivideRow& divide_row);

/// The packing of this partition annealed on, from a low heat, for so many steps, and built. None
/// where that finds no better one.
[[nodiscard]] std::optional<Partition> packed_anew(const PartitionProblem& problem,
                                                   std::span<const std::uint32_t> part,
                                                   std::int64_t steps, std::uint64_t seed,
                                                   const DivideRow& divide_row);

}  // namespace zonecut
