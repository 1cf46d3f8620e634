#include "orders_to_try.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>

#include "bundle_index.hpp"
#include "spread.hpp"
#include "zone_word.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/baseline.hpp"

namespace zonecut {
namespace {

/// How many of the tightest fitting domains are tried before the objective decides.
constexpr int kDomainsTried = 3;

/// The room of a domain and of all around it, innermost first.
std::vector<std::size_t> rooms_around(const Cluster& cluster, const Room& room, DomainId domain) {
  std::vector<std::size_t> rooms;
  for (std::optional<DomainId> at = domain; at; at = cluster.domain(*at).parent)
    rooms.push_back(room_in(cluster, room, *at));
  return rooms;
}

/// How many servers of a domain the job takes at least. Several vertices on one exchange nothing
/// over links.
std::size_t servers_needed(const Cluster& cluster, const Room& room, DomainId domain,
                           std::size_t vertices) {
  std::vector<int> rooms;
  for (const ServerId server : cluster.domain(domain).servers()) rooms.push_back(room[server]);
  std::ranges::sort(rooms, std::greater{});
  std::size_t servers = 0;
  for (std::size_t held = 0; held < vertices && servers < rooms.size(); ++servers)
    held += static_cast<std::size_t>(rooms[servers]);
  return servers;
}

/// The domains of a level that have room for the job, those with the least room first; of equal
/// ones those that stand where the least is left. At last the one where it takes fewest servers.
std::vector<DomainId> tightest(const PlacementProblem& problem, const Room& room,
                               std::span<const VertexSlice> slices, int level) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<std::pair<std::vector<std::size_t>, DomainId>> fitting;
  for (const DomainId domain : cluster.domains_at(level)) {
    if (sliced_room_in(cluster, room, domain, slices) < problem.graph.vertices()) continue;
    fitting.emplace_back(rooms_around(cluster, room, domain), domain);
  }
  std::sort(fitting.begin(), fitting.end());
  std::vector<DomainId> domains;
  for (const auto& [places, domain] : fitting) domains.push_back(domain);
  if (domains.size() <= kDomainsTried) return domains;
  const auto fewest = std::ranges::min_element(domains, {}, [&](DomainId domain) {
    return servers_needed(cluster, room, domain, problem.graph.vertices());
  });
  const DomainId roomy = *fewest;
  const bool is_tried = fewest - domains.begin() < kDomainsTried;
  domains.resize(kDomainsTried, roomy);
  if (!is_tried) domains.push_back(roomy);
  return domains;
}

/// What the engine was asked, but for where it looks.
struct Asked {
  const PlacementProblem& problem;
  const Constraints& constraints;
  std::span<const VertexSlice> slices;
};

/// The first of these zones that hold the job together, and no other. None when no zone with room
/// is left out, or others are needed for slices.
std::optional<Room> first_zones(const Asked& asked, const Room& room, DomainId under,
                                std::span<const DomainId> zones) {
  const Cluster& cluster = *asked.problem.view.cluster;
  const std::size_t vertices = asked.problem.graph.vertices();
  Room first = room;
  std::size_t held = 0;
  bool dropped = false;
  for (const DomainId zone : zones) {
    const std::size_t places = sliced_room_in(cluster, room, zone, asked.slices);
    if (held < vertices) {
      held += places;
      continue;
    }
    dropped = dropped || places > 0;
    for (const ServerId server : cluster.domain(zone).servers()) first[server] = 0;
  }
  if (!dropped || sliced_room_in(cluster, first, under, asked.slices) < vertices)
    return std::nullopt;
  return first;
}

struct SomeZones {
  std::string_view name;
  Room room;
};

/// Few zones have few borders, and the traffic over each is less the wider its uplinks are: those
/// under this domain with the most room, and those with the widest uplinks.
std::vector<SomeZones> some_zones(const Asked& asked, const Room& room, DomainId under) {
  const Cluster& cluster = *asked.problem.view.cluster;
  std::vector<DomainId> zones;
  for (const DomainId zone : cluster.domains_at(cluster.zone_level())) {
    if (cluster.ancestor(zone, cluster.domain(under).level) == under) zones.push_back(zone);
  }
  const auto places = [&](DomainId zone) {
    return static_cast<std::int64_t>(sliced_room_in(cluster, room, zone, asked.slices));
  };
  const auto width = [&](DomainId zone) {
    return asked.problem.fabric.uplink_capacity(zone).count;
  };
  std::vector<SomeZones> found;
  const auto add_first = [&](std::string_view name, const auto& key) {
    std::ranges::stable_sort(zones, std::greater{}, key);
    auto first = first_zones(asked, room, under, zones);
    if (first && (found.empty() || found.front().room != *first))
      found.push_back({name, *std::move(first)});
  };
  add_first("fewest zones", [&](DomainId zone) { return std::pair(places(zone), width(zone)); });
  add_first("widest zones", [&](DomainId zone) { return std::pair(width(zone), places(zone)); });
  return found;
}

/// For what is tried beside the main question: together they must not double its time.
MappingOptions lighter(MappingOptions options) {
  if (options.effort == Effort::Balanced) options.effort = Effort::Fast;
  return options;
}

/// The room for a job inside one domain of a level: more than one where a spread leaves a choice.
std::vector<Room> rooms_at(const Asked& asked, const Reach& reach, int level) {
  const PlacementProblem& problem = asked.problem;
  std::vector<Room> rooms;
  for (const Kept kept : {Kept::Roomiest, Kept::Together}) {
    Room room = room_reaching(problem.room, reach, level);
    cap_spread(*problem.view.cluster, asked.constraints, problem.traffic.ranks_per_server,
               problem.graph.vertices(), level, kept, room);
    if (rooms.empty() || rooms.front() != room) rooms.push_back(std::move(room));
  }
  return rooms;
}

/// Where a domain holds several zones: in some of them alone.
std::vector<Trial> mapped_over_some_zones(const Asked& asked, const Room& room, DomainId under,
                                          const MappingOptions& options) {
  const PlacementProblem& problem = asked.problem;
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Trial> trials;
  if (cluster.domain(under).level >= cluster.zone_level()) return trials;
  for (const SomeZones& some : some_zones(asked, room, under)) {
    trials.push_back(map_under(problem, some.room, under, asked.slices, lighter(options)));
    trials.back().name += fmt::format(", {}", some.name);
  }
  return trials;
}

/// Where the links above a level over the zones are the scarce ones: least between the domains of
/// that level, then between what is in each.
std::vector<Trial> mapped_by_levels_above(const Asked& asked, const Room& room, DomainId under,
                                          const MappingOptions& options) {
  const PlacementProblem& problem = asked.problem;
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Trial> trials;
  for (int level = cluster.domain(under).level + 1; level < cluster.zone_level(); ++level) {
    trials.push_back(map_under(problem, room, under, asked.slices, lighter(options),
                               FirstDivision{level, Objective::Cut, {}}));
  }
  return trials;
}

/// What the mapper finds where it is asked to look: the innermost level that holds the job whole.
/// No other is nearer to a preferred level, and a required one lies at or above it. Empty when
/// the servers of this reach do not hold the job.
std::vector<Trial> mapped(const Asked& asked, const Reach& reach, const MappingOptions& options) {
  const PlacementProblem& problem = asked.problem;
  std::vector<Trial> trials;
  for (int level = problem.view.cluster->rack_level(); level >= 0 && trials.empty(); --level) {
    for (const Room& room : rooms_at(asked, reach, level)) {
      const std::vector<DomainId> domains = tightest(problem, room, asked.slices, level);
      for (const DomainId domain : domains)
        trials.push_back(map_under(problem, room, domain, asked.slices, options));
      for (const DomainId domain : domains) {
        std::ranges::move(mapped_over_some_zones(asked, room, domain, options),
                          std::back_inserter(trials));
        std::ranges::move(mapped_by_levels_above(asked, room, domain, options),
                          std::back_inserter(trials));
      }
    }
  }
  return trials;
}

/// A job that the zones of one building hold may be faster in the wider zones of several, or of a
/// campus: around a domain of the level `reached`, as far as `outermost`.
std::vector<Trial> mapped_over_more_zones(const Asked& asked, int reached, int outermost,
                                          const MappingOptions& options) {
  std::vector<Trial> trials;
  for (int level = reached - 1; level >= outermost; --level) {
    for (const Room& room : rooms_at(asked, asked.problem.reach, level)) {
      for (const DomainId domain : tightest(asked.problem, room, asked.slices, level)) {
        std::ranges::move(mapped_over_some_zones(asked, room, domain, options),
                          std::back_inserter(trials));
      }
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
  static constexpr std::array kRules = {
      Baseline::ZoneSorted, Baseline::BestFit, Baseline::SlurmTree,  Baseline::SlurmBlock,
      Baseline::Linear,     Baseline::Arnold,  Baseline::Kubernetes, Baseline::Random};
  std::vector<Trial> trials;
  for (const Baseline rule : kRules) {
    auto servers = baseline_order(rule, problem, {}, seed);
    if (servers)
      trials.push_back({std::string(baseline_name(rule)), std::string(baseline_summary(rule)),
                        std::move(*servers), true});
  }
  return trials;
}

/// Whether each zone has room for what it holds of a trial.
bool holds_by_zone(const Cluster& cluster, const Room& room, const Trial& trial) {
  std::map<DomainId, std::size_t> held;
  for (const ServerId server : trial.servers)
    ++held[cluster.domain_of(server, cluster.zone_level())];
  return std::ranges::all_of(
      held, [&](const auto& zone) { return zone.second <= room_in(cluster, room, zone.first); });
}

/// The levels down to the zones above whose domains are the links that phases wait for, longer than
/// this share of all communication.
std::vector<int> levels_waited_for(const Cluster& cluster, const Prediction& prediction,
                                   double share) {
  std::map<int, Seconds> waited;
  for (const PhasePrediction& phase : prediction.phases) {
    if (!phase.binding) continue;
    const auto* domain = std::get_if<DomainId>(&phase.binding->bundle.below);
    if (domain != nullptr && cluster.domain(*domain).level <= cluster.zone_level())
      waited[cluster.domain(*domain).level] += phase.exposed;
  }
  std::vector<int> levels;
  for (const auto& [level, seconds] : waited) {
    if (seconds > prediction.communication * share) levels.push_back(level);
  }
  return levels;
}

Uplinks uplinks_of(const Fabric& fabric) {
  const Cluster& cluster = fabric.cluster();
  Uplinks uplinks(cluster.domain_count());
  for (const DomainId domain : cluster.domain_ids()) {
    if (cluster.domain(domain).parent) uplinks[domain] = fabric.uplink_capacity(domain);
  }
  return uplinks;
}

/// What other jobs leave of them: as an order is predicted to find it, and where that sends
/// nothing, what they do not use on average.
Uplinks uplinks_left(const PlacementProblem& problem, const Prediction& prediction) {
  const Cluster& cluster = *problem.view.cluster;
  const BundleIndex bundles(cluster);
  Uplinks left = uplinks_of(problem.fabric);
  std::vector<bool> carries(cluster.domain_count(), false);
  for (const BundleLoad& load : prediction.loads) {
    const auto* domain = std::get_if<DomainId>(&load.bundle.below);
    if (domain == nullptr || load.time.count <= 0) continue;
    const double rate = static_cast<double>(load.bytes.count) / load.time.count;
    left[*domain].count = std::min(left[*domain].count, static_cast<std::int64_t>(rate));
    carries[domain->index()] = true;
  }
  for (const DomainId domain : cluster.domain_ids()) {
    if (carries[domain.index()]) continue;
    const double taken = std::max(problem.background.taken(bundles.of(domain, false)),
                                  problem.background.taken(bundles.of(domain, true)));
    const double whole = static_cast<double>(left[domain].count);
    left[domain].count = static_cast<std::int64_t>(whole * (1 - taken));
  }
  return left;
}

/// Whether other jobs take more than a hundredth of what a domain of this level has.
bool is_shared(const Cluster& cluster, const Uplinks& whole, const Uplinks& left, int level) {
  return std::ranges::any_of(cluster.domains_at(level), [&](DomainId domain) {
    return left[domain].count < whole[domain].count - whole[domain].count / 100;
  });
}

/// As eased(), of these levels and with these uplinks.
std::vector<Trial> eased_at(const Asked& asked, std::span<const int> levels, const Uplinks& uplinks,
                            const MappingOptions& options, const Placement& placement) {
  const PlacementProblem& problem = asked.problem;
  const Cluster& cluster = *problem.view.cluster;
  const int common = common_level_of(cluster, placement.servers);
  const DomainId under = cluster.domain_of(placement.servers.front(), common);
  std::vector<Trial> trials;
  for (const int level : levels) {
    for (const Room& room : rooms_at(asked, problem.reach, common)) {
      if (sliced_room_in(cluster, room, under, asked.slices) < problem.graph.vertices()) continue;
      trials.push_back(map_under(problem, room, under, asked.slices, lighter(options),
                                 FirstDivision{level, Objective::Bottleneck, uplinks}));
    }
  }
  return trials;
}

/// What hides behind computation costs no time wherever it goes, so the order in which only the
/// rest counts may be faster.
std::vector<Trial> mapped_by_what_is_exposed(const Asked& asked, const MappingOptions& options) {
  const std::optional<Traffic> left = exposed(asked.problem.traffic);
  if (!left) return {};
  PlacementProblem problem = asked.problem;
  problem.graph = contract(*left);
  std::vector<Trial> trials =
      mapped({problem, asked.constraints, asked.slices}, problem.reach, options);
  for (Trial& trial : trials) trial.name += ", exposed traffic only";
  return trials;
}

/// Links that have lost half of their capacity are better avoided, if the objective says so. So are
/// links of which other jobs take more than a little.
std::vector<Trial> mapped_around_weak_links(const Asked& asked, const MappingOptions& options) {
  const PlacementProblem& problem = asked.problem;
  std::vector<Trial> trials;
  for (const BetterLinks& links : better_links(problem.fabric, problem.background, problem.reach)) {
    for (Trial& trial : mapped(asked, links.reach, options)) {
      trial.name += fmt::format(", {}", links.name);
      trials.push_back(std::move(trial));
    }
  }
  return trials;
}

}  // namespace

std::vector<Trial> orders_to_try(const PlacementProblem& problem, const Constraints& constraints,
                                 std::span<const VertexSlice> slices,
                                 const MappingOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  const Asked asked{problem, constraints, slices};
  std::vector<Trial> trials = mapped(asked, problem.reach, options);
  ZONECUT_ENSURES(!trials.empty());
  const int reached = common_level_of(cluster, trials.front().servers);
  const int level = level_to_keep(constraints, reached);
  const auto add_allowed = [&](std::vector<Trial> others) {
    for (Trial& trial : others) {
      if (common_level_of(cluster, trial.servers) >= level &&
          keeps_slices(cluster, slices, trial.servers)) {
        trials.push_back(std::move(trial));
      }
    }
  };
  if (reached > 0 && reached < cluster.zone_level())
    add_allowed(mapped_over_more_zones(asked, reached, level, options));
  add_allowed(orders_of_others(problem, options.seed));
  add_allowed(mapped_by_what_is_exposed(asked, lighter(options)));
  add_allowed(mapped_around_weak_links(asked, lighter(options)));
  return trials;
}

std::vector<Trial> eased(const PlacementProblem& problem, const Constraints& constraints,
                         std::span<const VertexSlice> slices, const MappingOptions& options,
                         const Placement& placement, double tolerance) {
  const std::vector<int> levels =
      levels_waited_for(*problem.view.cluster, placement.prediction, tolerance);
  return eased_at({problem, constraints, slices}, levels, uplinks_of(problem.fabric), options,
                  placement);
}

std::vector<Trial> eased_beside_others(const PlacementProblem& problem,
                                       const Constraints& constraints,
                                       std::span<const VertexSlice> slices,
                                       const MappingOptions& options, const Placement& placement,
                                       double tolerance) {
  if (problem.background.empty()) return {};
  const Cluster& cluster = *problem.view.cluster;
  const Uplinks whole = uplinks_of(problem.fabric);
  const Uplinks left = uplinks_left(problem, placement.prediction);
  std::vector<int> levels = levels_waited_for(cluster, placement.prediction, tolerance);
  std::erase_if(levels, [&](int level) { return !is_shared(cluster, whole, left, level); });
  std::vector<Trial> trials =
      eased_at({problem, constraints, slices}, levels, left, options, placement);
  for (Trial& trial : trials) trial.name += " beside other jobs";
  return trials;
}

std::vector<Trial> nearer_in_zones(const PlacementProblem& problem, const Constraints& constraints,
                                   std::span<const VertexSlice> slices,
                                   const MappingOptions& options, const Trial& trial) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Trial> trials;
  if (!trial.by_rule || !slices.empty()) return trials;
  const int common = common_level_of(cluster, trial.servers);
  // Elsewhere in the zone it might leave a required level, or take more servers than a spread
  // allows.
  if (common > cluster.zone_level()) return trials;
  for (const Room& room : rooms_at({problem, constraints, slices}, problem.reach, common)) {
    if (!holds_by_zone(cluster, room, trial)) continue;
    trials.push_back(map_within_zones(problem, room, trial.servers, lighter(options)));
    trials.back().name = fmt::format("{}, nearer in each {}", trial.name, zone_word(cluster));
  }
  return trials;
}

std::vector<Trial> reordered_by_others(const PlacementProblem& problem,
                                       std::span<const VertexSlice> slices, const Trial& trial) {
  std::vector<Trial> trials;
  for (const Baseline rule : {Baseline::Framework, Baseline::DlroverRerank}) {
    auto servers = baseline_order(rule, problem, trial.servers, 0);  // neither draws anything
    if (!servers || !keeps_slices(*problem.view.cluster, slices, *servers)) continue;
    trials.push_back({fmt::format("{}, {}", trial.name, baseline_name(rule)),
                      std::string(baseline_summary(rule)), *std::move(servers)});
  }
  return trials;
}

}  // namespace zonecut
