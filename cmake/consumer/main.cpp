// Places a small job through the installed headers and libraries.
#include <iostream>
#include <variant>

#include "zonecut/scheduler/engine.hpp"
#include "zonecut/topology/cluster_file.hpp"

int main() {
  const zonecut::Cluster cluster = zonecut::parse_cluster(
      "format: cluster/v1\ndomains: [{zone: 'z[1-2]', rack: 'r[1-2]', servers: 2}]\n", "inline");
  const zonecut::ClusterView view(cluster);
  const auto fabric = zonecut::Fabric::build(cluster, cluster.backend(), view.health);
  const zonecut::Job job = zonecut::parse_job_text("tp=8,dp=4,model=llama3-8b");
  const auto problem = zonecut::pose(view, fabric, job, {});
  const auto result = zonecut::place(problem, {}, {});
  const auto* placement = std::get_if<zonecut::Placement>(&result);
  if (placement == nullptr) return 1;
  std::cout << placement->servers.size() << " servers, " << placement->prediction.cross_zone.count
            << " bytes between zones\n";
  return placement->prediction.cross_zone.count == 0 ? 0 : 1;
}
