// The rules themselves. Each works on the same free room as the engine and returns one server per
// vertex.
#include <algorithm>
#include <array>
#include <numeric>

#include "baselines/arnold_spread.hpp"
#include "baselines/kubernetes_default.hpp"
#include "baselines/slurm_block.hpp"
#include "room.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/scheduler/baseline.hpp"

namespace zonecut {
namespace {

using Order = std::vector<ServerId>;

/// Every place of every server, servers in the given order.
Order places_of(const Room& room, std::span<const ServerId> servers) {
  Order places;
  for (const ServerId server : servers) {
    places.insert(places.end(), static_cast<std::size_t>(room[server]), server);
  }
  return places;
}

Order servers_of(const Cluster& cluster, DomainId id) {
  Order servers;
  for (const ServerId server : cluster.domain(id).servers()) servers.push_back(server);
  return servers;
}

void sort_by_name(const Cluster& cluster, Order& servers) {
  std::stable_sort(servers.begin(), servers.end(), [&](ServerId a, ServerId b) {
    return natural_less(cluster.server(a).name, cluster.server(b).name);
  });
}

std::optional<Order> first_of(Order places, std::size_t needed) {
  if (places.size() < needed) return std::nullopt;
  places.resize(needed, ServerId{0});
  return places;
}

std::optional<Order> linear(const PlacementProblem& problem, const Room& room) {
  const Cluster& cluster = *problem.view.cluster;
  Order servers = servers_of(cluster, Cluster::root());
  // Names are compared of those only that can be chosen.
  std::erase_if(servers, [&](ServerId server) { return room[server] <= 0; });
  sort_by_name(cluster, servers);
  return first_of(places_of(room, servers), problem.graph.vertices());
}

std::optional<Order> random_order(const PlacementProblem& problem, const Room& room,
                                  std::uint64_t seed) {
  Order places = places_of(room, servers_of(*problem.view.cluster, Cluster::root()));
  Random random(seed);
  random.shuffle(std::span(places));
  return first_of(std::move(places), problem.graph.vertices());
}

struct DomainRoom {
  DomainId domain;
  std::size_t room;
};

std::vector<DomainRoom> rooms_at(const PlacementProblem& problem, const Room& room, int level,
                                 DomainId under) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<DomainRoom> rooms;
  for (const DomainId domain : cluster.domains_at(level)) {
    if (cluster.ancestor(domain, cluster.domain(under).level) != under) continue;
    const std::size_t places = room_in(cluster, room, domain);
    if (places > 0) rooms.push_back({domain, places});
  }
  return rooms;
}

/// Removes and returns the domain to take next.
using Picker = DomainRoom (*)(std::vector<DomainRoom>& rooms, std::size_t needed);

DomainRoom take(std::vector<DomainRoom>& rooms, std::vector<DomainRoom>::iterator which) {
  const DomainRoom taken = *which;
  rooms.erase(which);
  return taken;
}

bool less_room(const DomainRoom& a, const DomainRoom& b) { return a.room < b.room; }

/// The smallest domain that holds all the rest, else the largest: few domains, tight at the end.
DomainRoom smallest_sufficient_else_largest(std::vector<DomainRoom>& rooms, std::size_t needed) {
  auto best = rooms.end();
  for (auto it = rooms.begin(); it != rooms.end(); ++it) {
    if (it->room >= needed && (best == rooms.end() || it->room < best->room)) best = it;
  }
  return take(rooms,
              best != rooms.end() ? best : std::max_element(rooms.begin(), rooms.end(), less_room));
}

/// The domain with the least room of all: what best-fit packing does to keep large domains whole.
DomainRoom smallest(std::vector<DomainRoom>& rooms, std::size_t) {
  return take(rooms, std::min_element(rooms.begin(), rooms.end(), less_room));
}

/// Fills zones in the picker's order, and racks within a zone in depth-first order.
std::optional<Order> zone_by_zone(const PlacementProblem& problem, const Room& room, Picker pick) {
  const Cluster& cluster = *problem.view.cluster;
  const std::size_t needed = problem.graph.vertices();
  std::vector<DomainRoom> rooms = rooms_at(problem, room, cluster.zone_level(), Cluster::root());
  Order places;
  while (places.size() < needed && !rooms.empty()) {
    const DomainRoom zone = pick(rooms, needed - places.size());
    const Order more = places_of(room, servers_of(cluster, zone.domain));
    places.insert(places.end(), more.begin(), more.end());
  }
  return first_of(std::move(places), needed);
}

/// Zones by Arnold's objective; inside a zone, which Arnold does not look into, servers depth first
/// and ranks in order.
std::optional<Order> arnold(const PlacementProblem& problem, const Room& room) {
  const Cluster& cluster = *problem.view.cluster;
  std::vector<Order> places;
  std::vector<std::size_t> sizes;
  for (const DomainId zone : cluster.domains_at(cluster.zone_level())) {
    places.push_back(places_of(room, servers_of(cluster, zone)));
    sizes.push_back(places.back().size());
  }
  const std::optional<ArnoldPlan> plan = arnold_plan(group_grid(problem.traffic), sizes);
  if (!plan) return std::nullopt;
  Order order;
  std::vector<std::size_t> used(places.size(), 0);
  for (const std::uint32_t zone : plan->zone) order.push_back(places[zone][used[zone]++]);
  return order;
}

/// Slurm's topology/tree (select/cons_tres, gres-less case): the lowest switch with enough free
/// nodes, the tightest of its level; under it leaf after leaf, the tightest that holds the rest,
/// else the one with most free nodes; ranks by node name.
std::optional<Order> slurm_tree(const PlacementProblem& problem, const Room& room) {
  const Cluster& cluster = *problem.view.cluster;
  const std::size_t needed = problem.graph.vertices();
  std::optional<DomainId> top;
  for (int level = cluster.rack_level(); level >= 0 && !top; --level) {
    std::size_t tightest = 0;
    for (const DomainRoom& candidate : rooms_at(problem, room, level, Cluster::root())) {
      if (candidate.room < needed || (top && candidate.room >= tightest)) continue;
      top = candidate.domain;
      tightest = candidate.room;
    }
  }
  if (!top) return std::nullopt;
  std::vector<DomainRoom> leaves = rooms_at(problem, room, cluster.rack_level(), *top);
  Order places;
  while (places.size() < needed) {
    const DomainRoom leaf = smallest_sufficient_else_largest(leaves, needed - places.size());
    Order servers = servers_of(cluster, leaf.domain);
    sort_by_name(cluster, servers);
    const Order more = places_of(room, servers);
    places.insert(places.end(), more.begin(), more.end());
  }
  places.resize(needed, ServerId{0});
  sort_by_name(cluster, places);
  return places;
}

/// Slurm's topology/block; the base blocks are the racks.
std::optional<Order> slurm_block(const PlacementProblem& problem, const Room& room) {
  const Cluster& cluster = *problem.view.cluster;
  const auto racks =
      slurm_block_racks(cluster, room, problem.traffic.ranks_per_server, problem.graph.vertices());
  if (!racks) return std::nullopt;
  Order order;
  for (const auto& [rack, share] : *racks) {
    Order servers = servers_of(cluster, rack);
    sort_by_name(cluster, servers);
    const Order places = places_of(room, servers);
    order.insert(order.end(), places.begin(), places.begin() + static_cast<std::ptrdiff_t>(share));
  }
  sort_by_name(cluster, order);
  return order;
}

/// Rows of the grid of servers that DLRover reorders: pipeline stages, each a run of consecutive
/// servers.
struct StageGrid {
  std::size_t stages = 1;
  std::size_t slot = 1;  ///< servers of one expert-parallel group
};

StageGrid stage_grid(const PlacementProblem& problem) {
  StageGrid grid;
  const auto* training = std::get_if<Training>(&problem.job.work);
  if (training == nullptr || training->encoder || !training->parallelism.order.ends_with("pp"))
    return grid;
  const auto stages = static_cast<std::size_t>(training->parallelism.pp);
  const std::size_t servers = problem.graph.vertices();
  if (servers % stages != 0) return grid;
  grid.stages = stages;
  const auto experts = static_cast<std::size_t>(training->parallelism.ep) *
                       static_cast<std::size_t>(training->parallelism.etp);
  const std::size_t slot = experts / problem.traffic.ranks_per_server;
  if (slot > 1 && servers / stages % slot == 0) grid.slot = slot;
  return grid;
}

/// Expert slots packed into pipeline columns: each column goes to the group with the most whole
/// slots left.
Order columns_to_fullest_group(const StageGrid& grid, std::vector<Order> groups) {
  std::size_t servers = 0;
  for (const Order& group : groups) servers += group.size();
  const std::size_t per_stage = servers / grid.stages;
  const std::size_t columns = per_stage / grid.slot;
  std::vector<std::optional<ServerId>> at(servers);
  std::vector<std::size_t> next(groups.size(), 0);
  const auto slots_left = [&](std::size_t g) { return (groups[g].size() - next[g]) / grid.slot; };
  for (std::size_t column = 0; column < columns; ++column) {
    std::size_t stage = 0;
    while (stage < grid.stages) {
      std::size_t fullest = 0;
      for (std::size_t g = 1; g < groups.size(); ++g) {
        if (slots_left(g) > slots_left(fullest)) fullest = g;
      }
      if (slots_left(fullest) == 0) break;
      for (; stage < grid.stages && slots_left(fullest) > 0; ++stage) {
        for (std::size_t i = 0; i < grid.slot; ++i) {
          at[stage * per_stage + column * grid.slot + i] = groups[fullest][next[fullest]++];
        }
      }
    }
  }
  // Servers that fill no whole slot of one group take what is left, group by group.
  Order rest;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    rest.insert(rest.end(), groups[g].begin() + static_cast<std::ptrdiff_t>(next[g]),
                groups[g].end());
  }
  Order order;
  std::size_t used = 0;
  for (const auto& server : at) order.push_back(server ? *server : rest[used++]);
  return order;
}

std::int64_t cut_of(const PlacementProblem& problem, const Order& order) {
  const Cluster& cluster = *problem.view.cluster;
  std::int64_t cut = 0;
  for (std::size_t u = 0; u < order.size(); ++u) {
    for (const auto& [v, weight] : problem.graph.neighbours(u)) {
      if (v > u && cluster.common_level(order[u], order[v]) < cluster.zone_level()) cut += weight;
    }
  }
  return cut;
}

/// The better, by cut, of DLRover's two layouts: groups one after the other, or expert slots packed
/// into pipeline columns.
Order dlrover(const PlacementProblem& problem, std::span<const ServerId> chosen) {
  const Cluster& cluster = *problem.view.cluster;
  Order sorted(chosen.begin(), chosen.end());
  std::sort(sorted.begin(), sorted.end());
  std::vector<Order> groups(cluster.domains_at(cluster.zone_level()).size());
  for (const ServerId server : sorted) {
    groups[cluster.position_in_level(cluster.domain_of(server, cluster.zone_level()))].push_back(
        server);
  }
  Order packed = columns_to_fullest_group(stage_grid(problem), std::move(groups));
  return cut_of(problem, packed) < cut_of(problem, sorted) ? packed : sorted;
}

Order by_name(const PlacementProblem& problem, std::span<const ServerId> chosen) {
  Order servers(chosen.begin(), chosen.end());
  sort_by_name(*problem.view.cluster, servers);
  return servers;
}

}  // namespace

std::span<const Baseline> all_baselines() {
  static constexpr std::array kAll = {
      Baseline::SlurmTree, Baseline::SlurmBlock,   Baseline::Linear,     Baseline::Kubernetes,
      Baseline::BestFit,   Baseline::Random,       Baseline::ZoneSorted, Baseline::Arnold,
      Baseline::Framework, Baseline::DlroverRerank};
  return kAll;
}

std::optional<std::vector<ServerId>> baseline_order(Baseline baseline,
                                                    const PlacementProblem& problem,
                                                    std::span<const ServerId> chosen,
                                                    std::uint64_t seed) {
  // Rules that know no links are spared the servers that failures cut off.
  const Room& room = problem.linked_room;
  switch (baseline) {
    case Baseline::SlurmTree:
      return slurm_tree(problem, room);
    case Baseline::SlurmBlock:
      return slurm_block(problem, room);
    case Baseline::Linear:
      return linear(problem, room);
    case Baseline::Kubernetes:
      return kubernetes_default(problem.view, room, problem.graph.vertices(),
                                problem.traffic.ranks_per_server, seed);
    case Baseline::BestFit:
      return zone_by_zone(problem, room, smallest);
    case Baseline::Random:
      return random_order(problem, room, seed);
    case Baseline::ZoneSorted:
      return zone_by_zone(problem, room, smallest_sufficient_else_largest);
    case Baseline::Arnold:
      return arnold(problem, room);
    case Baseline::Framework:
      return by_name(problem, chosen);
    case Baseline::DlroverRerank:
      return dlrover(problem, chosen);
  }
  ZONECUT_ENSURES(false);
  return std::nullopt;
}

}  // namespace zonecut
