#pragma once
// The rank order on servers that are given already: those of one step of a job within its
// allocation, which takes all of them or some. An order is not changed without need: it stays where
// nothing is gained, and rank 0 stays where launch scripts look for it.
#include <optional>
#include <variant>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// The server where scripts expect rank 0.
struct RankZero {
  ServerId server;
  /// Rank 0 must be there, whatever that costs; else only where it costs nothing.
  bool hold = false;
};

/// The servers of a step, which puts one server's worth of ranks on each of `count` of them.
struct StepServers {
  std::vector<ServerId> listed;       ///< unique, in the rank order that applies without us
  std::size_t count = 0;              ///< 1 to listed.size()
  std::optional<RankZero> rank_zero;  ///< on one of those listed
};

struct StepOrder {
  Placement before;  ///< on the first `count` servers as listed
  Placement now;     ///< the order to use; `before` where nothing is gained
  bool changed = false;
};

/// Places the step on its servers and compares the result with the order as listed. The new order
/// is used where it lowers the predicted seconds by more than the tolerance of `options`, or with
/// equal seconds the bytes between zones, or with equal bytes J; and where it alone has rank 0 on
/// the server that must hold it. If the best `count` servers do not include that server, it and
/// those nearest to it are taken instead. `job` must say ranks_per_server where count <
/// listed.size(). NoFit where the servers have no room for the step. Throws InputError as
/// evaluate() and pose() do.
[[nodiscard]] std::variant<StepOrder, NoFit> order_step(const ClusterView& view,
                                                        const Fabric& fabric, const Job& job,
                                                        const StepServers& step,
                                                        const PlacementOptions& options);

/// For a job that is yet to be given its servers: `count` of those listed and the rank order on
/// them, with rank 0 on whichever of the chosen ones is listed first. `step.rank_zero` is not read.
/// Throws as order_step() does.
[[nodiscard]] PlacementResult choose_servers(const ClusterView& view, const Fabric& fabric,
                                             const Job& job, const StepServers& step,
                                             const PlacementOptions& options);

}  // namespace zonecut
