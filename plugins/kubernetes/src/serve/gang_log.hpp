#pragma once
// What becomes of gangs, in the log and in the metrics.
#include "desk/desk.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"

namespace zonecut::kubernetes {

/// Log and metrics must outlive the observer.
/// `gpus`: what the nodes' GPUs are looked for as.
[[nodiscard]] DeskObserver gang_log(Log& log, Metrics& metrics, const GpuResources& gpus);

}  // namespace zonecut::kubernetes
