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
  /// The searches for zones, one after the other, each from scratch; the best answer is taken. A
  /// higher effort begins with all searches of a lower one, so that it is never worse.
  std::vector<PartitionEffort> zones;
  PartitionEffort below;         ///< the search within each zone, level by level
  std::int64_t distance_steps;   ///< of the passes that lower J in the end
  std::int64_t bound_steps;      ///< of the bound of the cut
  std::int64_t exact_steps;      ///< of branch and bound, where vertices are few
  std::size_t nearer_tries = 0;  ///< searches for zones that cut as little and lie closer
};

[[nodiscard]] EffortPlan effort_plan(Effort effort, std::size_t vertices);

/// The same search in so much of its steps, all kinds alike.
[[nodiscard]] PartitionEffort in_part(const PartitionEffort& effort, double part);

/// `effort` cut down for the search within a zone of `members` of all `vertices`: whole where these
/// are a twelfth of all or more (of kVerticesForASecond, in larger jobs), in proportion where they
/// are fewer. So many zones take no longer together than twelve.
[[nodiscard]] PartitionEffort effort_for(const PartitionEffort& effort, std::size_t members,
                                         std::size_t vertices);

/// The number of annealing runs for a division into `parts`: a run over many parts takes longer, so
/// there are fewer of `runs`.
[[nodiscard]] std::size_t runs_for(std::size_t runs, std::size_t parts);

/// map_vertices with a plan of one's own, for benchmarks that switch parts of it off.
[[nodiscard]] Mapping map_by_plan(const CommunicationGraph& graph, const SlotTree& tree,
                                  std::span<const Coordinates> coordinates, const EffortPlan& plan,
                                  const MappingOptions& options);

}  // namespace zonecut
