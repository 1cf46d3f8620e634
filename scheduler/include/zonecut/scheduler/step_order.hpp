#pragma once
// The order of servers that are given already: for one step of a job in its allocation, which takes
// all of them or chooses some. What stands in the way of changing an order without need is decided
// here: it is kept where nothing is gained, and rank 0 stands where launch scripts look for it.
#include <optional>
#include <variant>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// The server where scripts expect rank 0.
struct RankZero {
  ServerId server;
  bool hold = false;  ///< it must stand there whatever that costs; else only when it costs nothing
};

/// One server's worth of ranks on each of `count` of these servers.
struct StepServers {
  std::vector<ServerId> listed;       ///< unique, in the order that counts without us
  std::size_t count = 0;              ///< 1 to as many as are listed
  std::optional<RankZero> rank_zero;  ///< one of them
};

struct StepOrder {
  Placement before;  ///< on the first `count` servers as listed
  Placement now;     ///< the order to use; `before` where nothing is gained
  bool changed = false;
};

/// `job` says how many ranks a server holds. Gained is what lowers predicted seconds by more than
/// the tolerance of `options`, else the bytes between zones, else J; a rank 0 that must be held
/// changes an order too. Of more servers than it needs, a step whose rank 0 is held takes those
/// around it where the best are without it: nearest first. Throws InputError as evaluate() and
/// pose() do.
[[nodiscard]] std::variant<StepOrder, NoFit> order_step(const ClusterView& view,
                                                        const Fabric& fabric, const Job& job,
                                                        const StepServers& step,
                                                        const PlacementOptions& options);

/// `count` of these servers and the ranks' order on them, with rank 0 on the first of them as
/// listed: for a job that is yet to be given its servers. All of them must have room. Throws as
/// order_step() does.
[[nodiscard]] PlacementResult choose_servers(const ClusterView& view, const Fabric& fabric,
                                             const Job& job, const StepServers& step,
                                             const PlacementOptions& options);

}  // namespace zonecut
