#pragma once
// What simulations of one workload under several policies came to: figures worked out once, then
// written as a table, as JSON, or job by job. docs/simulation.md says what each figure means.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/scheduler/report.hpp"
#include "zonecut/scheduler/simulation.hpp"

namespace zonecut {

/// Of one value a job. Percentiles by the nearest rank.
struct Distribution {
  double mean = 0;
  double median = 0;
  double p95 = 0;
};

struct SimulationFigures {
  std::size_t done = 0;
  std::size_t too_large = 0;   ///< for the cluster: never queued
  std::size_t on_servers = 0;  ///< done on several servers
  std::size_t crossing = 0;    ///< done in several zones
  std::size_t backfilled = 0;
  Distribution wait;              ///< seconds from arrival to start
  Distribution wait_on_servers;   ///< of those on several servers
  Distribution completion;        ///< seconds from arrival to end
  Distribution slowdown;          ///< completion over ideal duration, of 10 s at least; 1 at least
  double makespan = 0;            ///< seconds from the first arrival to the last end
  double busy = 0;                ///< share of the cluster's GPUs, while jobs arrive
  double free_servers = 0;        ///< mean, wholly free, while jobs arrive
  double largest_free_block = 0;  ///< mean, wholly free servers in one zone, while jobs arrive
  double waiting_jobs = 0;        ///< mean, while jobs arrive
  // Of jobs on several servers; 1 and 0 where there are none.
  double stretch = 1;  ///< mean of duration over ideal duration
  double worst_stretch = 1;
  double interference = 1;      ///< mean of communication beside others over alone
  double cross_zone_bytes = 0;  ///< mean, per iteration
  double gpu_hours = 0;         ///< held, of all jobs
  double lost_gpu_hours = 0;    ///< held beyond the ideal durations
};

/// O(jobs log jobs).
[[nodiscard]] SimulationFigures figures_of(const Cluster& cluster, const Workload& workload,
                                           const SimulationOutcome& outcome);

/// Of what there is when a simulation begins.
struct StartFigures {
  std::size_t jobs = 0;          ///< that hold GPUs
  std::size_t staying_jobs = 0;  ///< of these, those of which nobody knows when they end
  std::size_t mute_jobs = 0;     ///< of these, those of which nobody knows what they send
  std::size_t gpus = 0;          ///< that they hold
  std::size_t lost_gpus = 0;     ///< that are broken, or on servers that take nothing new
};
/// O(GPUs).
[[nodiscard]] StartFigures figures_of(const SimulationStart& start);

struct SimulatedPolicy {
  SimulationPolicy policy;
  SimulationOutcome outcome;
  SimulationFigures figures;
};

struct SimulationReport {
  const Cluster& cluster;
  const JobTrace& trace;  ///< as selected
  const Workload& workload;
  std::span<const std::optional<IdealIteration>> ideals;
  const SimulationOptions& options;
  std::span<const SimulatedPolicy> policies;
  std::string version;
  std::string cluster_file, cluster_hash;  ///< SHA-256 of the bytes, hexadecimal
  std::string trace_file, trace_hash;
  std::string work_file, work_hash;  ///< empty: the usual work
  std::string state_file, state_hash;
  std::optional<StartFigures> start;  ///< none: it begins empty and sound
  std::string command;
};

[[nodiscard]] std::string write_simulation_terminal(const SimulationReport& report,
                                                    const TerminalStyle& style);
/// One JSON object, "zonecut.simulation/v1", indented by two.
[[nodiscard]] std::string write_simulation_json(const SimulationReport& report);
/// One line for each policy and job, with a header.
[[nodiscard]] std::string write_simulated_jobs(const SimulationReport& report);

}  // namespace zonecut
