#pragma once
// One step of a Slurm job: the servers it runs on or may choose from, and the job's ranks spread
// evenly over them. Used by `zonecut slurm-order`.
#include <optional>
#include <span>
#include <string>

#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/step_order.hpp"
#include "zonecut/topology/fabric.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut::cli {

struct SlurmStepOptions {
  std::string cluster;   ///< cluster file; empty: `topology`
  std::string topology;  ///< Slurm's topology.conf or topology.yaml
  std::string job;       ///< file, preset or text; empty: a ring over all ranks
  std::string servers;   ///< host list of the allocation, or of its part that is free
  std::size_t tasks = 0;
  std::optional<std::size_t> nodes;            ///< of the step; none: all of `servers`
  std::optional<std::size_t> gpus_per_server;  ///< none: as the cluster file says
  std::string rank_zero;                       ///< where scripts take rank 0 for; empty: anywhere
  bool hold_rank_zero = false;
};

/// Not copied: its parts borrow from each other.
struct SlurmStep {
  /// Throws InputError where the files are wrong, or tasks or ranks do not spread evenly.
  explicit SlurmStep(const SlurmStepOptions& options);
  SlurmStep(const SlurmStep&) = delete;
  SlurmStep& operator=(const SlurmStep&) = delete;
  ~SlurmStep() = default;

  /// "a,b,c"
  [[nodiscard]] std::string names(std::span<const ServerId> of) const;

  Cluster cluster;
  StepServers servers;
  std::size_t tasks_per_server;
  JobFile job;
  ClusterView view;
  Fabric fabric;
};

}  // namespace zonecut::cli
