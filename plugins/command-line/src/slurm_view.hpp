#pragma once
// A Slurm's snapshot as a cluster and its state: which GPUs its jobs hold, which servers take
// nothing.
#include <optional>
#include <string>
#include <vector>

#include "job_words.hpp"
#include "slurm_snapshot.hpp"
#include "zonecut/topology/import.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut::cli {

/// The topology as a cluster; `options` says what Slurm does not know. Where `gpus_said` is false
/// servers have the GPUs that Slurm knows of, and nodes_without_gpus() are left out. Throws
/// InputError where Slurm tells no topology.
[[nodiscard]] Cluster cluster_of(const SlurmSnapshot& snapshot, ImportOptions options,
                                 bool gpus_said);

/// None where no node has any: then Slurm knows of none.
[[nodiscard]] std::vector<std::string> nodes_without_gpus(const SlurmSnapshot& snapshot);

/// GPUs of a node, as most nodes that have some have them.
[[nodiscard]] int usual_gpus(const SlurmSnapshot& snapshot);

/// What the running jobs hold but for one, whose own drained servers are up for it: it is there
/// already. A node that Slurm knows no GPUs of is held whole. Nodes that the cluster does not have
/// are passed over.
[[nodiscard]] ClusterView view_of(const Cluster& cluster, const SlurmSnapshot& snapshot,
                                  std::optional<std::uint32_t> without);

/// The words of both comments: AdminComment's win over the user's. The order counts in AdminComment
/// only, which users cannot write.
[[nodiscard]] slurm::JobWords words_of(const SlurmJob& job);

}  // namespace zonecut::cli
