#pragma once
// Which GPUs of a server a job gets.
#include <optional>
#include <span>
#include <vector>

#include "zonecut/topology/state.hpp"

namespace zonecut {

/// At least `needed` GPUs of a server, ascending: usable ones; where these are too few, as in an
/// allocation that the state says is held, all that have not failed; at last all.
[[nodiscard]] std::vector<int> gpus_of(const ClusterView& view, ServerId server,
                                       std::size_t needed);

/// By vertex whether all GPUs that it had of `held` (ascending) are usable; false where it had
/// none.
[[nodiscard]] std::vector<bool> has_its_gpus(const ClusterView& view,
                                             std::span<const std::optional<ServerId>> before,
                                             std::span<const GpuId> held, std::size_t ranks);

/// The GPUs of each rank, in rank order, `ranks` to a vertex: vertices that stay keep what they had
/// of `held` (ascending) while it is usable; the others get the lowest that are left.
[[nodiscard]] std::vector<GpuId> gpus_kept(const ClusterView& view,
                                           std::span<const std::optional<ServerId>> before,
                                           std::span<const ServerId> after,
                                           std::span<const GpuId> held, std::size_t ranks);

}  // namespace zonecut
