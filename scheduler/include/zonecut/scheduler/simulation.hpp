#pragma once
// Jobs that arrive at a cluster, wait, run and leave, under one way of placing them: what that does
// to waiting, to the time jobs take and to the links (docs/simulation.md). A function of values
// with an event queue in whole milliseconds: the same input gives the same outcome.
//
// A job runs its `duration` where it stands ideally, alone. Elsewhere each iteration takes
// compute + communication instead of compute + ideal communication, and the run that much longer.
// What jobs that run when it starts send over the same links counts as sent all along.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zonecut/scheduler/baseline.hpp"
#include "zonecut/scheduler/engine.hpp"
#include "zonecut/scheduler/workload.hpp"

namespace zonecut {

/// Who chooses servers and the order of ranks.
struct SimulationPolicy {
  std::optional<Baseline> servers = std::nullopt;  ///< none: zonecut
  bool reordered = false;  ///< the ranks on those servers in zonecut's order
  friend bool operator==(const SimulationPolicy&, const SimulationPolicy&) = default;
};

/// "zonecut", "slurm-tree", "slurm-tree+order", … of the baselines that choose servers wherever
/// enough are free.
[[nodiscard]] std::vector<SimulationPolicy> all_simulation_policies();
[[nodiscard]] std::string policy_name(const SimulationPolicy& policy);
[[nodiscard]] std::optional<SimulationPolicy> find_policy(std::string_view name);
/// Why a baseline is none, for people; empty where it is one.
[[nodiscard]] std::string_view why_no_policy(Baseline baseline);

/// What there is at time 0. Jobs that run then hold their GPUs until they end, those of which it is
/// not known all along; and so does all that is broken.
struct SimulationStart {
  explicit SimulationStart(const Cluster& cluster) : view(cluster) {}
  SimulationStart(ClusterView now, std::vector<std::pair<JobId, RunningTraffic>> traffic)
      : view(std::move(now)), running(std::move(traffic)) {}
  ClusterView view;
  std::vector<std::pair<JobId, RunningTraffic>> running;  ///< of the jobs whose traffic is known
};

enum class QueueRule : std::uint8_t {
  Fifo,      ///< nobody starts before one that came earlier
  Backfill,  ///< EASY: later ones start if the first in the queue starts no later for it
};

struct SimulationOptions {
  QueueRule queue = QueueRule::Backfill;
  /// How many jobs behind the first are looked at each time; 500 is Slurm's bf_max_job_test.
  std::size_t backfill_depth = 500;
  PlacementOptions placement = {};
  Routing routing = {};
  bool interference = true;  ///< jobs that run beside take their part of the links
  /// Of an iteration where the job stands ideally; none: what it computes at `flops_per_gpu`.
  std::optional<double> communication_share = std::nullopt;
  double flops_per_gpu = 400e12;
  /// Of jobs that do not say what they compute.
  double usual_communication_share = 0.2;
  /// Called with the number of jobs that have ended, now and then.
  std::function<void(std::size_t ended)> progress = nullptr;
};

/// What a work takes in an iteration where it stands ideally, which no policy changes.
struct IdealIteration {
  Traffic traffic;
  Seconds compute;
  Seconds communication;
};

/// By index in Workload::works; none of those that the cluster has no room for. As long as so many
/// placements.
[[nodiscard]] std::vector<std::optional<IdealIteration>> ideal_iterations(
    const Cluster& cluster, const Fabric& fabric, const Workload& workload,
    const SimulationOptions& options);

struct JobRun {
  std::int64_t start = 0;  ///< ms, as all times
  std::int64_t end = 0;
  /// The least start it was promised while it stood first in the queue.
  std::optional<std::int64_t> promised;
  bool backfilled = false;  ///< started before one that came earlier
  std::vector<GpuId> gpus;  ///< by rank
  std::size_t zones = 0;    ///< that it ran in
  std::size_t racks = 0;
  Seconds communication = {};  ///< per iteration, beside the others
  Seconds alone = {};          ///< the same if no other job sent anything
  Bytes cross_zone = {};       ///< per iteration
};

/// Sums of what lasts so long, from the first arrival to the last.
struct ArrivalPeriod {
  std::int64_t length = 0;        ///< ms
  double busy_gpus = 0;           ///< mean
  double free_servers = 0;        ///< wholly free, mean
  double largest_free_block = 0;  ///< wholly free servers in the zone that has most, mean
  double waiting_jobs = 0;        ///< mean
};

struct SimulationOutcome {
  std::vector<std::optional<JobRun>> runs;  ///< by job; none: there is never room for it
  ArrivalPeriod period;
};

/// Borrows its arguments; the fabric is that of the start, with what is broken. Servers that failed
/// links cut off from others take nothing new. `ideals` as ideal_iterations() gives them for the
/// sound fabric. O(jobs · (servers + queue)) and a placement a job. Throws InputError where what is
/// broken leaves a job that has room no way to run.
[[nodiscard]] SimulationOutcome simulate(const SimulationStart& start, const Fabric& fabric,
                                         const Workload& workload,
                                         std::span<const std::optional<IdealIteration>> ideals,
                                         const SimulationPolicy& policy,
                                         const SimulationOptions& options);

}  // namespace zonecut
