#pragma once
// Decides round after round what becomes of each waiting job of a queue: it is pinned to servers,
// stays pinned, or is left to the workload manager that runs the queue. Remembers between rounds
// only which jobs were given up, since when a pinned job could have begun, and for which jobs
// nothing was found lately. All of it may be lost, and is found again within the same times. Not
// for several threads at once.
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "zonecut/scheduler/queue_plan.hpp"

namespace zonecut {

/// A job that asked to be placed.
struct QueuedJob {
  std::string name;  ///< unique in the queue
  /// Why it cannot be placed, and is left to the workload manager; empty: it can.
  std::string left;
  bool left_for_good = false;     ///< where `left`: see Verdict::for_good
  WaitingJob waiting;             ///< unless `left`
  bool waits_for_servers = true;  ///< for nothing else: it could begin once its servers are free
};

enum class VerdictKind {
  Nothing,  ///< change nothing: it is given up, rests after a vain attempt, or comes next round
  Pin,      ///< pin it to plan.servers
  Keep,     ///< it stays pinned as it is
  Leave,    ///< unpin it, and leave it to the workload manager; `why` says the reason
};

struct Verdict {
  VerdictKind kind = VerdictKind::Nothing;
  QueuePlan plan;         ///< of Pin and Keep
  std::string why;        ///< of Leave
  bool for_good = false;  ///< of Leave: call give_up() once the job is unpinned
};

struct KeeperOptions {
  QueueOptions queue;
  /// Seconds. A pinned job that could have begun for so long, and has not, is left for good.
  std::int64_t unpin_after = 120;
  /// Seconds. A job for which nothing was found is not planned again for so long.
  std::int64_t rest = 60;
};

class QueueKeeper {
 public:
  explicit QueueKeeper(KeeperOptions options) : options_(std::move(options)) {}

  struct Round {
    std::vector<Verdict> verdicts;  ///< by job
    bool more = false;              ///< some jobs were not planned (QueueOptions::most_plans)
  };
  /// `jobs` are all that ask to be placed, in the order of the queue; other jobs are forgotten.
  /// With `preempts` the workload manager may let a job begin at once in place of others, so jobs
  /// that could begin only later are left to it. As long as plan_queue().
  [[nodiscard]] Round judge(const QueueState& state, std::vector<QueuedJob> jobs, bool preempts);

  /// From now on the job is neither planned nor left again: its verdict is Nothing.
  void give_up(const std::string& job) { given_up_.insert(job); }

 private:
  void forget_others(const std::vector<QueuedJob>& jobs);
  [[nodiscard]] bool rests(const std::string& job, std::int64_t now) const;
  [[nodiscard]] Verdict verdict(const std::string& job, bool waits_for_servers, QueuePlan plan,
                                std::int64_t now, bool preempts);
  [[nodiscard]] Verdict kept(const std::string& job, bool waits_for_servers, QueuePlan plan,
                             std::int64_t now);

  KeeperOptions options_;
  std::map<std::string, std::int64_t> could_begin_;  // since when
  std::map<std::string, std::int64_t> resting_;      // until when
  std::set<std::string> given_up_;
};

}  // namespace zonecut
