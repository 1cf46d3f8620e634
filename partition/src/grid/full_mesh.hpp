#pragma once
// Traffic in which every two vertices exchange something (all-to-all among all): as much between
// any two, and the rest.
#include <cstdint>
#include <optional>
#include <span>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

struct FullMesh {
  std::int64_t weight = 0;  ///< of every edge, above 0
  CommunicationGraph rest;  ///< what edges weigh more
};

/// What edges weigh more than that; those that do not are left out. O(edges).
[[nodiscard]] CommunicationGraph weights_above(const CommunicationGraph& graph, std::int64_t least);

/// None where two vertices exchange nothing. O(edges).
[[nodiscard]] std::optional<FullMesh> full_mesh(const CommunicationGraph& graph);

/// The least that parts of these capacities cut of a full mesh with edges of weight 1, and the
/// shares that cut it: the largest parts filled one after the other, for x² is convex. So many
/// vertices have room.
struct MeshCut {
  std::int64_t edges = 0;
  std::vector<std::uint32_t> shares;  ///< by part
};
[[nodiscard]] MeshCut least_mesh_cut(std::size_t vertices, std::span<const std::uint32_t> capacity);

}  // namespace zonecut
