#include "routing/stale_routes.hpp"

#include <algorithm>

#include "routing/engineered_routes.hpp"

namespace zonecut {
namespace {

RoutedLoads engineered_before(const Fabric& fabric, std::span<const NicFlow> flows) {
  const Cluster& cluster = fabric.cluster();
  const Fabric whole = Fabric::build(cluster, fabric.spec(), Health(cluster));
  return engineered_routes(Cables(whole), flows, Paths::Keep);
}

}  // namespace

RoutedLoads stale_routes(const Cables& cables, std::span<const NicFlow> flows,
                         const Routing& routing, std::uint64_t seed, Paths paths) {
  const RoutedLoads before = engineered_before(cables.fabric(), flows);
  RoutedLoads kept;
  kept.bytes.assign(before.bytes.size(), 0);
  kept.rules = before.rules;
  kept.parted = before.parted;
  std::vector<NicFlow> broken;
  std::vector<std::uint32_t> numbers;
  for (const RoutedPart& part : before.parts) {
    const auto path = before.path(part);
    if (std::any_of(path.begin(), path.end(),
                    [&](std::uint32_t hop) { return cables.capacity(hop / 2) <= 0; })) {
      broken.push_back(flows[part.flow]);
      numbers.push_back(part.flow);
      count_rules(cables, path, -1, kept.rules);
      continue;
    }
    for (const std::uint32_t hop : path) kept.bytes[hop] += part.bytes;
    if (paths == Paths::Forget) continue;
    kept.parts.push_back(part);
    kept.parts.back().first_hop = static_cast<std::uint32_t>(kept.hops.size());
    kept.hops.insert(kept.hops.end(), path.begin(), path.end());
  }
  const Routing hashed{RoutingScheme::EnhancedEcmp, routing.queue_pairs};
  kept.add(route(cables, broken, hashed, seed, paths), numbers);
  return kept;
}

}  // namespace zonecut
