#pragma once
// How much work each effort puts into each step of map_vertices, in steps of a few nanoseconds.
#include <cstdint>
#include <span>
#include <vector>

#include "find_partition.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// Balanced has about a second for so many, and time in proportion for more.
inline constexpr std::size_t kVerticesForASecond = 4096;

struct EffortPlan {
  /// One search after the other, each from scratch, the best answer taken: a higher effort begins
  /// with all that a lower one does, so that it is never worse.
  std::vector<PartitionEffort> zones;
  PartitionEffort below;
  std::int64_t distance_steps;
  std::int64_t bound_steps;
  std::int64_t exact_steps;  ///< of branch and bound, where vertices are few
};

[[nodiscard]] EffortPlan effort_plan(Effort effort, std::size_t vertices);

/// What is spent below a zone of `members` of all vertices: all of it where these are a twelfth or
/// more, and less in proportion where they are fewer, so that many zones take no longer than
/// twelve. Of large jobs, which have more time, a twelfth of kVerticesForASecond will do.
[[nodiscard]] PartitionEffort effort_for(const PartitionEffort& effort, std::size_t members,
                                         std::size_t vertices);

/// Of so many annealing runs: many parts take longer runs, so fewer.
[[nodiscard]] std::size_t runs_for(std::size_t runs, std::size_t parts);

/// map_vertices with a plan of one's own, for benchmarks that switch parts of it off.
[[nodiscard]] Mapping map_by_plan(const CommunicationGraph& graph, const SlotTree& tree,
                                  std::span<const Coordinates> coordinates, const EffortPlan& plan,
                                  const MappingOptions& options);

}  // namespace zonecut
