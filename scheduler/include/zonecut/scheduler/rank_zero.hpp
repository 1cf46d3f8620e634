#pragma once
// Launch scripts take the address of rank 0 from the first server of an allocation. Most orders can
// be turned so that rank 0 stands there at no cost: rings have no beginning, axes of a grid can be
// shifted or mirrored, and servers of one rack are alike.
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// Whether `a` is no worse than `b` in every figure of the objective: predicted seconds (to one
/// part in a billion), bytes between zones, J.
[[nodiscard]] bool costs_no_more(const Placement& a, const Placement& b);

/// The placement with rank 0 on `first`, one of its servers: the first turned order that costs no
/// more, else the cheapest that was tried. At most 128 orders are evaluated, fewer for large jobs.
/// Throws InputError where the placement does not use `first`.
[[nodiscard]] Placement with_rank_zero_on(const PlacementProblem& problem,
                                          const Placement& placement, ServerId first);

}  // namespace zonecut
