#include "zonecut/scheduler/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "refusal.hpp"
#include "trial.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/baseline.hpp"

namespace zonecut {
namespace {

/// How many of the tightest fitting domains are tried before the objective decides.
constexpr std::size_t kDomainsTried = 3;

/// The domains of a level that have room for the job, those with the least room first.
std::vector<DomainId> tightest(const PlacementProblem& problem, std::span<const VertexSlice> slices,
                               int level) {
  const Cluster& cluster = *problem.view.cluster;
  while (!slices.empty() && slices.front().level < level) slices = slices.subspan(1);
  std::vector<std::pair<std::size_t, DomainId>> fitting;
  for (const DomainId domain : cluster.domains_at(level)) {
    if (sliced_room_in(cluster, problem.room, domain, slices) < problem.graph.vertices()) continue;
    fitting.emplace_back(room_in(cluster, problem.room, domain), domain);
  }
  std::sort(fitting.begin(), fitting.end());
  if (fitting.size() > kDomainsTried) fitting.resize(kDomainsTried, fitting.front());
  std::vector<DomainId> domains;
  for (const auto& [room, domain] : fitting) domains.push_back(domain);
  return domains;
}

/// Where the mapper is asked to look: the innermost level that holds the job whole, as far in as is
/// required or preferred.
std::vector<DomainId> domains_to_try(const PlacementProblem& problem,
                                     const Constraints& constraints,
                                     std::span<const VertexSlice> slices) {
  if (constraints.required_level) return tightest(problem, slices, *constraints.required_level);
  if (constraints.only) return {Cluster::root()};
  const int innermost = constraints.preferred_level.value_or(problem.view.cluster->rack_level());
  for (int level = innermost; level > 0; --level) {
    std::vector<DomainId> domains = tightest(problem, slices, level);
    if (!domains.empty()) return domains;
  }
  return {Cluster::root()};
}

/// Rules of others that may stand beside the mapper's answer: the engine is then never worse than
/// they are.
std::vector<Trial> orders_of_others(const PlacementProblem& problem, std::uint64_t seed) {
  static constexpr std::array kRules = {Baseline::ZoneSorted, Baseline::BestFit,
                                        Baseline::SlurmTree, Baseline::Linear};
  std::vector<Trial> trials;
  for (const Baseline rule : kRules) {
    auto servers = baseline_order(rule, problem, {}, seed);
    if (servers)
      trials.push_back({std::string(baseline_name(rule)), std::string(baseline_summary(rule)),
                        std::move(*servers)});
  }
  return trials;
}

Candidate candidate_of(const std::string& name, const Placement& placement) {
  return {name,           placement.prediction.communication, placement.prediction.cross_zone,
          placement.cost, placement.leftover.half_used_racks, ""};
}

/// Indices of the candidates, best first: by seconds to the tolerance, then cut, J and racks left
/// half used.
std::vector<std::size_t> ranked(const std::vector<Candidate>& candidates, double tolerance) {
  double least = candidates.front().communication.count;
  for (const Candidate& candidate : candidates)
    least = std::min(least, candidate.communication.count);
  const double limit = least * (1 + tolerance);
  std::vector<std::size_t> order(candidates.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  const auto key = [&](const Candidate& c) {
    const double seconds = c.communication.count <= limit ? least : c.communication.count;
    return std::tuple(seconds, c.cross_zone, c.cost, c.half_used_racks);
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return key(candidates[a]) < key(candidates[b]);
  });
  return order;
}

std::string more(double ours, double theirs, const char* of_what) {
  return ours > 0 ? fmt::format("{:.3g} times the {}", theirs / ours, of_what)
                  : fmt::format("{} where the choice has none", of_what);
}

std::string verdict_against(const Candidate& best, const Candidate& other, double tolerance) {
  const double limit = best.communication.count * (1 + tolerance);
  if (other.communication.count > limit) {
    return more(best.communication.count, other.communication.count, "communication time");
  }
  if (other.cross_zone > best.cross_zone) {
    return more(static_cast<double>(best.cross_zone.count),
                static_cast<double>(other.cross_zone.count), "bytes between zones");
  }
  if (other.cost > best.cost) {
    return more(static_cast<double>(best.cost), static_cast<double>(other.cost),
                "weighted distance J");
  }
  if (other.half_used_racks > best.half_used_racks) {
    return fmt::format("as good, but leaves {} more racks half used",
                       other.half_used_racks - best.half_used_racks);
  }
  return "as good";
}

class Reasons {
 public:
  Reasons(const PlacementProblem& problem, const Constraints& constraints,
          const Placement& placement)
      : problem_(problem),
        cluster_(*problem.view.cluster),
        constraints_(constraints),
        placement_(placement) {}

  [[nodiscard]] std::vector<std::string> list() {
    where();
    cut();
    binding();
    left();
    return std::move(reasons_);
  }

 private:
  [[nodiscard]] const std::string& zone_word() const {
    return cluster_.levels()[static_cast<std::size_t>(cluster_.zone_level())];
  }

  void where() {
    const std::span<const DomainId> zones = cluster_.domains_at(cluster_.zone_level());
    std::vector<std::size_t> share(zones.size(), 0);
    for (const ServerId server : placement_.servers) {
      ++share[cluster_.position_in_level(cluster_.domain_of(server, cluster_.zone_level()))];
    }
    const auto used = static_cast<std::size_t>(
        std::count_if(share.begin(), share.end(), [](std::size_t s) { return s > 0; }));
    std::size_t largest_room = 0;
    for (const DomainId zone : zones)
      largest_room = std::max(largest_room, room_in(cluster_, problem_.room, zone));
    const std::size_t needed = placement_.servers.size();
    if (constraints_.only) {
      reasons_.push_back(
          fmt::format("the servers were given: only the order of ranks was chosen, over {} {}s",
                      used, zone_word()));
    } else if (used == 1) {
      reasons_.push_back(fmt::format("the whole job fits one {}: nothing crosses", zone_word()));
    } else if (needed > largest_room) {
      reasons_.push_back(
          fmt::format("no {} holds the job: it needs {} servers, the most free in one is {}; {} of "
                      "{} {}s are used",
                      zone_word(), needed, largest_room, used, zones.size(), zone_word()));
    } else {
      reasons_.push_back(fmt::format("constraints spread the job over {} of {} {}s", used,
                                     zones.size(), zone_word()));
    }
    std::string shares;
    for (std::size_t i = 0; i < zones.size() && used > 1; ++i) {
      if (share[i] == 0) continue;
      shares += fmt::format("{}{} {} of {}", shares.empty() ? "" : ", ", cluster_.path(zones[i]),
                            share[i], room_in(cluster_, problem_.room, zones[i]));
    }
    if (!shares.empty()) reasons_.push_back(fmt::format("servers taken of those free: {}", shares));
  }

  void cut() {
    if (placement_.prediction.cross_zone.count == 0) return;
    std::string text = fmt::format("{} between {}s an iteration",
                                   to_text(placement_.prediction.cross_zone), zone_word());
    if (placement_.lower_bound && placement_.gap) {
      text += *placement_.gap < 5e-5
                  ? fmt::format(", which is the least there is ({})", placement_.bound_method)
                  : fmt::format(", at most {:.2g} % above the least there is ({})",
                                *placement_.gap * 100, placement_.bound_method);
    } else {
      text += "; no bound is known for this traffic";
    }
    reasons_.push_back(text);
  }

  void binding() {
    const Prediction& prediction = placement_.prediction;
    if (prediction.phases.empty()) return;
    const PhasePrediction& phase = prediction.phases[prediction.binding_phase];
    if (phase.binding) {
      reasons_.push_back(fmt::format(
          "phase {} takes longest ({}); {} binds it", phase.name, to_text(phase.exposed),
          bundle_name(cluster_, problem_.fabric, phase.binding->bundle)));
    } else {
      reasons_.push_back(fmt::format("phase {} takes longest ({}) and stays inside servers",
                                     phase.name, to_text(phase.exposed)));
    }
  }

  void left() {
    const Leftover& left = placement_.leftover;
    reasons_.push_back(fmt::format(
        "left free: {} GPUs, {} whole servers, at most {} of them in one {}", left.free_gpus,
        left.free_servers, left.largest_free_block[static_cast<std::size_t>(cluster_.zone_level())],
        zone_word()));
  }

  const PlacementProblem& problem_;
  const Cluster& cluster_;
  const Constraints& constraints_;
  const Placement& placement_;
  std::vector<std::string> reasons_;
};

}  // namespace

PlacementResult place(const PlacementProblem& problem, const Constraints& constraints,
                      const PlacementOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  const std::vector<VertexSlice> slices = vertex_slices(
      cluster, constraints, problem.traffic.ranks_per_server, problem.graph.vertices());
  if (auto none = refusal(problem, constraints, slices)) return *std::move(none);

  std::vector<Trial> trials;
  for (const DomainId domain : domains_to_try(problem, constraints, slices)) {
    trials.push_back(map_under(problem, domain, slices, options.mapping));
  }
  if (slices.empty() && !constraints.required_level) {
    for (Trial& trial : orders_of_others(problem, options.mapping.seed))
      trials.push_back(std::move(trial));
  }

  std::vector<Placement> placements;
  std::vector<Candidate> candidates;
  for (const Trial& trial : trials) {
    placements.push_back(evaluate(problem, trial.servers, trial.method));
    candidates.push_back(candidate_of(trial.name, placements.back()));
  }
  const std::vector<std::size_t> order = ranked(candidates, options.tolerance);
  Placement chosen = std::move(placements[order.front()]);
  const Candidate& best = candidates[order.front()];
  for (const std::size_t i : order) {
    Candidate candidate = candidates[i];
    candidate.verdict =
        i == order.front() ? "chosen" : verdict_against(best, candidates[i], options.tolerance);
    chosen.candidates.push_back(std::move(candidate));
  }
  chosen.reasons = Reasons(problem, constraints, chosen).list();
  return chosen;
}

}  // namespace zonecut
