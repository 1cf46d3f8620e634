#include <algorithm>

#include "bound/bound.hpp"
#include "coordinates/near_places.hpp"
#include "coordinates/recover_coordinates.hpp"
#include "effort_plan.hpp"
#include "few_vertices.hpp"
#include "shares.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostExactSteps = 50'000'000;

}  // namespace

std::optional<CutBound> cut_lower_bound(const CommunicationGraph& graph, const SlotTree& tree,
                                        std::span<const Coordinates> given, Effort effort) {
  const EffortPlan plan = effort_plan(effort, graph.vertices());
  const std::vector<Coordinates> coordinates =
      given.empty() ? recover_coordinates(graph) : near_places(given);
  const PartitionProblem problem{graph, room_of_zones(tree, graph.vertices()), coordinates};
  std::optional<PartitionBound> bound = bound_of(problem, plan.bound_steps);
  std::optional<CutBound> cut;
  if (bound) cut = bound->cut;
  const bool are_few = graph.vertices() > 0 && graph.vertices() <= kMostExactVertices;
  if (!are_few || tree.slots() < graph.vertices()) return cut;
  const SearchTerms terms{.enough = cut ? cut->value : 0};
  FewVertices few(problem, share_choices(problem, bound), std::move(cut), terms);
  few.prove(std::min(plan.exact_steps, kMostExactSteps));
  return few.bound();
}

}  // namespace zonecut
