#pragma once
// The optimum itself, for jobs of a few servers: branch and bound over set partitions.
#include <optional>

#include "partition_problem.hpp"

namespace zonecut {

/// Up to so many vertices there are few enough set partitions (4,213,597) to go through.
inline constexpr std::size_t kMostExactVertices = 12;

/// A partition of least cut, where it cuts less than `below`; none otherwise. Requires at most
/// kMostExactVertices vertices and room for them. Deterministic.
[[nodiscard]] std::optional<Partition> exact_partition(const PartitionProblem& problem,
                                                       std::int64_t below);

}  // namespace zonecut
