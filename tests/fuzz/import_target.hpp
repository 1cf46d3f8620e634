#pragma once
// A foreign topology is refused with InputError, or makes a cluster that reads back from its own
// file, as `zonecut topology import` checks it, and that every writer writes or refuses.
#include "fuzz_target.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/topology/cluster_file.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::fuzz {

/// Where a format that is read and written names its domains as the cluster does.
inline void export_and_read(TopologyFormat format, const Cluster& cluster) {
  std::string text;
  try {
    text = export_topology(format, cluster);
  } catch (const InputError& error) {
    require(!error.problems().empty() && !error.problems().front().what.empty());
    return;
  }
  if (format == TopologyFormat::Dot || format == TopologyFormat::KubernetesLabels) return;
  const Cluster again = import_topology(format, text, "written", {});
  require(again.server_count() == cluster.server_count());
  for (std::size_t i = 0; i < cluster.server_count(); ++i)
    require(again.find_server(cluster.server(ServerId{i}).name).has_value());
}

inline void import_and_export(TopologyFormat format, std::string_view text,
                              const ImportOptions& options = {}) {
  try {
    const Cluster cluster = import_topology(format, text, "fuzz", options);
    require(cluster.server_count() > 0);
    if (cluster.server_count() + cluster.domain_count() > 2'000) return;  // keeps a run short
    if (tells_state(format)) {
      const ClusterView view = import_state(format, text, "fuzz", cluster);
      const ClusterView read = parse_state(cluster, write_state(view), "written");
      require(read.health == view.health && read.occupancy == view.occupancy);
    }
    for (const TopologyFormat written : writable_formats()) {
      if (written != TopologyFormat::Zonecut) export_and_read(written, cluster);
    }
    const std::string own = write_cluster(cluster);
    try {
      require(same_cluster(parse_cluster(own, "own"), cluster));
    } catch (const InputError& error) {
      // A cluster file cannot say every figure of an InfiniBand fabric, and the command refuses it.
      require(format == TopologyFormat::Ibnetdiscover && !error.problems().empty());
    }
  } catch (const InputError& error) {
    require(!error.problems().empty() && !error.problems().front().what.empty());
    const std::string& where = error.problems().front().where;
    require(where.starts_with("fuzz") || where.starts_with("levels") || where == "zone_level");
  }
}

}  // namespace zonecut::fuzz
