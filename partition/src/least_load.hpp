#pragma once
// The bottleneck objective: a partition whose largest load is least. The load of a part is the
// weight across its border over its uplink.
#include <cstdint>
#include <optional>
#include <span>

#include "find_partition.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// The best of several partitions refined for the largest load: `least_cut`, and slicing starts; of
/// a full mesh, evenly loaded shares, and nothing is refined where these in order do. `uplinks` by
/// part. Ends at a load of `enough`; terms.enough, a cut, is not looked at.
[[nodiscard]] Partition find_least_load(const PartitionProblem& problem, Partition least_cut,
                                        std::span<const std::int64_t> uplinks,
                                        std::span<const Shares> choices,
                                        const PartitionEffort& effort, const SearchTerms& terms,
                                        const ZoneLoad& enough);

/// A lower bound of the largest load, by two arguments: the borders of all parts add up to twice
/// the cut; and where every slot is taken, the border of a part of s vertices is the cut of some
/// division into s and the rest. None where neither has a bound. `steps` as for bound_of(), for
/// each part size; without, part sizes are not looked at.
[[nodiscard]] std::optional<ZoneLoad> load_bound(const PartitionProblem& problem,
                                                 std::span<const std::int64_t> uplinks,
                                                 std::optional<std::int64_t> cut_bound,
                                                 std::optional<std::int64_t> steps);

[[nodiscard]] ZoneLoad largest_load(const CommunicationGraph& graph,
                                    std::span<const std::uint32_t> part,
                                    std::span<const std::int64_t> uplinks);

}  // namespace zonecut
