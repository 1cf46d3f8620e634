#pragma once
// Orders of servers that go by the best that the engine has so far: by what its phases wait for, or
// by where it stands.
#include <vector>

#include "asked.hpp"
#include "trial.hpp"

namespace zonecut {

/// Where phases of this placement wait for links above zones, or above domains that hold several,
/// for longer than `tolerance` of its communication: for each of these levels an order in the same
/// domain whose busiest uplinks there have least to carry for what they can.
[[nodiscard]] std::vector<Trial> eased(const Asked& asked, const MappingOptions& options,
                                       const Placement& placement, double tolerance);

/// The same for what other jobs leave of the uplinks beside this placement, of the levels at which
/// they take some.
[[nodiscard]] std::vector<Trial> eased_beside_others(const Asked& asked,
                                                     const MappingOptions& options,
                                                     const Placement& placement, double tolerance);

/// Where a trial is by a rule of others: with the same vertices in each zone, but on its nearest
/// servers. Rules that spread a job over zones spread it over their racks, too. Not of jobs in
/// slices, nor where it stands in one domain below the zones.
[[nodiscard]] std::vector<Trial> nearer_in_zones(const Asked& asked, const MappingOptions& options,
                                                 const Trial& trial);

/// The servers of a trial in the orders that rules of others give them, which keep the slices.
[[nodiscard]] std::vector<Trial> reordered_by_others(const Asked& asked, const Trial& trial);

}  // namespace zonecut
