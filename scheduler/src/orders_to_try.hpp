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

/// Where phases of this placement wait for links above zones, or above domains that hold several,
/// for longer than `tolerance` of its communication: for each of these levels an order in the same
/// domain whose busiest uplinks there have least to carry for what they can.
[[nodiscard]] std::vector<Trial> eased(const PlacementProblem& problem,
                                       const Constraints& constraints,
                                       std::span<const VertexSlice> slices,
                                       const MappingOptions& options, const Placement& placement,
                                       double tolerance);

/// The same for what other jobs leave of the uplinks beside this placement, of the levels at which
/// they take some.
[[nodiscard]] std::vector<Trial> eased_beside_others(const PlacementProblem& problem,
                                                     const Constraints& constraints,
                                                     std::span<const VertexSlice> slices,
                                                     const MappingOptions& options,
                                                     const Placement& placement, double tolerance);

/// Where a trial is by a rule of others: with the same vertices in each zone, but on its nearest
/// servers. Rules that spread a job over zones spread it over their racks, too. Not of jobs in
/// slices, nor where it stands in one domain below the zones.
[[nodiscard]] std::vector<Trial> nearer_in_zones(const PlacementProblem& problem,
                                                 const Constraints& constraints,
                                                 std::span<const VertexSlice> slices,
                                                 const MappingOptions& options, const Trial& trial);

/// The servers of a trial in the orders that rules of others give them, which keep the slices.
[[nodiscard]] std::vector<Trial> reordered_by_others(const PlacementProblem& problem,
                                                     std::span<const VertexSlice> slices,
                                                     const Trial& trial);

}  // namespace zonecut
