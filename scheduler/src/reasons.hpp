#pragma once
// Why a placement is where it is, in sentences for people.
#include <span>
#include <string>
#include <vector>

#include "room.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// In order of weight. `placement` has its candidates already.
[[nodiscard]] std::vector<std::string> reasons_for(const PlacementProblem& problem,
                                                   const Constraints& constraints,
                                                   std::span<const VertexSlice> slices,
                                                   const Placement& placement);

}  // namespace zonecut
