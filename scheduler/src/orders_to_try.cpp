#include "orders_to_try.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <string_view>

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

/// The level that no candidate may leave: the required one, and the preferred one as far as it can
/// be had.
int level_to_keep(const Constraints& constraints, int reached) {
  const int preferred = std::min(constraints.preferred_level.value_or(0), reached);
  return std::max(constraints.required_level.value_or(0), preferred);
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

std::vector<Trial> orders_to_try(const Asked& asked, const MappingOptions& options) {
  const PlacementProblem& problem = asked.problem;
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Trial> trials = mapped(asked, problem.reach, options);
  ZONECUT_ENSURES(!trials.empty());
  const int reached = common_level_of(cluster, trials.front().servers);
  const int level = level_to_keep(asked.constraints, reached);
  const auto add_allowed = [&](std::vector<Trial> others) {
    for (Trial& trial : others) {
      if (common_level_of(cluster, trial.servers) >= level && keeps_slices(asked, trial.servers)) {
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

}  // namespace zonecut
