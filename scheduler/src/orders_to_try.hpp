#pragma once
// The orders of servers that the engine chooses between: what the mapper finds, and the rules of
// others beside it.
#include <span>
#include <vector>

#include "room.hpp"
#include "trial.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// One at least, the mapper's own first; all keep the slices, the required level, and the preferred
/// one as far as the mapper reached it. The job must fit: refusal() has no objection.
[[nodiscard]] std::vector<Trial> orders_to_try(const PlacementProblem& problem,
                                               const Constraints& constraints,
                                               std::span<const VertexSlice> slices,
                                               const MappingOptions& options);

}  // namespace zonecut
