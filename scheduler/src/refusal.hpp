#pragma once
// Why a job cannot be placed: each constraint in the way, in figures, with the nearest thing that
// would fit.
#include <optional>
#include <span>

#include "room.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// None when it fits.
[[nodiscard]] std::optional<NoFit> refusal(const PlacementProblem& problem,
                                           const Constraints& constraints,
                                           std::span<const VertexSlice> slices);

}  // namespace zonecut
