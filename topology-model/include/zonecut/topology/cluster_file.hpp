#pragma once
// Our own files: "cluster/v1" (what stands where) and "state/v1" (who holds what, what is broken).
// The format is written down in docs/formats/cluster.md and state.md. All mistakes of a file are
// reported at once, with line and column.
#include <optional>
#include <string>
#include <string_view>

#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

/// Throws InputError. Linear in the text and in the cluster but for sorted tables; at most
/// 1,000,000 servers.
[[nodiscard]] Cluster parse_cluster(std::string_view text, const std::string& source);
[[nodiscard]] Cluster load_cluster(const std::string& path);
/// Text that parse_cluster reads back to an equal cluster; runs of alike racks and servers are
/// written compactly.
[[nodiscard]] std::string write_cluster(const Cluster& cluster);

/// What `oversubscription` says, "7:1" or "7"; none where that is no ratio or a senseless one.
[[nodiscard]] std::optional<double> parse_ratio(std::string_view text);

/// The view borrows the cluster. Throws InputError, also where two jobs hold the same GPU.
[[nodiscard]] ClusterView parse_state(const Cluster& cluster, std::string_view text,
                                      const std::string& source);
[[nodiscard]] ClusterView load_state(const Cluster& cluster, const std::string& path);
/// Text that parse_state reads back to an equal view, as long as no two jobs have the same name.
[[nodiscard]] std::string write_state(const ClusterView& view);

/// The same levels, domains, servers and fabric specifications, whatever the ids.
[[nodiscard]] bool same_cluster(const Cluster& a, const Cluster& b);

}  // namespace zonecut
