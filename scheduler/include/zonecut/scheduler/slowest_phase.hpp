#pragma once
// Which phase of a prediction another placement could help.
#include <vector>

namespace zonecut {

/// Of the phases that leave their servers the one the iteration waits for longest, the first of
/// equals: what stays inside servers takes as long wherever they are. Null where none leaves.
template <class Phase>
[[nodiscard]] const Phase* slowest_outside(const std::vector<Phase>& phases) {
  const Phase* slowest = nullptr;
  for (const Phase& phase : phases) {
    if (phase.binding && (!slowest || phase.exposed > slowest->exposed)) slowest = &phase;
  }
  return slowest;
}

}  // namespace zonecut
