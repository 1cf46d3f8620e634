#pragma once
// From a partition problem to a good partition: starts of several kinds, the best of them refined.
#include <cstdint>
#include <span>

#include "partition_problem.hpp"

namespace zonecut {

/// How much to try, in steps of about a nanosecond.
struct PartitionEffort {
  int metis_starts = 4;
  std::int64_t pack_steps = 0;  ///< of all runs together (packed_starts.hpp)
  std::size_t pack_runs = 1;
  std::int64_t pack_anew_steps = 0;  ///< annealing on from the best partition
  std::int64_t row_steps = 0;        ///< annealing of each divided row of a packed start
  std::int64_t interval_steps = 0;   ///< of all runs together
  std::size_t interval_runs = 2;     ///< at least
  std::int64_t column_steps = 0;     ///< beam search for columns in order
  std::size_t column_starts = 6;
  std::int64_t stack_steps = 0;  ///< of all runs together
  std::size_t stack_runs = 1;
  std::int64_t block_steps = 0;   ///< of all runs together
  std::size_t block_runs = 1;     ///< at most
  std::int64_t anneal_steps = 0;  ///< of all runs together
  std::size_t anneal_runs = 1;
  std::int64_t polish_steps = 0;  ///< pair passes on each start that is kept
  std::int64_t search_steps = 0;  ///< ball search on the best
  std::int64_t box_steps = 0;     ///< search by boxes: the starts, the best, that divided anew
  std::int64_t divide_steps = 0;  ///< a few parts of the best at a time are divided anew
  std::int64_t part_steps = 0;    ///< of those, annealing of one division
  std::size_t kept = 3;           ///< starts that are refined
};

/// A partition within the capacities, never worse than problem.start. Ends as soon as the cut is
/// `terms.enough` or less. `choices`: shares worth trying, at least one, each within the
/// capacities.
[[nodiscard]] Partition find_partition(const PartitionProblem& problem,
                                       std::span<const Shares> choices,
                                       const PartitionEffort& effort, const SearchTerms& terms);

}  // namespace zonecut
