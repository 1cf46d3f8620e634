#pragma once
// The bound of a job that is several grids: what a zone takes of one it cannot take of another.
#include <cstdint>
#include <span>

#include "bound/bound_separable.hpp"
#include "bound/layers.hpp"
#include "grid/weight_unit.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// In quarters of these units. `known`: a bound to start from. The search ends at
/// `enough` or with the budget; 0 where a single step is more than that. Where zones may hold less,
/// with shares at which it stands, or none.
[[nodiscard]] SharedBound layers_bound(const PartitionProblem& problem, WeightUnit unit,
                                       WorkBudget& budget, std::int64_t known, std::int64_t enough);

/// Of layers that are known; the problem says zones and vertices. Zones take multiples of `unit`.
[[nodiscard]] SharedBound bound_of_layers(std::span<const Layer> layers,
                                          const PartitionProblem& problem, std::size_t unit,
                                          WorkBudget& budget, std::int64_t known,
                                          std::int64_t enough);

}  // namespace zonecut
