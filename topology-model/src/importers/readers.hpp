#pragma once
// One function for each format that import_topology reads. All throw InputError with every mistake
// that was found and where it is. docs/formats/import.md says what each takes over and assumes.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/import.hpp"

namespace zonecut::importers {

[[nodiscard]] Cluster read_csv(std::string_view text, const std::string& source,
                               const ImportOptions& options);
[[nodiscard]] Cluster read_slurm_conf(std::string_view text, const std::string& source,
                                      const ImportOptions& options);
[[nodiscard]] Cluster read_slurm_yaml(std::string_view text, const std::string& source,
                                      const ImportOptions& options);
[[nodiscard]] Cluster read_slurm_nodes(std::string_view text, const std::string& source,
                                       const ImportOptions& options);
/// The nodes without GPUs, where others have some.
[[nodiscard]] std::vector<std::string> slurm_nodes_left_out(std::string_view text,
                                                            const std::string& source);
[[nodiscard]] ClusterView read_slurm_node_state(std::string_view text, const std::string& source,
                                                const Cluster& cluster);
[[nodiscard]] Cluster read_kubernetes_nodes(std::string_view text, const std::string& source,
                                            const ImportOptions& options);
[[nodiscard]] std::vector<std::string> kubernetes_nodes_left_out(std::string_view text,
                                                                 const std::string& source,
                                                                 const ImportOptions& options);
[[nodiscard]] Cluster read_ibnetdiscover(std::string_view text, const std::string& source,
                                         const ImportOptions& options);
[[nodiscard]] Cluster read_topograph(std::string_view text, const std::string& source,
                                     const ImportOptions& options);
[[nodiscard]] Cluster read_fbwhoami(std::string_view text, const std::string& source,
                                    const ImportOptions& options);

}  // namespace zonecut::importers
