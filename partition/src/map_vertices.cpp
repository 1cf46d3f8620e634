// The pipeline of map_vertices; docs/mapping.md explains it step by step.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "bound.hpp"
#include "effort_plan.hpp"
#include "exact_small.hpp"
#include "exchange_zones.hpp"
#include "least_load.hpp"
#include "place_levels.hpp"
#include "recover_coordinates.hpp"
#include "refine_distance.hpp"
#include "shares.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {
namespace {

void require_room(std::size_t vertices, std::size_t slots) {
  if (slots >= vertices) return;
  throw InputError("tree", fmt::format("{} free slots for {} vertices", slots, vertices),
                   "free some servers or make the job smaller");
}

std::vector<std::uint32_t> zone_capacity(const SlotTree& tree, std::size_t vertices) {
  std::vector<std::uint32_t> capacity;
  for (const std::uint64_t room : tree.capacity(tree.cut_level)) {
    capacity.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(room, vertices)));
  }
  return capacity;
}

/// Slots of each leaf are given out in the order of the vertices.
std::vector<std::uint32_t> slots_in_leaves(const SlotTree& tree,
                                           std::span<const std::uint32_t> leaf) {
  std::vector<std::uint32_t> next(tree.leaves(), 0);
  for (std::size_t l = 1; l < next.size(); ++l) next[l] = next[l - 1] + tree.free[l - 1];
  std::vector<std::uint32_t> slot;
  slot.reserve(leaf.size());
  for (const std::uint32_t l : leaf) slot.push_back(next[l]++);
  return slot;
}

/// The shares at which the bound stands, the fewest zones, and the same share of every zone.
std::vector<Shares> share_choices(const PartitionProblem& problem,
                                  const std::optional<PartitionBound>& bound) {
  std::vector<Shares> choices;
  const auto add = [&](Shares shares) {
    if (std::ranges::find(choices, shares) == choices.end()) choices.push_back(std::move(shares));
  };
  if (bound && bound->shares) add(*bound->shares);
  add(fewest_parts(problem.capacity, problem.graph.vertices()));
  add(proportional_shares(problem.capacity, problem.graph.vertices()));
  return choices;
}

/// The vertices of each zone, and what is proven of their cut.
struct Zones {
  Partition partition;
  std::optional<CutBound> bound;
};

/// Equal zones that groups divide: a plain cut along the axes meets a plain bound, both of which
/// take a fraction of what follows.
std::optional<Zones> plain_answer(const PartitionProblem& problem, std::uint64_t seed) {
  const auto unlike = [&](std::uint32_t c) { return c != problem.capacity[0]; };
  if (problem.capacity.empty() || std::ranges::any_of(problem.capacity, unlike))
    return std::nullopt;
  if (problem.parts() * problem.capacity[0] != problem.graph.vertices()) return std::nullopt;
  const auto bound = bound_of(problem, 0);
  if (!bound) return std::nullopt;
  const PartitionEffort plain{.metis_starts = 0, .kept = 1};
  Partition zones =
      find_partition(problem, share_choices(problem, bound), plain, seed, bound->cut.value);
  return Zones{std::move(zones), bound->cut};
}

Zones divide_into_zones(const PartitionProblem& problem, const EffortPlan& plan,
                        std::uint64_t seed) {
  std::int64_t known = std::numeric_limits<std::int64_t>::max();
  std::optional<Zones> plain = plain_answer(problem, seed);
  if (plain) known = plain->partition.cut;
  if (plain && known <= plain->bound->value) return *std::move(plain);
  const std::optional<PartitionBound> bound = bound_of(problem, plan.bound_steps, known);
  if (plain && bound && known <= bound->cut.value) {
    return Zones{std::move(plain->partition), bound->cut};
  }
  const std::int64_t enough = bound ? bound->cut.value : 0;
  const std::vector<Shares> choices = share_choices(problem, bound);
  Partition best = find_partition(problem, choices, plan.zones.front(), seed, enough);
  for (std::size_t i = 1; i < plan.zones.size() && best.cut > enough; ++i) {
    Partition next = find_partition(problem, choices, plan.zones[i], seed + i, enough);
    if (next.cut < best.cut) best = std::move(next);
  }
  Zones zones{std::move(best), bound ? std::optional(bound->cut) : std::nullopt};
  if (zones.partition.cut > enough && problem.graph.vertices() <= kMostExactVertices) {
    if (auto optimum = exact_partition(problem, zones.partition.cut)) {
      zones.partition = std::move(*optimum);
    }
    zones.bound = CutBound{zones.partition.cut, "exhaustive search"};
  }
  return zones;
}

std::vector<std::int64_t> checked_uplinks(const MappingOptions& options, std::size_t zones) {
  if (options.uplinks.empty()) return std::vector<std::int64_t>(zones, 1);
  if (options.uplinks.size() != zones) {
    throw InputError("uplinks", fmt::format("{} given for {} zones, expected one for each",
                                            options.uplinks.size(), zones));
  }
  constexpr std::int64_t kMost = std::int64_t{1} << 50;
  for (const std::int64_t uplink : options.uplinks) {
    if (uplink < 1 || uplink > kMost)
      throw InputError("uplinks", fmt::format("found {}, expected 1 to 2^50", uplink));
  }
  return options.uplinks;
}

/// The zones for the least largest load; the bound of the cut stays what it is.
std::optional<ZoneLoad> ease_busiest_zone(const PartitionProblem& problem, const EffortPlan& plan,
                                          std::span<const std::int64_t> uplinks, std::uint64_t seed,
                                          Zones& zones) {
  std::optional<std::int64_t> cut_bound;
  if (zones.bound) cut_bound = zones.bound->value;
  const auto bound = load_bound(problem, uplinks, cut_bound,
                                plan.bound_steps / static_cast<std::int64_t>(problem.parts()));
  const ZoneLoad enough = bound.value_or(ZoneLoad{});
  if (largest_load(problem.graph, zones.partition.part, uplinks) <= enough) return bound;
  zones.partition = find_least_load(problem, uplinks, share_choices(problem, bound_of(problem, 0)),
                                    plan.zones.back(), seed, enough);
  return bound;
}

std::vector<std::uint32_t> zones_of(const SlotTree& tree, std::span<const std::uint32_t> leaf) {
  const std::vector<std::uint32_t> domain = tree.domain_of_leaf(tree.cut_level);
  std::vector<std::uint32_t> zone;
  zone.reserve(leaf.size());
  for (const std::uint32_t l : leaf) zone.push_back(domain[l]);
  return zone;
}

}  // namespace

Mapping map_vertices(const CommunicationGraph& graph, const SlotTree& tree,
                     std::span<const Coordinates> coordinates, const MappingOptions& options) {
  return map_by_plan(graph, tree, coordinates, effort_plan(options.effort, graph.vertices()),
                     options);
}

Mapping map_by_plan(const CommunicationGraph& graph, const SlotTree& tree,
                    std::span<const Coordinates> given, const EffortPlan& plan,
                    const MappingOptions& options) {
  check(tree);
  ZONECUT_ENSURES(given.empty() || given.size() == graph.vertices());
  require_room(graph.vertices(), tree.slots());

  const std::vector<Coordinates> recovered =
      given.empty() ? recover_coordinates(graph) : std::vector<Coordinates>{};
  const std::span<const Coordinates> coordinates = given.empty() ? recovered : given;
  const PartitionProblem problem{graph, zone_capacity(tree, graph.vertices()), coordinates};
  const std::vector<std::int64_t> uplinks = checked_uplinks(options, problem.parts());
  const bool eases = options.objective == Objective::Bottleneck;

  Mapping mapping;
  Zones zones = divide_into_zones(problem, plan, options.seed);
  if (eases) mapping.busiest_bound = ease_busiest_zone(problem, plan, uplinks, options.seed, zones);
  const auto load = [&](std::span<const std::uint32_t> zone) {
    return largest_load(graph, zone, uplinks);
  };
  std::vector<std::uint32_t> zone = zones.partition.part;
  exchange_zones(graph, tree, zone);
  // Steps that lower J do not ask whose uplinks they load.
  if (eases && load(zone) > load(zones.partition.part)) zone = zones.partition.part;

  std::vector<std::uint32_t> leaf =
      place_below_zones(graph, tree, coordinates, zone, plan.below, options.seed);
  const std::vector<std::uint32_t> placed = leaf;
  WorkBudget budget(plan.distance_steps);
  refine_distance(graph, tree, leaf, budget);
  if (eases && load(zones_of(tree, leaf)) > load(zone)) leaf = placed;

  mapping.slot = slots_in_leaves(tree, leaf);
  mapping.cost = measure(graph, tree, mapping.slot);
  mapping.busiest = load(zones_of(tree, leaf));
  mapping.bound = std::move(zones.bound);
  mapping.method = std::move(zones.partition.method);
  if (mapping.bound) ZONECUT_ENSURES(mapping.cost.zone_cut >= mapping.bound->value);
  if (mapping.busiest_bound) ZONECUT_ENSURES(mapping.busiest >= *mapping.busiest_bound);
  return mapping;
}

}  // namespace zonecut
