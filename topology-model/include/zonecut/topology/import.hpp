#pragma once
// Reads and writes topologies in the formats of other systems. docs/formats/import.md says what
// each reader takes over and what it assumes; what a source does not say (link speeds,
// oversubscription) comes from ImportOptions.
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

enum class TopologyFormat {
  Zonecut,          ///< our own YAML
  Csv,              ///< a header line; ImportOptions says which column is what
  SlurmConf,        ///< topology.conf: topology/tree
  SlurmYaml,        ///< topology.yaml: tree and block
  SlurmNodes,       ///< what `scontrol show node` prints
  KubernetesNodes,  ///< `kubectl get nodes -o json`
  Ibnetdiscover,    ///< a dump of ibnetdiscover
  Topograph,        ///< a simulated cluster model of NVIDIA/topograph
  Fbwhoami,  ///< lines "server DEVICE_BACKEND_NETWORK_TOPOLOGY=dc/zone/scaling-unit/rtsw", or
             ///< /etc/fbwhoami contents
  Dot,       ///< Graphviz; written only
  KubernetesLabels,  ///< node labels as a list of Kubernetes patches; written only
};

[[nodiscard]] std::optional<TopologyFormat> find_topology_format(std::string_view name);
[[nodiscard]] std::string_view topology_format_name(TopologyFormat format);
[[nodiscard]] std::span<const TopologyFormat> readable_formats();
[[nodiscard]] std::span<const TopologyFormat> writable_formats();

struct ImportOptions {
  std::string cluster_name;     ///< empty: taken from the source
  int gpus_per_server = 8;      ///< where the source does not say
  double oversubscription = 7;  ///< above the zones, where the source does not say
  BytesPerSecond nic_bandwidth{50'000'000'000};
  /// CSV: column of the server's name, then of the levels, outermost first ("zone" -> "PSW").
  std::string server_column;
  std::vector<std::pair<std::string, std::string>> level_columns;
  std::string gpu_column;
  /// Kubernetes: label keys, outermost first; empty: the first known set that the nodes carry.
  std::vector<std::string> level_labels;
  /// slurm-nodes: topology.conf or topology.yaml, and its name for messages; empty: the nodes say
  /// themselves where they stand.
  std::string topology_text;
  std::string topology_source;
  /// slurm-conf: the servers among the nodes of the file, with their GPUs, where others than the
  /// file know them; the other nodes are left out. Empty: all are servers.
  std::map<std::string, int, std::less<>> server_gpus;
  std::optional<std::string> zone_level;
  /// Kubernetes: leave out nodes whose labels do not place them instead of refusing the list, and
  /// use the first known label set that half of the nodes carry. For a cluster that changes while
  /// it is watched.
  bool skip_unplaced = false;
};

/// Throws InputError with the line of what cannot be read, including a dump without any server.
[[nodiscard]] Cluster import_topology(TopologyFormat format, std::string_view text,
                                      const std::string& source, const ImportOptions& options);
/// What import_topology() leaves out of a source: of KubernetesNodes the servers without labels,
/// since nothing says where they are; of SlurmNodes the nodes without GPUs, where others have some.
/// Empty for other formats, which place all that they name. Throws InputError.
[[nodiscard]] std::vector<std::string> servers_left_out(TopologyFormat format,
                                                        std::string_view text,
                                                        const std::string& source,
                                                        const ImportOptions& options);
/// The state of the cluster as a source tells it: what is broken, and which GPUs are in use, all by
/// one job, since the source does not name jobs. Servers that the cluster does not have are passed
/// over. The view borrows the cluster. Throws InputError, also where !tells_state(format).
[[nodiscard]] ClusterView import_state(TopologyFormat format, std::string_view text,
                                       const std::string& source, const Cluster& cluster);
[[nodiscard]] bool tells_state(TopologyFormat format);
/// Throws InputError of "levels" or "zone_level" where no list of Kubernetes nodes can be read with
/// these options: `level_labels` name what no cluster can have, or `zone_level` is none of theirs,
/// nor of any known set of labels where they are empty.
void check_kubernetes_levels(const ImportOptions& options);
[[nodiscard]] std::string export_topology(TopologyFormat format, const Cluster& cluster);

}  // namespace zonecut
