#include "bound/bound.hpp"

#include <algorithm>
#include <limits>

#include "bound/bound_grid.hpp"
#include "bound/bound_layers.hpp"
#include "bound/bound_sets.hpp"
#include "bound/bound_spectral.hpp"
#include "bound/possible_cut.hpp"
#include "grid/bipartite_shares.hpp"
#include "grid/full_mesh.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/weight_unit.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMeshSteps = 60'000'000;
constexpr std::int64_t kUnknown = std::numeric_limits<std::int64_t>::max();

void take_if_higher(PartitionBound& best, std::int64_t value, const std::string& method) {
  if (value > best.cut.value) best.cut = {value, method};
}

Shares shares_of(const BipartiteShares& sides) {
  Shares shares;
  for (const auto& [first, second] : sides.zones) shares.push_back(first + second);
  return shares;
}

/// Every division at its shares cuts the same of a full mesh; what the rest cuts is added.
std::optional<PartitionBound> bound_of_mesh(const PartitionProblem& problem, const FullMesh& mesh,
                                            std::int64_t steps, std::int64_t enough) {
  MeshCut cut = least_mesh_cut(problem.graph.vertices(), problem.capacity);
  PartitionBound best{{mesh.weight * cut.edges, "full mesh"}, std::move(cut.shares)};
  if (mesh.rest.total_weight() == 0 || best.cut.value >= enough) return best;
  const std::optional<PartitionBound> rest =
      bound_of({mesh.rest, problem.capacity, problem.coordinates}, steps,
               enough == kUnknown ? kUnknown : enough - best.cut.value);
  if (!rest || rest->cut.value == 0) return best;
  best.cut.value += rest->cut.value;
  best.cut.method += " + " + rest->cut.method;
  return best;
}

}  // namespace

std::optional<PartitionBound> bound_of(const PartitionProblem& problem, std::int64_t steps,
                                       std::int64_t enough) {
  const std::size_t vertices = problem.graph.vertices();
  if (problem.graph.total_weight() == 0) return PartitionBound{{0, "no traffic"}, {}};
  if (*std::ranges::max_element(problem.capacity) >= vertices) {
    return PartitionBound{{0, "fits in one zone"}, {}};
  }
  if (const std::optional<FullMesh> mesh = full_mesh(problem.graph)) {
    return bound_of_mesh(problem, *mesh, steps, enough);
  }
  PartitionBound best{{0, ""}, {}};
  take_if_higher(best, spanning_tree_bound(problem), "spanning tree");
  if (best.cut.value >= enough) return best;

  const WeightUnit unit = WeightUnit::finest(problem.graph.total_weight());
  if (const auto mesh = bipartite_mesh(problem.graph)) {
    const BipartiteCuts cuts(*mesh, problem.graph, unit);
    const auto least = bipartite_shares(*mesh, cuts, problem.capacity, kMeshSteps + steps);
    if (least) {
      take_if_higher(best, unit.whole_cut(least->quarters), "mesh of two sides");
      if (!least->zones.empty()) best.shares = shares_of(*least);
    }
    if (best.cut.value >= enough) return best;
  }
  // The grids share no vertex, so their bounds add up.
  std::int64_t quarters = 0;
  std::string names;
  const std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  const bool several = !grids.empty() && grids.front().vertices() < vertices;
  const std::int64_t target = unit.least_quarters(enough);
  for (const GridTraffic& whole : grids) {
    GridBound grid = bound_grid(in_units(whole, unit), problem.capacity,
                                several ? steps / 16 : steps, several ? kUnknown : target);
    if (whole.vertices() == vertices && !grid.shares.empty()) best.shares = std::move(grid.shares);
    if (whole.vertices() == vertices) best.whole = std::move(grid.whole);
    if (grid.quarters <= 0) continue;
    quarters += grid.quarters;
    names += (names.empty() ? "" : " + ") + grid.name;
  }
  take_if_higher(best, unit.whole_cut(quarters), names);
  if (steps > 0 && best.cut.value < enough) {
    WorkBudget budget(steps / 2);
    const std::int64_t known = std::max(quarters, unit.least_quarters(best.cut.value));
    const auto sets = sets_bound(problem, unit, budget, known, target);
    if (sets && unit.whole_cut(sets->quarters) > best.cut.value) {
      if (!sets->shares.empty()) best.shares = sets->shares;
      take_if_higher(best, unit.whole_cut(sets->quarters), "vertex by vertex");
    }
    // Where rows are rough, parts of vertices stand in a grid and say more.
    const bool has_parts = problem.rough && !problem.coordinates.empty();
    if (grids.empty() && !sets && !has_parts && best.cut.value < enough) {
      WorkBudget for_eigenvalues(steps);
      take_if_higher(best, spectral_bound(problem, for_eigenvalues, enough), "eigenvalues");
    }
  }
  // Several grids share the zones among them, which takes half as many steps again.
  if (several && steps > 0 && best.cut.value < enough) {
    WorkBudget budget(steps + steps / 2);
    SharedBound layers = layers_bound(problem, unit, budget, quarters, target);
    take_if_higher(best, unit.whole_cut(layers.quarters), "layers");
    if (!layers.shares.empty()) best.shares = std::move(layers.shares);
  }
  if (best.cut.value == 0) return std::nullopt;
  best.cut.value = next_possible_cut(problem.graph, best.cut.value);
  return best;
}

}  // namespace zonecut
