#pragma once
// The phase of a prediction that another placement could help most.
#include <vector>

namespace zonecut {

/// Of the phases with a binding bundle the one that the iteration waits for longest, the first of
/// equals. The others wait for NVLink, which takes as long wherever the servers are. Null where all
/// do.
template <class Phase>
[[nodiscard]] const Phase* slowest_outside(const std::vector<Phase>& phases) {
  const Phase* slowest = nullptr;
  for (const Phase& phase : phases) {
    if (phase.binding && (!slowest || phase.exposed > slowest->exposed)) slowest = &phase;
  }
  return slowest;
}

/// With receiver-driven admission: connections wait longer for their receivers than any link takes.
template <class Phase>
[[nodiscard]] bool waits_for_receivers(const Phase& phase) {
  return phase.admission.count > 0 && phase.admission >= phase.transfer;
}

}  // namespace zonecut
