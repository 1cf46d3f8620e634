#pragma once
// One function for each foreign format that export_topology writes. All throw InputError when the
// cluster has a name that the format cannot carry.
#include <string>
#include <string_view>

#include "zonecut/topology/cluster.hpp"

namespace zonecut::importers {

/// topology.conf of topology/tree, racks in depth-first order: newer versions of Slurm order ranks
/// by these lines, so that the servers of a zone stay together. Read back, it gives the same tree;
/// domains without servers are left out, and names that are not unique become paths.
[[nodiscard]] std::string write_slurm_conf(const Cluster& cluster);
/// topology.yaml of Slurm 25.05 and newer, with the same tree.
[[nodiscard]] std::string write_slurm_yaml(const Cluster& cluster);
/// A simulation model of topograph, scale-up domains included.
[[nodiscard]] std::string write_topograph(const Cluster& cluster);
/// A line for each server: its name, its domain of each level, its GPUs.
[[nodiscard]] std::string write_csv(const Cluster& cluster);
/// YAML documents for `kubectl apply --server-side`, one for each server, that set its labels.
[[nodiscard]] std::string write_kubernetes_labels(const Cluster& cluster);
/// Graphviz: domains as nested clusters, their switches as boxes; racks are folded where there are
/// too many servers to draw.
[[nodiscard]] std::string write_dot(const Cluster& cluster);

/// A name in double quotes, as YAML and Graphviz read it. Names hold no control characters.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace zonecut::importers
