#pragma once
// What becomes of each job that waits in a queue, round after round: it is pinned to servers, kept
// where it is pinned, or left to whoever runs the queue. Keeps only what passes between rounds:
// which jobs are given up, since when one could have begun, for which nothing was found a moment
// ago. All of it may be lost: it is found again within the same times. Not for several threads at
// once.
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
  std::string left;  ///< why it cannot be placed, and is left; empty: it can
  bool left_for_good = false;
  WaitingJob waiting;             ///< of one that can
  bool waits_for_servers = true;  ///< and for nothing else, so it could begin where it is pinned
};

enum class VerdictKind {
  Nothing,  ///< not now: its turn comes, or nothing was found a moment ago, or it is given up
  Pin,      ///< to plan.servers
  Keep,     ///< what it was told before still holds
  Leave,    ///< take back what it was told; `why` says the reason
};

struct Verdict {
  VerdictKind kind = VerdictKind::Nothing;
  QueuePlan plan;         ///< of Pin and Keep
  std::string why;        ///< of Leave
  bool for_good = false;  ///< of Leave: give_up() the job when it is done
};

struct KeeperOptions {
  QueueOptions queue;
  /// A job that could begin on its servers for so long, and does not, is left for good. Seconds.
  std::int64_t unpin_after = 120;
  /// A job for which nothing was found is not planned again for so long. Seconds.
  std::int64_t rest = 60;
};

class QueueKeeper {
 public:
  explicit QueueKeeper(KeeperOptions options) : options_(std::move(options)) {}

  struct Round {
    std::vector<Verdict> verdicts;  ///< by job
    bool more = false;              ///< there was more to plan than one round takes
  };
  /// `jobs` are all that asked, those in front first; others are forgotten. With `preempts`, jobs
  /// may begin at once in the place of others, so only those are placed that can begin now. As
  /// plan_queue() otherwise.
  [[nodiscard]] Round judge(const QueueState& state, std::vector<QueuedJob> jobs, bool preempts);

  /// The job stands in nobody's way any more: it is neither planned nor left again.
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
