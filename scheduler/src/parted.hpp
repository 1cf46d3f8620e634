#pragma once
// Orders that cannot run because failed links part servers which must communicate.
#include <optional>
#include <span>

#include "zonecut/scheduler/placement.hpp"

namespace zonecut {

/// Each server or domain that no working link leads up from. None where the order can run.
/// `served`: see RunningTraffic.
[[nodiscard]] std::optional<NoFit> parted(const Fabric& fabric, const Traffic& traffic,
                                          std::span<const ServerId> servers, bool served);

/// The same, said of flows that have no path under their routing.
[[nodiscard]] NoFit parted_by(const PartedFlows& error);

}  // namespace zonecut
