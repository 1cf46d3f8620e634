#include "zonecut/scheduler/engine.hpp"

#include "objective.hpp"
#include "orders_to_try.hpp"
#include "reasons.hpp"
#include "refusal.hpp"
#include "swap_descent.hpp"

namespace zonecut {
namespace {

/// The best of the trials with servers exchanged, where that is predicted to be faster by more than
/// the tolerance: one trial more.
void add_swapped(const PlacementProblem& problem, std::span<const VertexSlice> slices,
                 double tolerance, Effort effort, std::vector<Trial>& trials,
                 std::vector<Placement>& placements) {
  const std::size_t best = ranked(placements, seconds_limit(placements, tolerance)).front();
  auto servers = swapped_for_time(problem, placements[best], slices, effort);
  if (!servers) return;
  Trial swapped{trials[best].name + ", swapped for time", trials[best].method + ", swaps",
                *std::move(servers)};
  PlacementResult result = judge(problem, swapped.servers, swapped.method);
  auto* placement = std::get_if<Placement>(&result);
  if (placement == nullptr ||
      placement->prediction.communication.count >= seconds_limit(placements, 0) * (1 - tolerance))
    return;
  trials.push_back(std::move(swapped));
  placements.push_back(std::move(*placement));
}

}  // namespace

PlacementResult place(const PlacementProblem& problem, const Constraints& constraints,
                      const PlacementOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  const std::vector<VertexSlice> slices = vertex_slices(
      cluster, constraints, problem.traffic.ranks_per_server, problem.graph.vertices());
  if (auto none = refusal(problem, constraints, slices)) return *std::move(none);

  std::vector<Trial> trials;
  std::vector<Placement> placements;
  std::optional<NoFit> none_runs;
  for (Trial& trial : orders_to_try(problem, constraints, slices, options.mapping)) {
    PlacementResult result = judge(problem, trial.servers, trial.method);
    if (auto* placement = std::get_if<Placement>(&result)) {
      trials.push_back(std::move(trial));
      placements.push_back(std::move(*placement));
    } else if (!none_runs) {
      none_runs = std::get<NoFit>(std::move(result));
    }
  }
  if (placements.empty()) return *std::move(none_runs);
  const double tolerance = constraints.time_tolerance.value_or(options.tolerance);
  // Who asks for no bound has no time for swaps either.
  const Effort effort = problem.proof == Proof::None ? Effort::Fast : options.mapping.effort;
  add_swapped(problem, slices, tolerance, effort, trials, placements);

  const double limit = seconds_limit(placements, tolerance);
  const std::vector<std::size_t> order = ranked(placements, limit);
  std::vector<std::string> names;
  for (const Trial& trial : trials) names.push_back(trial.name);
  std::vector<Candidate> candidates = candidates_of(cluster, names, placements, order, limit);
  Placement chosen = std::move(placements[order.front()]);
  chosen.candidates = std::move(candidates);
  chosen.reasons = reasons_for(problem, constraints, slices, chosen);
  return chosen;
}

}  // namespace zonecut
