#pragma once
// The lower bound of the zone cut, and the shares at which it stands: where more slots are free
// than needed, those are the shares worth trying.
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

struct PartitionBound {
  CutBound cut;
  std::optional<Shares> shares;
  std::vector<Shares> whole{};  ///< others worth trying: of whole rows or columns of a grid
};

/// For parts of these capacities, or fewer parts. `steps`: work for the stronger bounds; with 0
/// only the separable one, in milliseconds. A bound of `enough` ends the work: the cut of a
/// partition that is known. None: nothing is known beyond 0.
[[nodiscard]] std::optional<PartitionBound> bound_of(
    const PartitionProblem& problem, std::int64_t steps,
    std::int64_t enough = std::numeric_limits<std::int64_t>::max());

/// Bound from connectedness alone: so many parts are needed, and so many edges of any spanning tree
/// run between them. O(edges log edges).
[[nodiscard]] std::int64_t spanning_tree_bound(const PartitionProblem& problem);

}  // namespace zonecut
