#pragma once
// Where the default profile of kube-scheduler puts the pods of one job (docs/baselines.md): one
// after the other in rank order, each where the sum of its scores is highest. Nothing in it knows
// that the pods belong together, but for the wish to keep them apart.
#include <cstdint>
#include <optional>
#include <vector>

#include "room.hpp"

namespace zonecut {

/// The server of each pod; none where there is no room for all. A pod asks for `gpus_each` GPUs and
/// for the same share of the server's processors and memory, as everything that holds GPUs does.
/// O(pods · (servers + zones)).
[[nodiscard]] std::optional<std::vector<ServerId>> kubernetes_default(const ClusterView& view,
                                                                      Room room, std::size_t pods,
                                                                      std::size_t gpus_each,
                                                                      std::uint64_t seed);

/// How many servers with room are enough to choose from, of so many in all: the scheduler looks for
/// no more. numFeasibleNodesToFind of its schedule_one.go.
[[nodiscard]] std::size_t kubernetes_sample(std::size_t servers);

}  // namespace zonecut
