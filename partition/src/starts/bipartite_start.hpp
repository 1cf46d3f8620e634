#pragma once
// A start for bipartite meshes (bipartite_mesh.hpp): each zone gets so many vertices of either side
// as cut least, tied ones together.
#include <optional>

#include "partition_problem.hpp"

namespace zonecut {

/// With exactly these shares. None where the graph is no such mesh, too large a one, or a full one
/// of more than a few vertices.
[[nodiscard]] std::optional<Partition> bipartite_start(const PartitionProblem& problem,
                                                       const Shares& shares);

}  // namespace zonecut
