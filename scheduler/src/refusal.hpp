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

/// The domain that takes most of a job.
struct RoomiestDomain {
  DomainId domain = Cluster::root();
  std::size_t room = 0;
};

/// At the required level or further in: servers that failed links cut off from the one level may
/// still reach each other in the other. Throws InputError as vertex_slices() does.
[[nodiscard]] RoomiestDomain roomiest_domain(const PlacementProblem& problem,
                                             const Constraints& constraints);
/// The same of zones and what is in them.
[[nodiscard]] RoomiestDomain roomiest_zone(const PlacementProblem& problem,
                                           Constraints constraints);

}  // namespace zonecut
