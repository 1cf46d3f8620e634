#pragma once
// The bottleneck objective: parts whose busiest one, by border weight over uplink, is least busy.
#include <cstdint>
#include <optional>
#include <span>

#include "find_partition.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// Every start of the search for the least cut, and that search's answer, each refined for the
/// largest load; the best of them. `uplinks` by part. Stops at a load that is `enough`; a cut never
/// is.
[[nodiscard]] Partition find_least_load(const PartitionProblem& problem,
                                        std::span<const std::int64_t> uplinks,
                                        std::span<const Shares> choices,
                                        const PartitionEffort& effort, const SearchTerms& terms,
                                        const ZoneLoad& enough);

/// No partition has a smaller largest load. Borders add up to twice the cut; and where every slot
/// is taken, the border of a part of s vertices is the cut of a division into s and the rest. None
/// where nothing is known. `steps` as for bound_of, for each of the bounds that it asks for.
[[nodiscard]] std::optional<ZoneLoad> load_bound(const PartitionProblem& problem,
                                                 std::span<const std::int64_t> uplinks,
                                                 std::optional<std::int64_t> cut_bound,
                                                 std::int64_t steps);

[[nodiscard]] ZoneLoad largest_load(const CommunicationGraph& graph,
                                    std::span<const std::uint32_t> part,
                                    std::span<const std::int64_t> uplinks);

}  // namespace zonecut
