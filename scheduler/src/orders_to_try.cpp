#include "orders_to_try.hpp"

#include <algorithm>
#include <array>

#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/baseline.hpp"

namespace zonecut {
namespace {

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

/// Links that have lost half of their capacity are better avoided, if the objective says so. So are
/// links of which other jobs take more than a little.
std::vector<Trial> mapped_around_weak_links(const PlacementProblem& problem,
                                            std::span<const VertexSlice> slices,
                                            const MappingOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  const Reach sound = reach_over(cluster, problem.fabric, 0.5);
  const Reach quiet = reach_over(cluster, problem.fabric, 0.5, problem.background);
  const Reach quietest = reach_over(cluster, problem.fabric, 0.95, problem.background);
  std::vector<Trial> trials;
  const auto try_only = [&](const Reach& reach, const char* what) {
    for (Trial& trial : mapped(problem, reach, slices, options)) {
      trial.name += what;
      trials.push_back(std::move(trial));
    }
  };
  if (sound != problem.reach) try_only(sound, ", sound links only");
  if (quiet != sound) try_only(quiet, ", quiet links only");
  if (!problem.background.empty() && quietest != quiet) try_only(quietest, ", unused links only");
  return trials;
}

}  // namespace

std::vector<Trial> orders_to_try(const PlacementProblem& problem, const Constraints& constraints,
                                 std::span<const VertexSlice> slices,
                                 const MappingOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Trial> trials = mapped(problem, problem.reach, slices, options);
  ZONECUT_ENSURES(!trials.empty());
  const int level = level_to_keep(constraints, common_level_of(cluster, trials.front().servers));
  const auto add_allowed = [&](std::vector<Trial> others) {
    for (Trial& trial : others) {
      if (common_level_of(cluster, trial.servers) >= level &&
          keeps_slices(cluster, slices, trial.servers)) {
        trials.push_back(std::move(trial));
      }
    }
  };
  add_allowed(orders_of_others(problem, options.seed));
  add_allowed(mapped_around_weak_links(problem, slices, lighter(options)));
  return trials;
}

}  // namespace zonecut
