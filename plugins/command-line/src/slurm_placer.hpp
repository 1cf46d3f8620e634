#pragma once
// Places the jobs of a Slurm's queue that asked for it, one round at a time: pins each pending job
// to its servers, publishes the order of its ranks in AdminComment and lets it begin, as the
// scheduler's QueueKeeper judges. All that must last stands with the jobs in slurmctld; a placer
// that is started again goes on from there.
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "slurm_program.hpp"
#include "slurm_queue.hpp"
#include "slurm_snapshot.hpp"
#include "zonecut/scheduler/queue_keeper.hpp"

namespace zonecut::cli {

/// A change to a pending job, made only if what it changes of nodes and begin is what it was in the
/// snapshot. Always ends the lease.
struct SlurmChange {
  const SlurmJob* job = nullptr;
  std::optional<std::string> nodes;   ///< that it is pinned to; empty: to none; none: as they are
  std::optional<std::int64_t> begin;  ///< seconds since 1970; none: as it is
  std::optional<std::string> order;   ///< published; empty: taken back; none: as it is
  /// As words of zonecut-slurm.
  [[nodiscard]] std::vector<std::string> words() const;
};

class SlurmPlacer {
 public:
  /// Throws IoError where slurmctld does not answer, which ends the round, but only once for a job.
  using Apply = std::function<SlurmAnswer(const SlurmChange&)>;
  using Tell = std::function<void(const std::string&)>;  ///< one line for the log

  SlurmPlacer(const Cluster& cluster, KeeperOptions options, Apply apply, Tell tell);

  /// Plans the queue and changes what has to be. Returns whether there was more to plan or to
  /// change than one round takes.
  bool round(const SlurmSnapshot& snapshot);

 private:
  [[nodiscard]] bool act(const std::vector<PlacingJob>& jobs, const std::vector<Verdict>& verdicts,
                         std::int64_t now);
  void act(const PlacingJob& job, const Verdict& verdict, std::int64_t now);
  void pin(const PlacingJob& job, const QueuePlan& plan, std::int64_t now);
  void leave(const PlacingJob& job, const Verdict& verdict, std::int64_t now);
  [[nodiscard]] bool change(const SlurmChange& change);

  const Cluster& cluster_;
  QueueKeeper keeper_;
  Apply apply_;
  Tell tell_;
  std::map<std::string, std::string> told_;  ///< what was last said of a job that is left
  std::size_t changes_ = 0;                  ///< of this round
  std::set<std::string> failed_;             ///< jobs whose last change ended a round
};

/// Takes back every pin and lets every job begin: Slurm places them. Goes through all of them, then
/// throws the first IoError there was.
void release_jobs(const SlurmSnapshot& snapshot, const SlurmPlacer::Apply& apply,
                  const SlurmPlacer::Tell& tell);

}  // namespace zonecut::cli
