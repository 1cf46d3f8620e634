#include <algorithm>

#include "bound/bound.hpp"
#include "bound/bound_units.hpp"
#include "bound/possible_cut.hpp"
#include "coordinates/near_places.hpp"
#include "coordinates/recover_coordinates.hpp"
#include "effort_plan.hpp"
#include "few_vertices.hpp"
#include "shares.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/mapping.hpp"
#include "zonecut/partition/unit_bound.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostExactSteps = 50'000'000;

}  // namespace

std::optional<CutBound> cut_lower_bound(const CommunicationGraph& graph, const SlotTree& tree,
                                        std::span<const Coordinates> given, Effort effort) {
  if (tree.slots() < graph.vertices()) return std::nullopt;
  const EffortPlan plan = effort_plan(effort, graph.vertices());
  const std::vector<Coordinates> coordinates =
      given.empty() ? recover_coordinates(graph) : near_places(given);
  const PartitionProblem problem{graph, room_of_zones(tree, graph.vertices()), coordinates};
  std::optional<PartitionBound> bound = bound_of(problem, plan.bound_steps);
  std::optional<CutBound> cut;
  if (bound) cut = bound->cut;
  const bool are_few = graph.vertices() > 0 && graph.vertices() <= kMostExactVertices;
  if (!are_few) return cut;
  const SearchTerms terms{.enough = cut ? cut->value : 0};
  FewVertices few(problem, share_choices(problem, bound), std::move(cut), terms);
  few.prove(std::min(plan.exact_steps, kMostExactSteps));
  return few.bound();
}

std::optional<CutBound> cut_lower_bound_of_units(const CommunicationGraph& graph, std::size_t unit,
                                                 const SlotTree& tree,
                                                 std::span<const Coordinates> given,
                                                 Effort effort) {
  ZONECUT_ENSURES(unit > 0 && graph.vertices() % unit == 0);
  std::optional<CutBound> bound = cut_lower_bound(graph, tree, given, effort);
  // Zones that hold all need no bound.
  if (unit == 1 || graph.total_weight() == 0 || (bound && bound->value == 0)) return bound;
  const std::vector<Coordinates> coordinates =
      given.empty() ? recover_coordinates(graph) : near_places(given);
  const PartitionProblem problem{graph, room_of_zones(tree, graph.vertices()), coordinates};
  const auto is_whole = [&](std::uint32_t room) { return room % unit == 0; };
  ZONECUT_ENSURES(std::ranges::all_of(problem.capacity, is_whole));
  const std::int64_t steps = effort_plan(effort, graph.vertices()).bound_steps;
  const std::int64_t known = bound ? bound->value : 0;
  const std::int64_t of_units = units_bound(problem, unit, steps, known);
  if (of_units > known) {
    bound = CutBound{next_possible_cut(graph, of_units), "stages of whole units"};
  }
  return bound;
}

}  // namespace zonecut
