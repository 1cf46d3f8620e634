#pragma once
// One step of a Slurm job, as a placement problem: the servers it runs on or may choose from, and
// the job's ranks spread evenly over them. Used by `zonecut slurm-order`.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/partition/job_file.hpp"
#include "zonecut/scheduler/engine.hpp"
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
};

/// Whether the job says how many ranks it has. Only a training job's data parallelism can be left
/// for an allocation to say.
[[nodiscard]] bool says_its_size(const JobFile& file);

/// Not copied: its parts borrow from each other.
class SlurmStep {
 public:
  /// Throws InputError where the files are wrong, or tasks or ranks do not spread evenly.
  explicit SlurmStep(const SlurmStepOptions& options);
  SlurmStep(const SlurmStep&) = delete;
  SlurmStep& operator=(const SlurmStep&) = delete;
  ~SlurmStep() = default;

  [[nodiscard]] std::size_t tasks_per_server() const { return tasks_per_server_; }
  /// What has to be solved; each server takes one server's worth of ranks.
  [[nodiscard]] const PlacementProblem& problem() const { return problem_.value(); }
  [[nodiscard]] const Constraints& constraints() const { return constraints_; }
  /// The order without us: the first servers as Slurm lists them.
  [[nodiscard]] std::vector<ServerId> listed() const;
  /// As many of the servers as the step has, those nearest to one of them; of equally near ones,
  /// whole racks first.
  [[nodiscard]] std::vector<ServerId> nearest(ServerId to) const;
  /// "a,b,c"
  [[nodiscard]] std::string names(std::span<const ServerId> servers) const;
  /// Throws InputError where the step may not use it.
  [[nodiscard]] ServerId server(const std::string& name) const;

 private:
  void spread(const SlurmStepOptions& options);
  void leave_one_place_each();

  Cluster cluster_;
  std::vector<ServerId> servers_;
  std::size_t nodes_;
  std::size_t tasks_per_server_ = 1;
  JobFile job_;
  ClusterView view_;
  Fabric fabric_;
  Constraints constraints_;
  std::optional<PlacementProblem> problem_;
};

}  // namespace zonecut::cli
