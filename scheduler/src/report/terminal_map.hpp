#pragma once
// The cluster map in characters: a letter for each GPU where the cluster is small, for each rack
// where it is large.
#include "report/cluster_map.hpp"
#include "report/terminal.hpp"

namespace zonecut::report {

void write_terminal_map(Terminal& terminal, const ClusterMap& map);

}  // namespace zonecut::report
