// A job that runs already: its ranks stay where they are, but for those that cannot.
#include <fmt/format.h>

#include <algorithm>

#include "gpu_choice.hpp"
#include "mapping_units.hpp"
#include "objective.hpp"
#include "place_noun.hpp"
#include "refusal.hpp"
#include "room.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/partition/mend.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostMovesNamed = 16;

void refuse_what_moves_together(const Constraints& constraints) {
  const auto refuse = [](std::string_view what) {
    throw InputError("placement",
                     fmt::format("{} cannot be held while single servers are replaced", what),
                     "leave it out, or place the job anew");
  };
  if (!constraints.slices.empty()) refuse("slices");
  if (constraints.spread) refuse("spread");
  if (constraints.only) refuse("a fixed list of servers");
}

/// Where the job goes on: inside one domain, on servers that reach each other there.
struct Ground {
  int level = 0;
  DomainId domain = Cluster::root();
  Room room;
  std::size_t staying = 0;  ///< vertices that can stay
  bool holds = false;       ///< there is room for all
};

/// The domain of a level where most can stay, or with most room where nobody can.
Ground ground_at(const PlacementProblem& problem, int level,
                 std::span<const std::optional<ServerId>> before) {
  const Cluster& cluster = *problem.view.cluster;
  Ground ground;
  ground.level = level;
  ground.room = room_reaching(problem.room, problem.reach, level);
  Room left = ground.room;
  IdMap<DomainId, std::size_t> staying(cluster.domain_count(), 0);
  for (const std::optional<ServerId>& server : before) {
    if (!server || left[*server]-- <= 0) continue;
    const DomainId domain = cluster.domain_of(*server, level);
    if (++staying[domain] > ground.staying) {
      ground.staying = staying[domain];
      ground.domain = domain;
    }
  }
  if (ground.staying == 0) {
    ground.domain = *std::ranges::max_element(cluster.domains_at(level), {}, [&](DomainId domain) {
      return room_in(cluster, ground.room, domain);
    });
  }
  ground.holds = room_in(cluster, ground.room, ground.domain) >= before.size();
  return ground;
}

/// At the required level or further in, for failed links may cut off the one but not the other:
/// where the job fits, most can stay, and most servers are left to choose from.
Ground ground_to_stay_on(const PlacementProblem& problem, const Constraints& constraints,
                         std::span<const std::optional<ServerId>> before) {
  int level = constraints.required_level.value_or(0);
  Ground best = ground_at(problem, level, before);
  while (++level <= problem.view.cluster->rack_level()) {
    Ground inner = ground_at(problem, level, before);
    if (std::pair(inner.holds, inner.staying) > std::pair(best.holds, best.staying))
      best = std::move(inner);
  }
  return best;
}

/// A placement that runs.
struct Running {
  std::span<const std::optional<ServerId>> servers;  ///< by vertex
  std::vector<bool> well;  ///< by vertex: all GPUs that it held are usable
};

/// By vertex the slot it had, where that is still to be had: of those on one server, ranks whose
/// GPUs are well go first.
std::vector<std::optional<std::uint32_t>> slots_before(const Cluster& cluster,
                                                       const RoomTree& slots,
                                                       const Running& before) {
  IdMap<ServerId, std::vector<std::uint32_t>> slots_on(cluster.server_count());
  for (std::size_t slot = slots.server_of_slot.size(); slot-- > 0;)
    slots_on[slots.server_of_slot[slot]].push_back(static_cast<std::uint32_t>(slot));
  std::vector<std::optional<std::uint32_t>> previous(before.servers.size());
  for (const bool well : {true, false}) {
    for (std::size_t v = 0; v < previous.size(); ++v) {
      if (!before.servers[v] || before.well[v] != well) continue;
      std::vector<std::uint32_t>& here = slots_on[*before.servers[v]];
      if (here.empty()) continue;
      previous[v] = here.back();
      here.pop_back();
    }
  }
  return previous;
}

std::vector<std::string> reasons_of(const PlacementProblem& problem,
                                    std::span<const std::optional<ServerId>> before,
                                    std::span<const ServerId> after, bool optimal) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<std::size_t> moved;
  for (std::size_t v = 0; v < before.size(); ++v) {
    if (before[v] != after[v]) moved.push_back(v);
  }
  std::vector<std::string> reasons = {
      fmt::format("{} of {} stay, {} moved", grouped(before.size() - moved.size()),
                  counted(before.size(), place_noun(problem)), grouped(moved.size()))};
  if (optimal) reasons.emplace_back("no other choice for those that must move cuts less");
  const std::size_t ranks = problem.traffic.ranks_per_server;
  for (std::size_t i = 0; i < moved.size() && i < kMostMovesNamed; ++i) {
    const std::size_t v = moved[i];
    const std::string from = before[v] ? "from " + cluster.server(*before[v]).name + " " : "";
    reasons.push_back(fmt::format("ranks {}-{} {}to {}", v * ranks, v * ranks + ranks - 1, from,
                                  cluster.server(after[v]).name));
  }
  if (moved.size() > kMostMovesNamed)
    reasons.push_back(fmt::format("and {} more moved", grouped(moved.size() - kMostMovesNamed)));
  return reasons;
}

/// Vertices that can stay, by server.
IdMap<ServerId, int> staying_on(const Cluster& cluster, const Room& room,
                                std::span<const std::optional<ServerId>> before) {
  IdMap<ServerId, int> staying(cluster.server_count(), 0);
  for (const std::optional<ServerId>& server : before) {
    if (server && staying[*server] < room[*server]) ++staying[*server];
  }
  return staying;
}

/// The room for those who move over these links alone, at this level; who can stay does.
Room room_over(const Room& all, const Reach& reach, int level,
               const IdMap<ServerId, int>& staying) {
  Room room = room_reaching(all, reach, level);
  for (std::size_t i = 0; i < room.size(); ++i)
    room[ServerId{i}] = std::max(room[ServerId{i}], staying[ServerId{i}]);
  return room;
}

/// The domains of the ground, from itself inwards, that hold all who can stay.
std::vector<DomainId> domains_around(const Cluster& cluster, const Ground& ground,
                                     const IdMap<ServerId, int>& staying) {
  std::vector<DomainId> domains{ground.domain};
  for (int level = ground.level + 1; level <= cluster.rack_level(); ++level) {
    std::optional<DomainId> around;
    for (const ServerId server : cluster.server_ids()) {
      if (staying[server] == 0) continue;
      const DomainId here = cluster.domain_of(server, level);
      if (around && *around != here) return domains;
      around = here;
    }
    if (!around) return domains;
    domains.push_back(*around);
  }
  return domains;
}

/// Who must move in one of these rooms.
struct Mended {
  std::string name;
  std::vector<ServerId> servers;  ///< by vertex
  bool optimal = false;           ///< nobody else moves, and no other choice cuts less
};

Mended mended_in(const PlacementProblem& problem, const Room& room, DomainId domain,
                 const Running& before, std::size_t most_moves, std::string name) {
  const Cluster& cluster = *problem.view.cluster;
  const RoomTree slots = room_tree(cluster, room, domain);
  const ScaledGraph scaled = scale_for(problem.graph, slots.tree);
  const MendedMapping mapping =
      mend_mapping(scaled.graph(), slots.tree, slots_before(cluster, slots, before), most_moves);
  Mended mended{std::move(name), {}, mapping.optimal};
  for (const std::uint32_t slot : mapping.slot)
    mended.servers.push_back(slots.server_of_slot[slot]);
  return mended;
}

/// Over all links, the least cut first, and over better ones where these hold all who must move.
std::vector<Mended> ways_to_mend(const PlacementProblem& problem, const Ground& ground,
                                 const Running& before, std::size_t most_moves) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Mended> ways;
  ways.push_back(mended_in(problem, ground.room, ground.domain, before, most_moves, "kept"));
  const IdMap<ServerId, int> staying = staying_on(cluster, ground.room, before.servers);
  const std::vector<DomainId> domains = domains_around(cluster, ground, staying);
  for (const BetterLinks& links : better_links(problem.fabric, problem.background, problem.reach)) {
    for (const DomainId domain : domains) {
      const int level = cluster.domain(domain).level;
      const Room room = room_over(ground.room, links.reach, level, staying);
      if (room_in(cluster, room, domain) < before.servers.size()) continue;
      Mended way =
          mended_in(problem, room, domain, before, most_moves, fmt::format("kept, {}", links.name));
      const auto same = [&](const Mended& other) { return other.servers == way.servers; };
      if (std::ranges::none_of(ways, same)) ways.push_back(std::move(way));
    }
  }
  return ways;
}

/// The best of them by the objective of place(), with all of them as candidates.
PlacementResult best_of(const PlacementProblem& problem, const Constraints& constraints,
                        std::span<const std::optional<ServerId>> before,
                        std::span<const Mended> ways, double default_tolerance) {
  std::vector<std::string> names;
  std::vector<Placement> placements;
  std::optional<NoFit> none_runs;
  for (const Mended& way : ways) {
    PlacementResult result = judge(problem, way.servers, "kept, with the fewest moves");
    if (auto* placement = std::get_if<Placement>(&result)) {
      names.push_back(way.name);
      placements.push_back(std::move(*placement));
    } else if (!none_runs) {
      none_runs = std::get<NoFit>(std::move(result));
    }
  }
  if (placements.empty()) return *std::move(none_runs);
  const double tolerance = constraints.time_tolerance.value_or(default_tolerance);
  const double limit = seconds_limit(placements, tolerance);
  const std::vector<std::size_t> order = ranked(placements, limit);
  std::vector<Candidate> candidates =
      candidates_of(*problem.view.cluster, names, placements, order, limit);
  // The first way is the one of the least cut.
  const bool cuts_least =
      ways.front().optimal && names.front() == ways.front().name &&
      placements[order.front()].prediction.cross_zone == placements.front().prediction.cross_zone;
  Placement chosen = std::move(placements[order.front()]);
  chosen.candidates = std::move(candidates);
  chosen.reasons = reasons_of(problem, before, chosen.servers, cuts_least);
  return chosen;
}

PlacementResult mend(const PlacementProblem& problem, const Constraints& constraints,
                     std::span<const std::optional<ServerId>> before, const KeepOptions& options,
                     std::span<const GpuId> held) {
  ZONECUT_ENSURES(before.size() == problem.graph.vertices() && !before.empty());
  refuse_what_moves_together(constraints);
  if (auto none = refusal(problem, constraints, {})) return *std::move(none);
  const Cluster& cluster = *problem.view.cluster;
  const Ground ground = ground_to_stay_on(problem, constraints, before);
  if (!ground.holds) {
    const std::size_t room = room_in(cluster, ground.room, ground.domain);
    return NoFit{{{"staying in " + cluster.path(ground.domain),
                   fmt::format("it has room for {} of {}", grouped(room),
                               counted(before.size(), place_noun(problem))),
                   "place the job anew"}}};
  }
  const std::size_t ranks = problem.traffic.ranks_per_server;
  const Running running{before, has_its_gpus(problem.view, before, held, ranks)};
  PlacementResult result =
      best_of(problem, constraints, before,
              ways_to_mend(problem, ground, running, options.most_moves), options.tolerance);
  if (auto* placement = std::get_if<Placement>(&result)) {
    placement->gpus = gpus_kept(problem.view, before, placement->servers, held, ranks);
  }
  return result;
}

}  // namespace

PlacementResult keep(const PlacementProblem& problem, const Constraints& constraints,
                     std::span<const ServerId> before, const KeepOptions& options,
                     std::span<const GpuId> held) {
  const std::vector<std::optional<ServerId>> all(before.begin(), before.end());
  return mend(problem, constraints, all, options, held);
}

PlacementResult complete(const PlacementProblem& problem, const Constraints& constraints,
                         std::span<const std::optional<ServerId>> before,
                         const KeepOptions& options) {
  return mend(problem, constraints, before, options, {});
}

}  // namespace zonecut
