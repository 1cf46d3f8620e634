#pragma once
// A cluster as a list of switches with unique names, for formats that say for each switch what is
// below it. Domains without servers are left out, for Slurm knows no switch without nodes.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/topology/cluster.hpp"

namespace zonecut::importers {

enum class SwitchNaming {
  Slurm,  ///< at most 64 bytes, and no sign that means something in topology.conf
  Plain,  ///< as the domains are called, but no slash; at most 255 bytes
};

struct ListedSwitch {
  DomainId domain;
  std::string name;
  bool is_rack = false;
  std::vector<std::string> children;  ///< names of switches; none at a rack
};

/// Depth first, so that zones stay together. A name that is not unique becomes a path, else gets a
/// number. Linear in the domains, as a rule.
[[nodiscard]] std::vector<ListedSwitch> switch_list(const Cluster& cluster, SwitchNaming naming);

/// The servers of a rack by name, in their order. Throws InputError, in the name of the format,
/// where one cannot stand in a host list, or has a sign that Slurm takes apart.
[[nodiscard]] std::vector<std::string> listed_servers(const Cluster& cluster, const Domain& rack,
                                                      std::string_view format);

}  // namespace zonecut::importers
