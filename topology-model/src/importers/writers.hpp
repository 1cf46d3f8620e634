#pragma once
// One function for each foreign format that export_topology writes. All throw InputError when the
// cluster has a name that the format cannot carry.
#include <string>

#include "zonecut/topology/cluster.hpp"

namespace zonecut::importers {

/// topology.conf of topology/tree, racks in depth-first order so that Slurm, which keeps the order
/// of the lines, numbers a zone's servers together.
[[nodiscard]] std::string write_slurm_conf(const Cluster& cluster);
/// YAML documents for `kubectl apply --server-side`, one for each server, that set its labels.
[[nodiscard]] std::string write_kubernetes_labels(const Cluster& cluster);
/// Graphviz: domains as nested clusters, their switches as boxes; racks are folded where there are
/// too many servers to draw.
[[nodiscard]] std::string write_dot(const Cluster& cluster);

}  // namespace zonecut::importers
