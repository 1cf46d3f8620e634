#pragma once
// Which servers the waiting jobs of a queue are to have, one plan at one moment. A job that can
// begin now gets the servers that suit it among the free ones; one that cannot, among those that
// will be free soonest, which are then kept for it against jobs behind it that would still run.
// Whoever runs the queue decides when a job begins: a plan only says where, and is made again when
// it is overtaken.
#include <cstdint>
#include <string>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// A job that waits. Times are seconds since 1970.
struct WaitingJob {
  Job job;  ///< ranks_per_server is set
  std::size_t servers = 0;
  std::vector<ServerId> eligible;  ///< that may ever take it, in the order that numbers ranks
  std::vector<ServerId> free;      ///< those of them that have room for it now, in the same order
  std::int64_t limit = 0;          ///< seconds it may run
  std::vector<ServerId> planned;   ///< what it was told before, by rank; empty: nothing yet
  bool claims = true;              ///< its turn can come: servers are kept for it
};

/// What is known of the servers besides the view.
struct QueueState {
  const ClusterView& view;
  const Fabric& fabric;
  std::int64_t now = 0;
  IdMap<ServerId, std::int64_t> free_at;  ///< when what runs there has ended, by its limits
};

struct QueueOptions {
  PlacementOptions placement;
  /// A plan for later may delay its job by so much for servers that suit it better, and stays while
  /// it delays it by no more. Seconds.
  std::int64_t patience = 60;
  /// Jobs that are planned anew at one time; those behind them wait for the next.
  std::size_t most_plans = 50;
};

enum class PlanKind {
  Keep,    ///< what it was told before still holds
  New,     ///< `servers` is the plan
  TooFew,  ///< fewer servers may take it than it needs: see `why`
  None,    ///< nothing was found, and looking took its time: see `why`
  Later,   ///< too many others came first: ask again
};

struct QueuePlan {
  PlanKind kind = PlanKind::None;
  std::vector<ServerId> servers;  ///< by rank, one server's worth each
  std::int64_t begin = 0;         ///< when all of them are free; `now` of the state where they are
  std::string why;                ///< of TooFew and None
  Bytes cross_zone;               ///< of New, as predicted
  Seconds communication;          ///< likewise
};

/// A plan for each job, in their order; those in front come first. Jobs that claim nothing are
/// planned after all others. A server belongs to at most one plan at any time, but for jobs that
/// claim nothing. O(jobs · servers · log servers) and a placement for each new plan. Deterministic.
[[nodiscard]] std::vector<QueuePlan> plan_queue(const QueueState& state,
                                                const std::vector<WaitingJob>& jobs,
                                                const QueueOptions& options);

}  // namespace zonecut
