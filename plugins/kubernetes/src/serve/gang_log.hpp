#pragma once
// What becomes of gangs, in the log and in the metrics.
#include "desk/desk.hpp"
#include "server/log.hpp"
#include "server/metrics.hpp"

namespace zonecut::kubernetes {

/// Log and metrics must outlive the observer.
[[nodiscard]] DeskObserver gang_log(Log& log, Metrics& metrics);

}  // namespace zonecut::kubernetes
