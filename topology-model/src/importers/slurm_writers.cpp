#include <fmt/format.h>

#include "importers/switch_list.hpp"
#include "importers/writers.hpp"
#include "zonecut/base/hostlist.hpp"

namespace zonecut::importers {

std::string write_slurm_conf(const Cluster& cluster) {
  std::string text = "# topology/tree; racks in depth-first order, so neighbours stay together\n";
  for (const ListedSwitch& listed : switch_list(cluster, SwitchNaming::Slurm)) {
    const auto below = listed.is_rack
                           ? listed_servers(cluster, cluster.domain(listed.domain), "slurm-conf")
                           : listed.children;
    fmt::format_to(std::back_inserter(text), "SwitchName={} {}={}\n", listed.name,
                   listed.is_rack ? "Nodes" : "Switches", compress_hostlist(below));
  }
  return text;
}

std::string write_slurm_yaml(const Cluster& cluster) {
  const std::vector<ListedSwitch> switches = switch_list(cluster, SwitchNaming::Slurm);
  std::string text = fmt::format(
      "# racks in depth-first order, so neighbours stay together\n"
      "---\n- topology: {}\n  cluster_default: true\n  tree:\n    switches:\n",
      quoted(switches.front().name));
  for (const ListedSwitch& listed : switches) {
    const auto below = listed.is_rack
                           ? listed_servers(cluster, cluster.domain(listed.domain), "slurm-yaml")
                           : listed.children;
    fmt::format_to(std::back_inserter(text), "      - switch: {}\n        {}: {}\n",
                   quoted(listed.name), listed.is_rack ? "nodes" : "children",
                   quoted(compress_hostlist(below)));
  }
  return text;
}

}  // namespace zonecut::importers
