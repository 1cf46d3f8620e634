#pragma once
// What a Slurm that runs here knows, asked of slurmctld through the program zonecut-slurm, which
// may not be installed. Throws IoError where nobody answers.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "situation.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::cli {

struct SlurmNode {
  std::string name;
  int gpus = 0;
  std::string health;  ///< "up", "drained" or "down"
};

struct SlurmJob {
  std::uint32_t id = 0;
  bool running = false;  ///< else pending
  std::string comment;
  std::vector<std::string> nodes;      ///< of a running job, in Slurm's order
  std::vector<std::vector<int>> gpus;  ///< by node; empty where Slurm does not say
  std::size_t node_count = 0;
  std::size_t task_count = 0;  ///< 0: not said
  int gpus_per_node = 0;       ///< asked for; 0: not said
};

struct SlurmSnapshot {
  std::string topology;  ///< as topology.conf has it; empty where Slurm has or tells none
  std::vector<SlurmNode> nodes;
  std::vector<SlurmJob> jobs;
  std::vector<std::string> order;  ///< of the job asked for: the node of each task
};

[[nodiscard]] SlurmSnapshot ask_slurm(std::optional<std::uint32_t> job);

/// The topology as a cluster; `options` says what Slurm does not know. GPUs are those of most nodes
/// where `gpus_said` is false. Throws InputError where Slurm has no topology.
[[nodiscard]] Cluster cluster_of(const SlurmSnapshot& snapshot, ImportOptions options,
                                 bool gpus_said);

/// The comment that the plugin leaves on a job says what it sends.
inline constexpr std::string_view kJobComment = "zonecut-job=";

/// A job of Slurm as a situation: everything but itself occupies the cluster.
struct SlurmSituation {
  SituationOptions options;
  SituationTexts texts;
  std::vector<std::string> servers;  ///< by server's worth of ranks, as it runs; empty: unknown
  std::string unknown;               ///< why, then
  bool running = false;
};

/// Throws InputError where there is no such job, or nobody says what it sends.
[[nodiscard]] SlurmSituation situation_of(std::uint32_t job, SituationOptions given);

}  // namespace zonecut::cli
