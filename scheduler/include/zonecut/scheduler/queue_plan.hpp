#pragma once
// Plans servers for the waiting jobs of a queue, at one moment. A job that can begin now gets the
// servers that suit it best among the free ones. A job that cannot gets the best among those that
// will be free soonest; these are then kept for it: jobs behind it may use them only if they end in
// time. When a job begins is up to the workload manager that runs the queue: a plan says only
// where, and is made again when events overtake it.
#include <cstdint>
#include <string>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// A job that waits. Times are seconds since 1970.
struct WaitingJob {
  Job job;  ///< ranks_per_server is set
  std::size_t servers = 0;
  /// That may ever take it, in the rank order that applies without us.
  std::vector<ServerId> eligible;
  std::vector<ServerId> free;     ///< those of them that have room for it now, in the same order
  std::int64_t limit = 0;         ///< seconds it may run
  std::vector<ServerId> planned;  ///< its plan so far, by rank; empty: none yet
  bool claims = true;             ///< servers are kept for it; false: its turn cannot come
};

/// What is known of the servers besides the view.
struct QueueState {
  const ClusterView& view;
  const Fabric& fabric;
  std::int64_t now = 0;
  /// When all that runs there has ended, at its time limits.
  IdMap<ServerId, std::int64_t> free_at;
};

struct QueueOptions {
  PlacementOptions placement;
  /// Seconds. How much later than possible a job may be planned to begin, for servers that suit it
  /// better; a plan so far is kept as long as it delays the job by no more.
  std::int64_t patience = 60;
  /// The most jobs that one call plans anew; those behind them get PlanKind::Later.
  std::size_t most_plans = 50;
};

enum class PlanKind {
  Keep,    ///< the plan so far still holds
  New,     ///< `servers` is a new plan
  TooFew,  ///< fewer servers are eligible than it needs: see `why`
  None,    ///< a placement was tried and not found: see `why`
  Later,   ///< not tried, since most_plans others were: ask again
};

struct QueuePlan {
  PlanKind kind = PlanKind::None;
  std::vector<ServerId> servers;  ///< of Keep and New: by rank, one server's worth each
  std::int64_t begin = 0;         ///< of Keep and New: when all of them are free, `now` at least
  std::string why;                ///< of TooFew and None
  Bytes cross_zone;               ///< of New, as predicted
  Seconds communication;          ///< likewise
};

/// A plan for each job, in the order of `jobs`, which is that of the queue. Jobs that claim nothing
/// are planned last. No server is in the plans of two jobs at one time, except of jobs that claim
/// nothing. O(jobs · servers), and a placement for each new plan. Deterministic.
[[nodiscard]] std::vector<QueuePlan> plan_queue(const QueueState& state,
                                                const std::vector<WaitingJob>& jobs,
                                                const QueueOptions& options);

}  // namespace zonecut
