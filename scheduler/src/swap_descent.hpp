#pragma once
// The last step of a search for an order: servers of it change places two at a time while that
// lowers the predicted time. What the mapper minimises is bytes; this sees which link they wait
// for.
#include <optional>
#include <span>
#include <vector>

#include "room.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// Flows that may be moved, and listed to begin with.
struct SwapWork {
  double moved = 0;
  double listed = 0;
};

[[nodiscard]] SwapWork swap_work_of(Effort effort);

/// Another order of the servers of `start` that communicates sooner, slices kept together: best
/// swap after best swap of those that touch the links waited for, until none helps or the work is
/// done; what it took is taken off `work`. None where nothing is uneven, where swaps cannot be
/// counted (SwapEvaluator), or none helps. With hashed or pinned flows and beside other jobs it
/// goes by what ideal balancing would make of the links' capacity left, so the order must be
/// predicted again before it is used. O(flows + work).
[[nodiscard]] std::optional<std::vector<ServerId>> swapped_for_time(
    const PlacementProblem& problem, const Placement& start, std::span<const VertexSlice> slices,
    SwapWork& work);

}  // namespace zonecut
