#pragma once
// What is wrong with a rank order that somebody else chose: rings that change zones more often than
// they must, pipelines and expert groups torn apart, zones where one would do, racks used by half,
// names sorted as texts, links that have lost most of what they carried, incasts that the leaves
// cannot hold. Each finding is a claim about the order alone, with its figures; what it costs is
// said by predict().
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

struct Finding {
  /// "zone-changes", "split-groups", "needless-zones", "half-racks", "text-order", "servers-down",
  /// "servers-drained", "failed-gpus", "weak-links" or "buffer-overflow"
  std::string rule;
  std::string what;  ///< what was found, with figures
  std::string hint;  ///< what would mend it
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// `servers` by vertex, as for evaluate(). Findings in the order of the rules above; empty when
/// nothing is wrong. Whether one zone would do depends on the constraints and on what others leave
/// of it in the problem's view. O(members of all groups + GPUs); where the cluster says what its
/// leaves hold and the routing has no admission window, the time of overflows_of() too. Throws
/// InputError where slices do not nest or divide the job.
[[nodiscard]] std::vector<Finding> lint(const PlacementProblem& problem,
                                        std::span<const ServerId> servers,
                                        const Constraints& constraints = {});

/// Of these servers of an order, at least one, other jobs hold GPUs that its ranks need. Rule
/// "servers-held"; lint() knows of no other jobs' GPUs.
[[nodiscard]] Finding servers_held(const Cluster& cluster, std::span<const ServerId> servers);

}  // namespace zonecut
