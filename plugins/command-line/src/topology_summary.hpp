#pragma once
// A cluster in figures: levels, counts, capacities, what is free.
#include <string>

#include "zonecut/topology/state.hpp"

namespace zonecut::cli {

/// "24576 GPUs in 3072 servers, 1536 racks, 8 zones"
[[nodiscard]] std::string one_line_summary(const Cluster& cluster);
/// Levels, tiers and zones as a table. Throws InputError where the state names what is not there.
[[nodiscard]] std::string summary_text(const ClusterView& view);
/// The same as "zonecut.topology/v1".
[[nodiscard]] std::string summary_json(const ClusterView& view);

}  // namespace zonecut::cli
