#pragma once
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// The number of GPUs most servers have; of equally common ones the larger.
[[nodiscard]] int usual_gpus(const Cluster& cluster);

}  // namespace zonecut
