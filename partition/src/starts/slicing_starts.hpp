#pragma once
// Starts that follow the coordinates: strips along every axis, recursive bisection, and annealed
// slicing forests.
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "starts/line_model.hpp"

namespace zonecut {

struct SlicingEffort {
  std::int64_t steps = 0;  ///< of all runs together
  std::size_t runs = 1;
};

/// Stops early at a cut that is enough. The best strips, the best bisection, and the outcome of
/// each run of annealing; runs are shared out among the `choices` of shares.
[[nodiscard]] std::vector<Partition> slicing_starts(const PartitionProblem& problem,
                                                    const LineModel& model,
                                                    std::span<const Shares> choices,
                                                    const SlicingEffort& effort,
                                                    const SearchTerms& terms);

}  // namespace zonecut
