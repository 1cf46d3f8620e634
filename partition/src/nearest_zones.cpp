#include "nearest_zones.hpp"

#include <utility>
#include <vector>

#include "effort_plan.hpp"
#include "refine/exchange_zones.hpp"

namespace zonecut {
namespace {

Shares sizes_of(const Partition& partition, std::size_t parts) {
  Shares sizes(parts, 0);
  for (const std::uint32_t part : partition.part) ++sizes[part];
  return sizes;
}

}  // namespace

Partition nearest_zones(const PartitionProblem& problem, const SlotTree& tree,
                        const PartitionEffort& effort, std::size_t tries, SearchTerms terms,
                        Partition found) {
  // Exchanges take time that grows with the third power of zones.
  constexpr std::size_t kMostZones = 64;
  if (!has_tiers_above(tree) || problem.parts() > kMostZones || found.cut == 0) return found;
  const std::vector<Shares> sizes{sizes_of(found, problem.parts())};
  const auto cost = [&](Partition& partition) {
    exchange_zones(problem.graph, tree, partition.part);
    return cost_between_zones(problem.graph, tree, partition.part);
  };
  double least = cost(found);
  terms.enough = found.cut;
  // The least cut is seldom found late, and a search that does not find it takes its whole time.
  const PartitionEffort half = in_part(effort, 0.5);
  for (std::size_t i = 0; i < tries; ++i) {
    ++terms.seed;
    Partition other = find_partition(problem, sizes, half, terms);
    if (other.cut > found.cut) break;
    const double now = cost(other);
    if (other.cut == found.cut && now >= least) continue;
    least = now;
    found = std::move(other);
    terms.enough = found.cut;
  }
  return found;
}

}  // namespace zonecut
