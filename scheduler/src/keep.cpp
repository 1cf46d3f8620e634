// A job that runs already: its ranks stay where they are, but for those that cannot.
#include <fmt/format.h>

#include <algorithm>

#include "gpu_choice.hpp"
#include "mapping_units.hpp"
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

/// By vertex the slot it had, where that is still to be had.
std::vector<std::optional<std::uint32_t>> slots_before(
    const Cluster& cluster, const RoomTree& slots,
    std::span<const std::optional<ServerId>> before) {
  IdMap<ServerId, std::vector<std::uint32_t>> slots_on(cluster.server_count());
  for (std::size_t slot = slots.server_of_slot.size(); slot-- > 0;)
    slots_on[slots.server_of_slot[slot]].push_back(static_cast<std::uint32_t>(slot));
  std::vector<std::optional<std::uint32_t>> previous(before.size());
  for (std::size_t v = 0; v < before.size(); ++v) {
    if (!before[v]) continue;
    std::vector<std::uint32_t>& here = slots_on[*before[v]];
    if (here.empty()) continue;
    previous[v] = here.back();
    here.pop_back();
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

PlacementResult mend(const PlacementProblem& problem, const Constraints& constraints,
                     std::span<const std::optional<ServerId>> before, std::size_t most_moves,
                     std::span<const GpuId> held) {
  ZONECUT_ENSURES(before.size() == problem.graph.vertices() && !before.empty());
  refuse_what_moves_together(constraints);
  if (auto none = refusal(problem, constraints, {})) return *std::move(none);
  const Cluster& cluster = *problem.view.cluster;
  const Ground ground = ground_to_stay_on(problem, constraints, before);
  const RoomTree slots = room_tree(cluster, ground.room, ground.domain);
  if (!ground.holds) {
    return NoFit{{{"staying in " + cluster.path(ground.domain),
                   fmt::format("it has room for {} of {}", grouped(slots.server_of_slot.size()),
                               counted(before.size(), place_noun(problem))),
                   "place the job anew"}}};
  }
  const ScaledGraph scaled = scale_for(problem.graph, slots.tree);
  const MendedMapping mended =
      mend_mapping(scaled.graph(), slots.tree, slots_before(cluster, slots, before), most_moves);
  std::vector<ServerId> after;
  for (const std::uint32_t slot : mended.slot) after.push_back(slots.server_of_slot[slot]);
  PlacementResult result = judge(problem, after, "kept, with the fewest moves");
  if (std::holds_alternative<NoFit>(result)) return result;
  auto& placement = std::get<Placement>(result);
  placement.gpus = gpus_kept(problem.view, before, after, held, problem.traffic.ranks_per_server);
  Candidate candidate{
      "kept",         placement.prediction.communication, placement.prediction.cross_zone,
      placement.cost, placement.leftover.half_used_racks, "chosen"};
  placement.candidates.push_back(std::move(candidate));
  placement.reasons = reasons_of(problem, before, after, mended.optimal);
  return result;
}

}  // namespace

PlacementResult keep(const PlacementProblem& problem, const Constraints& constraints,
                     std::span<const ServerId> before, std::size_t most_moves,
                     std::span<const GpuId> held) {
  const std::vector<std::optional<ServerId>> all(before.begin(), before.end());
  return mend(problem, constraints, all, most_moves, held);
}

PlacementResult complete(const PlacementProblem& problem, const Constraints& constraints,
                         std::span<const std::optional<ServerId>> before, std::size_t most_moves) {
  return mend(problem, constraints, before, most_moves, {});
}

}  // namespace zonecut
