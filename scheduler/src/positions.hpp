#pragma once
// Where the vertices of a job stand, flattened for the inner loops of a prediction: following
// Cluster's tree of domains flow by flow would cost more than everything else.
#include <cstdint>
#include <span>
#include <vector>

#include "zonecut/topology/cluster.hpp"

namespace zonecut {

struct Position {
  std::uint32_t server;
  std::uint32_t rack;  ///< index of its domain
  std::uint32_t zone;  ///< position in its level
  /// Positions with equal numbers reach each other over NVLink: a server, or the servers of one
  /// scale-up domain.
  std::uint32_t island;
};

/// O(vertices · levels).
[[nodiscard]] std::vector<Position> positions_of(const Cluster& cluster,
                                                 std::span<const ServerId> servers);

/// The domain tree in two arrays.
struct DomainLevels {
  explicit DomainLevels(const Cluster& cluster);
  std::vector<std::uint32_t> parent;  ///< of the cluster: itself
  std::vector<std::uint8_t> level;
};

}  // namespace zonecut
