#pragma once
// What other schedulers would have done with the same job and the same free servers, computed by
// their published rules and measured by our yardstick. docs/baselines.md says where each rule comes
// from.
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

enum class Baseline {
  SlurmTree,   ///< topology/tree: the smallest switch that fits, else leaves by most free servers;
               ///< ranks by server name
  SlurmBlock,  ///< topology/block, racks as base blocks: the tightest block of 1, 2, 4, 8 or 16
               ///< racks or of all that suffices, in it the fullest racks; ranks by server name
  Linear,  ///< the first free servers by name, ranks in that order (Slurm's select/linear without
           ///< topology)
  Kubernetes,  ///< kube-scheduler's default profile: pod after pod, apart from each other and where
               ///< most is free; ties at random (seeded)
  BestFit,  ///< Arnold's best-fit: fill the zones with the least free room that still helps, fewest
            ///< leftovers
  Random,   ///< free servers at random (seeded), ranks at random
  ZoneSorted,  ///< fewest zones, largest first; servers sorted by zone and rack; ranks in order
  Arnold,      ///< Arnold's objective: few zones for any data-parallel group and any pipeline group
  Framework,   ///< the servers zonecut chose, ranks in the framework's order: sorted by server name
  DlroverRerank,  ///< the servers zonecut chose, reordered by DLRover's published rule (its pull
                  ///< requests 1740, 1746, 1750)
};

[[nodiscard]] std::span<const Baseline> all_baselines();
[[nodiscard]] std::string_view baseline_name(
    Baseline baseline);  ///< "slurm-tree", "zone-sorted", …
[[nodiscard]] std::string_view baseline_summary(Baseline baseline);  ///< one line for people
[[nodiscard]] std::optional<Baseline> find_baseline(std::string_view name);
/// Else it orders the servers that zonecut chose.
[[nodiscard]] bool chooses_servers(Baseline baseline);

/// The servers by vertex; none when the rule finds no room. `chosen`: the servers of our placement,
/// for the rules that only reorder. Deterministic in the seed.
[[nodiscard]] std::optional<std::vector<ServerId>> baseline_order(Baseline baseline,
                                                                  const PlacementProblem& problem,
                                                                  std::span<const ServerId> chosen,
                                                                  std::uint64_t seed);

}  // namespace zonecut
