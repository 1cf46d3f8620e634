#pragma once
// Finds mistakes in a rank order that was chosen elsewhere: rings that change zones more often than
// they must, pipelines and expert groups spread over zones, tensor-parallel groups split between
// servers, several zones where one would do, half-used racks, names sorted as texts, servers and
// links that do not work, and incasts that overflow the leaves. A finding is a fact about the
// order, with figures; predict() says what the order costs.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

struct Finding {
  /// "zone-changes", "split-groups", "split-tensors", "needless-zones", "half-racks", "text-order",
  /// "servers-down", "servers-drained", "failed-gpus", "weak-links" or "buffer-overflow"
  std::string rule;
  std::string what;  ///< what was found, with figures
  std::string hint;  ///< what would mend it
  friend bool operator==(const Finding&, const Finding&) = default;
};

/// Findings in the order of the rules above; `servers` by vertex, as for evaluate(). Whether one
/// zone would do depends on the constraints and on what other jobs leave in the problem's view.
/// O(members of all groups + GPUs of the cluster), and as long as overflows_of() where the leaves'
/// tier says its buffers and the routing has no admission window. Throws InputError where slices do
/// not nest or divide the job.
[[nodiscard]] std::vector<Finding> lint(const PlacementProblem& problem,
                                        std::span<const ServerId> servers,
                                        const Constraints& constraints = {});

/// The finding "split-tensors" of lint(), which placements of our own have, too, where the ranks of
/// a server are no multiple of the job's tp. O(members of the groups).
[[nodiscard]] std::optional<Finding> split_tensor_groups(const PlacementProblem& problem,
                                                         std::span<const ServerId> servers);

/// The finding "servers-held": other jobs hold GPUs that the order needs on these servers, at least
/// one. For callers that know; lint() does not look at who holds GPUs.
[[nodiscard]] Finding servers_held(const Cluster& cluster, std::span<const ServerId> servers);

}  // namespace zonecut
