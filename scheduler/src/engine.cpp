#include "zonecut/scheduler/engine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "place_noun.hpp"
#include "refusal.hpp"
#include "swap_descent.hpp"
#include "trial.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/baseline.hpp"

namespace zonecut {
namespace {

const std::string& zone_word(const Cluster& cluster) {
  return cluster.levels()[static_cast<std::size_t>(cluster.zone_level())];
}

/// How many of the tightest fitting domains are tried before the objective decides.
constexpr std::size_t kDomainsTried = 3;

/// The room of a domain and of all around it, innermost first.
std::vector<std::size_t> rooms_around(const Cluster& cluster, const Room& room, DomainId domain) {
  std::vector<std::size_t> rooms;
  for (std::optional<DomainId> at = domain; at; at = cluster.domain(*at).parent)
    rooms.push_back(room_in(cluster, room, *at));
  return rooms;
}

/// The domains of a level that have room for the job, those with the least room first; of equal
/// ones those that stand where the least is left.
std::vector<DomainId> tightest(const PlacementProblem& problem, const Room& room,
                               std::span<const VertexSlice> slices, int level) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<std::pair<std::vector<std::size_t>, DomainId>> fitting;
  for (const DomainId domain : cluster.domains_at(level)) {
    if (sliced_room_in(cluster, room, domain, slices) < problem.graph.vertices()) continue;
    fitting.emplace_back(rooms_around(cluster, room, domain), domain);
  }
  std::sort(fitting.begin(), fitting.end());
  if (fitting.size() > kDomainsTried) fitting.resize(kDomainsTried, fitting.front());
  std::vector<DomainId> domains;
  for (const auto& [places, domain] : fitting) domains.push_back(domain);
  return domains;
}

/// The zones with the most room that hold the job together, and no other: fewer borders, and in a
/// fabric of equal oversubscription the larger zones have the wider ones. None when no zone with
/// room is left out.
std::optional<Room> fewest_zones(const PlacementProblem& problem, const Room& room) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<std::pair<std::size_t, DomainId>> zones;
  for (const DomainId zone : cluster.domains_at(cluster.zone_level()))
    zones.emplace_back(room_in(cluster, room, zone), zone);
  std::stable_sort(zones.begin(), zones.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  Room fewest = room;
  std::size_t held = 0;
  bool dropped = false;
  for (const auto& [places, zone] : zones) {
    if (held < problem.graph.vertices()) {
      held += places;
      continue;
    }
    dropped = dropped || places > 0;
    const Domain& domain = cluster.domain(zone);
    for (std::size_t i = 0; i < domain.server_count; ++i)
      fewest[ServerId{domain.first_server + i}] = 0;
  }
  return dropped ? std::optional(std::move(fewest)) : std::nullopt;
}

/// For what is tried beside the main question: together they must not double its time.
MappingOptions lighter(MappingOptions options) {
  if (options.effort == Effort::Balanced) options.effort = Effort::Fast;
  return options;
}

/// What the mapper finds where it is asked to look: the innermost level that holds the job whole.
/// No other is nearer to a preferred level, and a required one lies at or above it. Empty when
/// the servers of this reach do not hold the job.
std::vector<Trial> mapped(const PlacementProblem& problem, const Reach& reach,
                          std::span<const VertexSlice> slices, const MappingOptions& options) {
  std::vector<Trial> trials;
  for (int level = problem.view.cluster->rack_level(); level >= 0 && trials.empty(); --level) {
    const Room room = room_reaching(problem.room, reach, level);
    for (const DomainId domain : tightest(problem, room, slices, level))
      trials.push_back(map_under(problem, room, domain, slices, options));
    if (level > 0 || trials.empty() || !slices.empty()) continue;
    if (const auto fewer = fewest_zones(problem, room)) {
      trials.push_back(map_under(problem, *fewer, Cluster::root(), slices, lighter(options)));
      trials.back().name += ", fewest zones";
    }
  }
  return trials;
}

/// The innermost level at which all these servers share a domain.
int common_level_of(const Cluster& cluster, std::span<const ServerId> servers) {
  int level = cluster.rack_level();
  for (const ServerId server : servers)
    level = std::min(level, cluster.common_level(servers.front(), server));
  return level;
}

/// The level that no candidate may leave: the required one, and the preferred one as far as it can
/// be had.
int level_to_keep(const Constraints& constraints, int reached) {
  const int preferred = std::min(constraints.preferred_level.value_or(0), reached);
  return std::max(constraints.required_level.value_or(0), preferred);
}

bool keeps_slices(const Cluster& cluster, std::span<const VertexSlice> slices,
                  std::span<const ServerId> servers) {
  for (const VertexSlice& slice : slices) {
    for (std::size_t v = 0; v < servers.size(); v += slice.vertices) {
      if (common_level_of(cluster, servers.subspan(v, slice.vertices)) < slice.level) return false;
    }
  }
  return true;
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

/// Seconds up to this are as good as the least.
double seconds_limit(const std::vector<Placement>& placements, double tolerance) {
  double least = placements.front().prediction.communication.count;
  for (const Placement& placement : placements)
    least = std::min(least, placement.prediction.communication.count);
  return least * (1 + tolerance);
}

/// Indices of the placements, best first: by seconds to the tolerance, then cut, J and what is left
/// for others.
std::vector<std::size_t> ranked(const std::vector<Placement>& placements, double limit) {
  std::vector<std::size_t> order(placements.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const auto seconds = [&](const Placement& p) {
    return std::max(p.prediction.communication.count, limit);
  };
  const auto better = [&](const Placement& a, const Placement& b) {
    if (seconds(a) != seconds(b)) return seconds(a) < seconds(b);
    if (a.prediction.cross_zone != b.prediction.cross_zone)
      return a.prediction.cross_zone < b.prediction.cross_zone;
    if (a.cost != b.cost) return a.cost < b.cost;
    if (a.leftover.largest_free_block != b.leftover.largest_free_block)
      return a.leftover.largest_free_block > b.leftover.largest_free_block;
    if (a.leftover.togetherness != b.leftover.togetherness)
      return a.leftover.togetherness > b.leftover.togetherness;
    return a.leftover.half_used_racks < b.leftover.half_used_racks;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return better(placements[a], placements[b]);
  });
  return order;
}

/// The best of the trials with servers exchanged, where that is predicted to be faster by more than
/// the tolerance: one trial more.
void add_swapped(const PlacementProblem& problem, std::span<const VertexSlice> slices,
                 const PlacementOptions& options, std::vector<Trial>& trials,
                 std::vector<Placement>& placements) {
  const std::size_t best = ranked(placements, seconds_limit(placements, options.tolerance)).front();
  // Who asks for no bound has no time for this either.
  const Effort effort = problem.proof == Proof::None ? Effort::Fast : options.mapping.effort;
  auto servers = swapped_for_time(problem, placements[best], slices, effort);
  if (!servers) return;
  Trial swapped{trials[best].name + ", swapped for time", trials[best].method + ", swaps",
                *std::move(servers)};
  Placement placement = evaluate(problem, swapped.servers, swapped.method);
  if (placement.prediction.communication.count >=
      seconds_limit(placements, 0) * (1 - options.tolerance))
    return;
  trials.push_back(std::move(swapped));
  placements.push_back(std::move(placement));
}

/// Says that `theirs` is more than `ours`, in figures that differ.
std::string more(double ours, double theirs, const char* of_what) {
  if (ours <= 0) return fmt::format("{} where the choice has none", of_what);
  if (theirs >= 1.1 * ours) return fmt::format("{:.3g} times the {}", theirs / ours, of_what);
  return fmt::format("{:.2g} % more {}", (theirs / ours - 1) * 100, of_what);
}

std::string verdict_against(const Cluster& cluster, const Placement& best, const Placement& other,
                            double limit) {
  if (other.prediction.communication.count > limit) {
    return more(best.prediction.communication.count, other.prediction.communication.count,
                "communication time");
  }
  if (other.prediction.cross_zone > best.prediction.cross_zone) {
    return more(static_cast<double>(best.prediction.cross_zone.count),
                static_cast<double>(other.prediction.cross_zone.count),
                fmt::format("bytes between {}s", zone_word(cluster)).c_str());
  }
  if (other.cost > best.cost) {
    return more(static_cast<double>(best.cost), static_cast<double>(other.cost),
                "weighted distance J");
  }
  const std::vector<int>& kept = best.leftover.largest_free_block;
  const std::vector<int>& left = other.leftover.largest_free_block;
  for (std::size_t level = 0; level < kept.size(); ++level) {
    if (left[level] >= kept[level]) continue;
    return fmt::format("as good, but leaves at most {} free in one {}, not {}",
                       counted(left[level], "server"), cluster.levels()[level],
                       grouped(kept[level]));
  }
  if (other.leftover.togetherness < best.leftover.togetherness)
    return "as good, but leaves what is free more scattered";
  const int racks = other.leftover.half_used_racks - best.leftover.half_used_racks;
  if (racks > 0)
    return fmt::format("as good, but leaves {} more half used", counted(racks, "rack"));
  return "as good";
}

/// A slowdown of less is no reason.
constexpr double kNoticed = 1.01;

class Reasons {
 public:
  Reasons(const PlacementProblem& problem, const Constraints& constraints,
          std::span<const VertexSlice> slices, const Placement& placement)
      : problem_(problem),
        cluster_(*problem.view.cluster),
        constraints_(constraints),
        slices_(slices),
        placement_(placement),
        zone_word_(zone_word(cluster_)) {}

  [[nodiscard]] std::vector<std::string> list() {
    where();
    cut();
    binding();
    rings();
    beside();
    left();
    return std::move(reasons_);
  }

 private:
  [[nodiscard]] std::string zones(std::size_t count) const { return counted(count, zone_word_); }

  void where() {
    const std::span<const DomainId> all = cluster_.domains_at(cluster_.zone_level());
    std::vector<std::size_t> share(all.size(), 0);
    for (const ServerId server : placement_.servers) {
      ++share[cluster_.position_in_level(cluster_.domain_of(server, cluster_.zone_level()))];
    }
    const auto used = static_cast<std::size_t>(
        std::count_if(share.begin(), share.end(), [](std::size_t s) { return s > 0; }));
    if (constraints_.only) {
      reasons_.push_back("the servers were given: only the order of ranks was chosen, over " +
                         zones(used));
    } else if (used == 1) {
      reasons_.push_back(fmt::format("the whole job fits one {}: nothing crosses", zone_word_));
    } else {
      reasons_.push_back(why_several(used, all));
    }
    if (used == 1) return;
    std::string shares;
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (share[i] == 0) continue;
      shares += fmt::format("{}{} {} of {}", shares.empty() ? "" : ", ", cluster_.path(all[i]),
                            grouped(share[i]), grouped(room_in(cluster_, problem_.room, all[i])));
    }
    reasons_.push_back(fmt::format("{}s taken of those free: {}", place_noun(problem_), shares));
  }

  [[nodiscard]] std::string why_several(std::size_t used, std::span<const DomainId> all) const {
    std::size_t most = 0;
    std::size_t most_in_slices = 0;
    for (const DomainId zone : all) {
      most = std::max(most, room_in(cluster_, problem_.room, zone));
      most_in_slices =
          std::max(most_in_slices, sliced_room_in(cluster_, problem_.room, zone, slices_));
    }
    const std::size_t needed = placement_.servers.size();
    const std::string of_all =
        fmt::format("{} of {} {} used", grouped(used), zones(all.size()), used == 1 ? "is" : "are");
    if (needed > most) {
      const bool held_back =
          constraints_.spread || constraints_.whole_racks || !constraints_.excluded.empty();
      return fmt::format("no {} holds the job: it needs {}, the most {} in one is {}; {}",
                         zone_word_, counted(needed, place_noun(problem_)),
                         held_back ? "its constraints allow" : "free", grouped(most), of_all);
    }
    if (needed > most_in_slices)
      return fmt::format("no {} holds the job in its slices; {}", zone_word_, of_all);
    return fmt::format("one {} could hold the job, but this order is predicted to be faster; {}",
                       zone_word_, of_all);
  }

  void cut() {
    if (placement_.prediction.cross_zone.count == 0) return;
    std::string text = fmt::format("{} between {}s an iteration",
                                   to_text(placement_.prediction.cross_zone), zone_word_);
    if (placement_.gap && *placement_.gap > 1) {
      text += fmt::format("; only {} are proven to be needed ({})",
                          to_text(*placement_.lower_bound), placement_.bound_method);
    } else if (placement_.lower_bound && placement_.gap) {
      text += *placement_.gap < 5e-5
                  ? fmt::format(", which is the least there is ({})", placement_.bound_method)
                  : fmt::format(", at most {:.2g} % above the least there is ({})",
                                *placement_.gap * 100, placement_.bound_method);
    } else if (placement_.lower_bound) {
      text += fmt::format("; none is proven to be needed ({})", placement_.bound_method);
    } else if (problem_.proof == Proof::Bound) {
      text += "; no bound is known for this traffic";
    }
    reasons_.push_back(text);
    smaller_cut();
  }

  /// Seconds come before bytes: says so where a smaller cut was found and not chosen.
  void smaller_cut() {
    const Candidate* smallest = nullptr;
    for (const Candidate& candidate : placement_.candidates) {
      if (candidate.cross_zone >= placement_.prediction.cross_zone) continue;
      if (smallest == nullptr || candidate.cross_zone < smallest->cross_zone) smallest = &candidate;
    }
    if (smallest == nullptr) return;
    reasons_.push_back(fmt::format("a smaller cut was found, {}, but takes longer: {} against {}",
                                   to_text(smallest->cross_zone), to_text(smallest->communication),
                                   to_text(placement_.prediction.communication)));
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

  void beside() {
    const Prediction& prediction = placement_.prediction;
    if (problem_.background.empty()) return;
    if (prediction.communication > prediction.undisturbed) {
      reasons_.push_back(
          fmt::format("beside the jobs that run it takes {} to communicate, {} if it were alone",
                      to_text(prediction.communication), to_text(prediction.undisturbed)));
    } else {
      reasons_.push_back("the jobs that run take nothing of the links it waits for");
    }
    for (const Disturbance& job : placement_.disturbed) {
      if (job.beside.count <= job.alone.count * kNoticed) continue;
      reasons_.push_back(fmt::format("job {} then takes {} to communicate, {} without this one",
                                     job.job, to_text(job.beside), to_text(job.alone)));
    }
  }

  void rings() {
    if (placement_.rings.empty()) return;
    reasons_.push_back(
        fmt::format("the neighbours in {} are chosen so that each passes through every {} once",
                    counted(placement_.rings.size(), "ring"), zone_word_));
  }

  void left() {
    const Leftover& left = placement_.leftover;
    const int block = left.largest_free_block[static_cast<std::size_t>(cluster_.zone_level())];
    reasons_.push_back(fmt::format(
        "left free: {}, {}, at most {} of them in one {}", counted(left.free_gpus, "GPU"),
        counted(left.free_servers, "whole server"), grouped(block), zone_word_));
  }

  const PlacementProblem& problem_;
  const Cluster& cluster_;
  const Constraints& constraints_;
  std::span<const VertexSlice> slices_;
  const Placement& placement_;
  const std::string& zone_word_;
  std::vector<std::string> reasons_;
};

}  // namespace

PlacementResult place(const PlacementProblem& problem, const Constraints& constraints,
                      const PlacementOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  const std::vector<VertexSlice> slices = vertex_slices(
      cluster, constraints, problem.traffic.ranks_per_server, problem.graph.vertices());
  if (auto none = refusal(problem, constraints, slices)) return *std::move(none);

  std::vector<Trial> trials = mapped(problem, problem.reach, slices, options.mapping);
  ZONECUT_ENSURES(!trials.empty());
  const int level = level_to_keep(constraints, common_level_of(cluster, trials.front().servers));
  std::vector<Trial> others = orders_of_others(problem, options.mapping.seed);
  // Links that have lost half of their capacity are better avoided, if the objective says so.
  // So are links of which other jobs take more than a little.
  const Reach sound = reach_over(cluster, problem.fabric, 0.5);
  const Reach quiet = reach_over(cluster, problem.fabric, 0.5, problem.background);
  const Reach quietest = reach_over(cluster, problem.fabric, 0.95, problem.background);
  const auto try_only = [&](const Reach& reach, const char* what) {
    for (Trial& trial : mapped(problem, reach, slices, lighter(options.mapping))) {
      trial.name += what;
      others.push_back(std::move(trial));
    }
  };
  if (sound != problem.reach) try_only(sound, ", sound links only");
  if (quiet != sound) try_only(quiet, ", quiet links only");
  if (!problem.background.empty() && quietest != quiet) try_only(quietest, ", unused links only");
  for (Trial& trial : others) {
    if (common_level_of(cluster, trial.servers) >= level &&
        keeps_slices(cluster, slices, trial.servers)) {
      trials.push_back(std::move(trial));
    }
  }

  std::vector<Placement> placements;
  for (const Trial& trial : trials)
    placements.push_back(evaluate(problem, trial.servers, trial.method));
  add_swapped(problem, slices, options, trials, placements);
  const double limit = seconds_limit(placements, options.tolerance);
  const std::vector<std::size_t> order = ranked(placements, limit);
  const std::size_t best = order.front();
  std::vector<Candidate> candidates;
  for (const std::size_t i : order) {
    Candidate candidate = candidate_of(trials[i].name, placements[i]);
    candidate.verdict =
        i == best ? "chosen" : verdict_against(cluster, placements[best], placements[i], limit);
    candidates.push_back(std::move(candidate));
  }
  Placement chosen = std::move(placements[best]);
  chosen.candidates = std::move(candidates);
  chosen.reasons = Reasons(problem, constraints, slices, chosen).list();
  return chosen;
}

}  // namespace zonecut
