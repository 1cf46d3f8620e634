#pragma once
// Simulates jobs that arrive at a cluster, wait, run and leave under one placement policy, and
// counts how long they wait and run and what crosses the links (docs/simulation.md). An event queue
// in whole milliseconds; a function of values: the same input gives the same outcome.
//
// A job that is placed ideally and runs alone takes its `duration`. Placed otherwise, each of its
// iterations takes compute + communication instead of compute + ideal communication, and the run
// that much longer. The communication is fixed when the job starts: jobs that run at that moment
// are taken to send over the links they share for as long as it runs.
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

/// Who chooses the servers and the order of ranks.
struct SimulationPolicy {
  std::optional<Baseline> servers = std::nullopt;  ///< the rule that chooses; none: zonecut
  bool reordered = false;  ///< zonecut orders the ranks on the servers that the rule chose
  friend bool operator==(const SimulationPolicy&, const SimulationPolicy&) = default;
};

/// "zonecut", "slurm-tree", "slurm-tree+order", … of the baselines that choose servers.
[[nodiscard]] std::vector<SimulationPolicy> all_simulation_policies();
[[nodiscard]] std::string policy_name(const SimulationPolicy& policy);
[[nodiscard]] std::optional<SimulationPolicy> find_policy(std::string_view name);
/// Why a baseline is none, for people; empty where it is one.
[[nodiscard]] std::string_view why_no_policy(Baseline baseline);

/// The cluster at time 0. Jobs that run then hold their GPUs until they end; those without a known
/// end, and whatever is broken, hold them throughout.
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
  bool interference = true;  ///< jobs that share links slow each other down
  /// Share of an ideal iteration that is communication, which settles the compute time. None:
  /// training jobs compute critical_flops() at `flops_per_gpu`, and other jobs have the usual
  /// share.
  std::optional<double> communication_share = std::nullopt;
  double flops_per_gpu = 400e12;  ///< per second
  double usual_communication_share = 0.2;
  /// Called from time to time with the number of jobs that have ended.
  std::function<void(std::size_t ended)> progress = nullptr;
};

/// An iteration of a work that is placed ideally: alone on the empty cluster, by zonecut.
struct IdealIteration {
  Traffic traffic;
  Seconds compute;
  Seconds communication;
};

/// By index in Workload::works; none for a work that the cluster has no room for. As long as a
/// placement for each.
[[nodiscard]] std::vector<std::optional<IdealIteration>> ideal_iterations(
    const Fabric& fabric, const Workload& workload, const SimulationOptions& options);

struct JobRun {
  std::int64_t start = 0;  ///< ms, as all times
  std::int64_t end = 0;
  /// The earliest start that was promised to it while it was first in the queue; it starts no
  /// later.
  std::optional<std::int64_t> promised;
  bool backfilled = false;  ///< started before one that came earlier
  std::vector<GpuId> gpus;  ///< by rank
  std::size_t zones = 0;    ///< that it ran in
  std::size_t racks = 0;
  Seconds communication = {};  ///< per iteration, beside the others
  Seconds alone = {};          ///< the same if no other job sent anything
  Bytes cross_zone = {};       ///< per iteration
};

/// Means over time from the first arrival to the last.
struct ArrivalPeriod {
  std::int64_t length = 0;        ///< ms
  double busy_gpus = 0;           ///< GPUs that jobs hold
  double free_servers = 0;        ///< servers that are wholly free
  double largest_free_block = 0;  ///< wholly free servers in the zone that has most
  double waiting_jobs = 0;
};

struct SimulationOutcome {
  std::vector<std::optional<JobRun>>
      runs;  ///< by job; none: there is never room for it, or for slurm-block no block
  ArrivalPeriod period;
};

/// `fabric` is that of the start, with its failures; `ideals` are ideal_iterations() on the fabric
/// without failures. Servers that failed links cut off from others take no new jobs. O(jobs ·
/// (servers + queue)), and a placement for each job. Throws InputError where failures leave a job
/// for which there is room no way to run, or a job would end more than 2^53 ms after the first
/// arrival.
[[nodiscard]] SimulationOutcome simulate(const SimulationStart& start, const Fabric& fabric,
                                         const Workload& workload,
                                         std::span<const std::optional<IdealIteration>> ideals,
                                         const SimulationPolicy& policy,
                                         const SimulationOptions& options);

}  // namespace zonecut
