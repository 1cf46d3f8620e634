#include "zonecut/scheduler/engine.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "asked.hpp"
#include "objective.hpp"
#include "orders_from_best.hpp"
#include "orders_to_try.hpp"
#include "reasons.hpp"
#include "refusal.hpp"
#include "swap_descent.hpp"

namespace zonecut {
namespace {

/// Orders that were tried, and what each of them costs.
class Contest {
 public:
  Contest(const Asked& asked, double tolerance) : asked_(asked), tolerance_(tolerance) {}

  /// Why the order cannot run, where it cannot. Several rules may give the same one.
  std::optional<NoFit> enter(Trial trial) {
    if (const auto known = std::ranges::find(trials_, trial.servers, &Trial::servers);
        known != trials_.end()) {
      Placement same = placements_[static_cast<std::size_t>(known - trials_.begin())];
      same.method = trial.method;
      add(std::move(trial), std::move(same));
      return std::nullopt;
    }
    PlacementResult result = judge(asked_.problem, trial.servers, trial.method);
    if (auto* none = std::get_if<NoFit>(&result)) return std::move(*none);
    add(std::move(trial), std::get<Placement>(std::move(result)));
    return std::nullopt;
  }

  /// Those of them that can run.
  void enter(std::vector<Trial> trials) {
    for (Trial& trial : trials) enter(std::move(trial));
  }

  /// The best with its servers in the order of others, until the best has been tried so. Each round
  /// takes the servers of another trial, so there are no more rounds than trials.
  void enter_reordered() {
    for (bool more = true; more;) {
      more = false;
      for (Trial& trial : reordered_by_others(asked_, trials_[best()]))
        more |= !is_entered(trial.servers) && !enter(std::move(trial));
    }
  }

  /// The best and then the others, fastest first, with servers exchanged for as long as there is
  /// work left. From each order once.
  void enter_swapped(SwapWork& work) {
    enter_swapped_from(best(), work);
    for (const std::size_t start : ranked(placements_, seconds_limit(placements_, 0)))
      enter_swapped_from(start, work);
  }

  [[nodiscard]] bool is_empty() const { return placements_.empty(); }
  [[nodiscard]] const Placement& best_so_far() const { return placements_[best()]; }
  [[nodiscard]] const Trial& best_trial() const { return trials_[best()]; }

  /// The best, with all as candidates.
  [[nodiscard]] Placement take_best() && {
    const double limit = seconds_limit(placements_, tolerance_);
    const std::vector<std::size_t> order = ranked(placements_, limit);
    std::vector<std::string> names;
    for (const Trial& trial : trials_) names.push_back(trial.name);
    std::vector<Candidate> candidates =
        candidates_of(*asked_.problem.view.cluster, names, placements_, order, limit);
    Placement chosen = std::move(placements_[order.front()]);
    chosen.candidates = std::move(candidates);
    return chosen;
  }

 private:
  /// With servers exchanged, where that is predicted to be faster than all by more than the
  /// tolerance.
  void enter_swapped_from(std::size_t start, SwapWork& work) {
    if (descended_[start]) return;
    for (std::size_t i = 0; i < trials_.size(); ++i) {
      if (trials_[i].servers == trials_[start].servers) descended_[i] = true;
    }
    auto servers = swapped_for_time(asked_.problem, placements_[start], asked_.slices, work);
    if (!servers) return;
    Trial swapped{trials_[start].name + ", swapped for time", trials_[start].method + ", swaps",
                  *std::move(servers)};
    PlacementResult result = judge(asked_.problem, swapped.servers, swapped.method);
    auto* placement = std::get_if<Placement>(&result);
    if (placement == nullptr || placement->prediction.communication.count >=
                                    seconds_limit(placements_, 0) * (1 - tolerance_))
      return;
    add(std::move(swapped), std::move(*placement));
    descended_.back() = true;
  }

  [[nodiscard]] std::size_t best() const {
    return ranked(placements_, seconds_limit(placements_, tolerance_)).front();
  }
  [[nodiscard]] bool is_entered(const std::vector<ServerId>& servers) const {
    return std::ranges::find(trials_, servers, &Trial::servers) != trials_.end();
  }
  void add(Trial trial, Placement placement) {
    trials_.push_back(std::move(trial));
    placements_.push_back(std::move(placement));
    descended_.push_back(false);
  }

  const Asked& asked_;
  double tolerance_;
  std::vector<Trial> trials_;
  std::vector<Placement> placements_;  // of the trials
  std::vector<bool> descended_;        // of the trials: exchanges began or ended there
};

/// What other jobs leave of a link depends on what is sent over it, so where another order is
/// faster than the one it was known for, it is asked for once more.
void ease(Contest& contest, const Asked& asked, const MappingOptions& options, double tolerance) {
  const Placement before = contest.best_so_far();
  contest.enter(eased(asked, options, before, tolerance));
  contest.enter(eased_beside_others(asked, options, before, tolerance));
  const Placement& after = contest.best_so_far();
  if (after.prediction.communication >= before.prediction.communication) return;
  std::vector<Trial> more = eased_beside_others(asked, options, after, tolerance);
  for (Trial& trial : more) trial.name += ", again";
  contest.enter(std::move(more));
}

}  // namespace

PlacementResult place(const PlacementProblem& problem, const Constraints& constraints,
                      const PlacementOptions& options) {
  const std::vector<VertexSlice> slices =
      vertex_slices(*problem.view.cluster, constraints, problem.traffic.ranks_per_server,
                    problem.graph.vertices());
  if (auto none = refusal(problem, constraints, slices)) return *std::move(none);

  const double tolerance = constraints.time_tolerance.value_or(options.tolerance);
  const Asked asked{problem, constraints, slices};
  Contest contest(asked, tolerance);
  std::optional<NoFit> none_runs;
  for (Trial& trial : orders_to_try(asked, options.mapping)) {
    auto none = contest.enter(std::move(trial));
    if (none && !none_runs) none_runs = std::move(none);
  }
  if (contest.is_empty()) return *std::move(none_runs);
  ease(contest, asked, options.mapping, tolerance);
  if (contest.best_so_far().leftover.half_used_racks > 0) {
    contest.enter(nearer_in_zones(asked, options.mapping, contest.best_trial()));
  }
  // Who asks for no bound has no time for swaps either.
  SwapWork work =
      swap_work_of(problem.proof == Proof::None ? Effort::Fast : options.mapping.effort);
  // Another order of the best may be better, and exchanges go on from it.
  for (int round = 0; round < 2; ++round) {
    contest.enter_swapped(work);
    contest.enter_reordered();
  }

  Placement chosen = std::move(contest).take_best();
  chosen.reasons = reasons_for(problem, constraints, slices, chosen);
  return chosen;
}

}  // namespace zonecut
