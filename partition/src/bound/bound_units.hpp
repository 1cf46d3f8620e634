#pragma once
// The bound where zones take whole units of consecutive vertices, which do not go into stages: of
// two neighbouring stages no zone then holds the same places, unless it holds both or neither.
//
//     stage 0   |0 0|1 1|2 2|3 3|4       units of two in stages of nine: what of stage 0 ends
//     stage 1   |4|5 5|6 6|7 7|8 8|      after a unit ends in the middle of one of stage 1
#include <cstdint>
#include <vector>

#include "bound/layers.hpp"
#include "partition_problem.hpp"

namespace zonecut {

struct UnitLayers {
  std::vector<Layer> layers;   ///< the stages
  std::int64_t deduction = 0;  ///< to be taken off a bound made of them; in quarters
};

/// The stages of a problem that is one grid numbered stage by stage. `both_ends`: a zone pays for
/// either end of what it holds, and what it may save where stages begin and end is taken off once;
/// otherwise it pays for one end. Empty where the problem is no such grid, its stages are
/// long, or the unit goes into them or is larger than half of one. O(edges + vertices log
/// vertices).
[[nodiscard]] UnitLayers layers_of_units(const PartitionProblem& problem, std::size_t unit,
                                         WeightUnit weight, bool both_ends);

/// The higher of both bounds, and of `known`; 0 where the problem is no such grid.
[[nodiscard]] std::int64_t units_bound(const PartitionProblem& problem, std::size_t unit,
                                       std::int64_t steps, std::int64_t known);

}  // namespace zonecut
