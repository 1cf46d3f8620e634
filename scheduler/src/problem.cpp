// Posing a job on a cluster, and measuring one order of servers for it.
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>

#include "free_rings.hpp"
#include "gpu_choice.hpp"
#include "mapping_units.hpp"
#include "parted.hpp"
#include "refusal.hpp"
#include "room.hpp"
#include "runs.hpp"
#include "spread.hpp"
#include "usual_gpus.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/int128.hpp"
#include "zonecut/partition/unit_bound.hpp"
#include "zonecut/scheduler/engine.hpp"
#include "zonecut/scheduler/period.hpp"

namespace zonecut {
namespace {

/// The GPUs of each rank, in rank order.
std::vector<GpuId> assign_gpus(const PlacementProblem& problem, std::span<const ServerId> servers) {
  const ClusterView& view = problem.view;
  const std::size_t ranks = problem.traffic.ranks_per_server;
  IdMap<ServerId, std::size_t> needed(view.cluster->server_count(), 0);
  for (const ServerId server : servers) needed[server] += ranks;
  IdMap<ServerId, std::vector<int>> gpus_by_server(view.cluster->server_count());
  IdMap<ServerId, std::size_t> taken(view.cluster->server_count(), 0);
  std::vector<GpuId> gpus;
  gpus.reserve(problem.traffic.ranks);
  for (const ServerId server : servers) {
    std::vector<int>& here = gpus_by_server[server];
    if (here.empty()) here = gpus_of(view, server, needed[server]);
    if (taken[server] + ranks > here.size()) {
      throw InputError("order", fmt::format("server {} stands more often than its {} GPUs allow",
                                            view.cluster->server(server).name, here.size()));
    }
    for (std::size_t i = 0; i < ranks; ++i) gpus.push_back({server, here[taken[server]++]});
  }
  return gpus;
}

std::int64_t total_cost(const Cluster& cluster, const CommunicationGraph& graph,
                        std::span<const ServerId> servers) {
  std::vector<std::int64_t> distance(cluster.levels().size());
  std::int64_t value = 1;
  for (std::size_t level = distance.size(); level-- > 0; value *= 10) distance[level] = value;
  Int128 sum = 0;
  for (std::size_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (v <= u || servers[u] == servers[v]) continue;
      sum += static_cast<Int128>(weight) *
             distance[static_cast<std::size_t>(cluster.common_level(servers[u], servers[v]))];
    }
  }
  if (sum > std::numeric_limits<std::int64_t>::max()) {
    throw InputError("job", "J, the sum of bytes times distance, does not fit 63 bits",
                     "give the job smaller sizes, or the cluster fewer levels");
  }
  return static_cast<std::int64_t>(sum);
}

Leftover leftover_of(const PlacementProblem& problem, std::span<const GpuId> gpus) {
  const Cluster& cluster = *problem.view.cluster;
  IdMap<ServerId, int> taken(cluster.server_count(), 0);
  for (const GpuId gpu : gpus) ++taken[gpu.server];
  Leftover leftover;
  IdMap<DomainId, int> whole(cluster.domain_count(), 0);
  IdMap<DomainId, std::uint8_t> ours(cluster.domain_count(), 0);
  IdMap<DomainId, std::uint8_t> free(cluster.domain_count(), 0);
  for (const ServerId server : cluster.server_ids()) {
    const int left = std::max(0, problem.view.usable_gpu_count(server) - taken[server]);
    const DomainId rack = cluster.server(server).rack;
    leftover.free_gpus += left;
    ours[rack] |= taken[server] > 0;
    free[rack] |= left > 0;
    if (left != cluster.server(server).gpus) continue;
    ++leftover.free_servers;
    for (std::optional<DomainId> domain = rack; domain; domain = cluster.domain(*domain).parent)
      ++whole[*domain];
  }
  for (const DomainId rack : cluster.domains_at(cluster.rack_level()))
    leftover.half_used_racks += ours[rack] && free[rack];
  for (int level = 0; level <= cluster.rack_level(); ++level) {
    int largest = 0;
    std::int64_t squares = 0;
    for (const DomainId domain : cluster.domains_at(level)) {
      largest = std::max(largest, whole[domain]);
      squares += std::int64_t{whole[domain]} * whole[domain];
    }
    leftover.largest_free_block.push_back(largest);
    leftover.togetherness.push_back(squares);
  }
  return leftover;
}

/// What is spent on a bound.
Effort effort_of(Proof proof) { return proof == Proof::Bound ? Effort::Balanced : Effort::Fast; }

/// A bound counts in the unit of the graph it was made for. `parts`: so many vertices are a server.
std::optional<CutBound> bound_over(const CommunicationGraph& graph, const SlotTree& tree,
                                   std::span<const Coordinates> coordinates, Proof proof,
                                   std::size_t parts = 1) {
  const ScaledGraph scaled = scale_for(graph, tree);
  auto bound = cut_lower_bound_of_units(scaled.graph(), parts, tree, coordinates, effort_of(proof));
  if (bound) bound->value *= scaled.unit();
  return bound;
}

/// Slices that stay in a zone cannot be cut by its border: the bound of the graph between them. The
/// slices of outer levels are passed over. None where there is no such slice, or no room.
std::optional<CutBound> bound_of_slices(const PlacementProblem& problem,
                                        const Constraints& constraints, const Room& room) {
  const Cluster& cluster = *problem.view.cluster;
  const std::size_t vertices = problem.graph.vertices();
  const std::vector<VertexSlice> all =
      vertex_slices(cluster, constraints, problem.traffic.ranks_per_server, vertices);
  const auto within = std::ranges::find_if(
      all, [&](const VertexSlice& slice) { return slice.level >= cluster.zone_level(); });
  if (within == all.end() || within->vertices == 1) return std::nullopt;
  const std::span<const VertexSlice> slices(within, all.end());
  std::vector<std::uint32_t> slots;
  for (const DomainId zone : cluster.domains_at(cluster.zone_level())) {
    const std::size_t most =
        std::min(sliced_room_in(cluster, problem.room, zone, slices), room_in(cluster, room, zone));
    slots.push_back(static_cast<std::uint32_t>(most / within->vertices));
  }
  const DomainTree tree = domain_tree(cluster, Cluster::root(), cluster.zone_level(), slots);
  if (tree.domain_of_slot.size() * within->vertices < vertices) return std::nullopt;
  std::vector<std::uint32_t> order(vertices);
  std::iota(order.begin(), order.end(), 0u);
  auto bound = bound_over(between_runs(problem.graph, order, within->vertices), tree.tree, {},
                          problem.proof);
  if (bound) bound->method += " over slices";
  return bound;
}

/// Where stages or replicas share servers, servers stand in no grid, but halves of them may, or
/// smaller parts. A division of servers is one of their parts, so what these cut at least bounds
/// it, the more so where no server is taken apart.
std::optional<CutBound> bound_of_parts(const PlacementProblem& problem, SlotTree servers) {
  constexpr std::size_t kMostVertices = 16'384;
  constexpr std::size_t kMany = 4096;  // a bound with all its work would take seconds
  constexpr std::size_t kMostEdges = 2'000'000;
  const std::size_t on_server = problem.traffic.ranks_per_server;
  for (std::size_t parts = 2; parts <= on_server; ++parts) {
    const std::size_t ranks = on_server / parts;
    if (on_server % parts != 0 || problem.traffic.ranks / ranks > kMostVertices) continue;
    if (problem.graph.edges() * parts * parts > kMostEdges) return std::nullopt;
    const std::vector<Coordinates> coordinates =
        vertex_coordinates(problem.job, static_cast<int>(ranks));
    if (coordinates.empty()) continue;
    for (std::uint32_t& free : servers.free) free *= static_cast<std::uint32_t>(parts);
    const Proof proof = problem.traffic.ranks / ranks > kMany ? Proof::Quick : problem.proof;
    auto bound = bound_over(contract(problem.traffic, ranks), servers, coordinates, proof, parts);
    if (bound) bound->method += fmt::format(", by {} parts of a server", parts);
    return bound;
  }
  return std::nullopt;
}

/// Whether each vertex has to do with each other, over others.
bool is_one_piece(const CommunicationGraph& graph) {
  std::vector<bool> found(graph.vertices(), false);
  std::vector<std::uint32_t> open{0};
  found[0] = true;
  std::size_t count = 1;
  while (!open.empty()) {
    const std::uint32_t v = open.back();
    open.pop_back();
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (found[u] || weight == 0) continue;
      found[u] = true;
      ++count;
      open.push_back(u);
    }
  }
  return count == graph.vertices();
}

/// Where failed links leave no zone that holds the job, it stands in several; and where all of it
/// has to do with each other over links, on no server below those: what it sends into such a domain
/// would not arrive.
Room room_over_links(const PlacementProblem& problem, const Constraints& constraints) {
  const Cluster& cluster = *problem.view.cluster;
  const int zone = cluster.zone_level();
  const bool all_reach =
      std::ranges::all_of(problem.reach, [&](int level) { return level < zone; });
  if (all_reach || !is_one_piece(problem.graph)) return problem.room;
  const bool over_nvlink = std::ranges::any_of(cluster.server_ids(), [&](ServerId server) {
    return cluster.server(server).scale_up.has_value();
  });
  if (over_nvlink || roomiest_zone(problem, constraints).room >= problem.graph.vertices())
    return problem.room;
  return room_reaching(problem.room, problem.reach, zone - 1);
}

std::optional<CutBound> bound_of(const PlacementProblem& problem, const Constraints& constraints) {
  const Room room = room_of_zones(problem, constraints, room_over_links(problem, constraints));
  const RoomTree slots = room_tree(*problem.view.cluster, room, Cluster::root());
  if (slots.server_of_slot.size() < problem.graph.vertices()) return std::nullopt;
  if (has_free_rings(problem.traffic))
    return free_ring_bound(problem.traffic, slots.tree, problem.coordinates,
                           effort_of(problem.proof));
  auto bound = bound_over(problem.graph, slots.tree, problem.coordinates, problem.proof);
  const auto take_if_higher = [&](std::optional<CutBound> other) {
    if (other && (!bound || other->value > bound->value)) bound = std::move(other);
  };
  if (problem.coordinates.empty()) take_if_higher(bound_of_parts(problem, slots.tree));
  take_if_higher(bound_of_slices(problem, constraints, room));
  return bound;
}

}  // namespace

int ranks_per_server_of(const ClusterView& view, const Job& job) {
  const int usual = usual_gpus(*view.cluster);
  const int ranks = std::min(job.ranks_per_server.value_or(usual), job.ranks());
  int largest = 0;
  for (const ServerId server : view.cluster->server_ids()) {
    largest = std::max(largest, view.cluster->server(server).gpus);
  }
  if (ranks > largest) {
    throw InputError(
        "ranks_per_server",
        fmt::format("{} ranks a server, but the largest server has {} GPUs", ranks, largest));
  }
  return ranks;
}

PlacementProblem pose(const ClusterView& view, const Fabric& fabric, const Job& job,
                      const Constraints& constraints, PoseOptions options) {
  ZONECUT_ENSURES(view.cluster == &fabric.cluster());
  const int ranks_per_server = ranks_per_server_of(view, job);
  Traffic traffic = traffic_of(job, ranks_per_server);
  CommunicationGraph graph = contract(traffic);
  std::vector<Coordinates> coordinates = vertex_coordinates(job, ranks_per_server);
  Room room = room_under(view, constraints, traffic.ranks_per_server, traffic.vertices());
  Reach reach = reach_over(fabric, 0);
  Room linked_room = room_reaching(room, reach, 0);
  cap_spread(*view.cluster, constraints, traffic.ranks_per_server, traffic.vertices(), 0,
             Kept::Roomiest, linked_room);
  Background background(fabric, std::move(options.beside), options.routing);
  PlacementProblem problem{.view = view,
                           .fabric = fabric,
                           .job = job,
                           .traffic = std::move(traffic),
                           .graph = std::move(graph),
                           .coordinates = std::move(coordinates),
                           .room = std::move(room),
                           .linked_room = std::move(linked_room),
                           .reach = std::move(reach),
                           .bound = std::nullopt,
                           .routing = options.routing,
                           .proof = options.proof,
                           .background = std::move(background)};
  if (options.proof != Proof::None) problem.bound = bound_of(problem, constraints);
  return problem;
}

RunningTraffic running_traffic(const ClusterView& view, const RunningJob& running, const Job& job) {
  Traffic traffic = traffic_of(job, ranks_per_server_of(view, job));
  if (running.order.size() != traffic.vertices()) {
    throw InputError(
        running.where,
        fmt::format("{} ranks need {} servers of {}, but {} are named", traffic.ranks,
                    traffic.vertices(), traffic.ranks_per_server, running.order.size()),
        "order: its servers in rank order, one entry for a server's worth of ranks");
  }
  if (auto chosen = arranged_on(traffic, running.order)) traffic = *std::move(chosen);
  std::optional<Seconds> iteration = running.iteration;
  // What serving sends is told for a second of it.
  if (!iteration && is_served(job)) iteration = Seconds{1};
  return {view.occupancy.job_name(running.job), std::move(traffic), running.order, iteration,
          is_served(job)};
}

std::optional<Traffic> arranged_on(const Traffic& traffic, std::span<const ServerId> servers) {
  if (!has_free_rings(traffic)) return std::nullopt;
  std::vector<std::size_t> place;
  place.reserve(servers.size());
  for (const ServerId server : servers) place.push_back(server.index());
  return arranged(traffic, place);
}

std::optional<Traffic> arranged_on(const PlacementProblem& problem,
                                   std::span<const ServerId> servers) {
  return arranged_on(problem.traffic, servers);
}

std::optional<NoFit> parted(const Fabric& fabric, const Traffic& traffic,
                            std::span<const ServerId> servers, bool served) {
  const Cluster& cluster = fabric.cluster();
  NoFit refusal;
  for (const auto& [below, bytes] : cut_off(fabric, traffic, servers)) {
    const auto* server = std::get_if<ServerId>(&below);
    refusal.blockers.push_back(
        {"failed links",
         fmt::format(
             "no working link leads up from {}, but the job must pass {} per {}",
             server ? cluster.server(*server).name : cluster.path(std::get<DomainId>(below)),
             to_text(bytes), period_word(served)),
         "repair the links, or leave these servers out of the order"});
  }
  if (refusal.blockers.empty()) return std::nullopt;
  return refusal;
}

std::optional<NoFit> parted(const PlacementProblem& problem, std::span<const ServerId> servers) {
  const std::optional<Traffic> chosen = arranged_on(problem, servers);
  return parted(problem.fabric, chosen ? *chosen : problem.traffic, servers,
                is_served(problem.job));
}

Placement evaluate(const PlacementProblem& problem, std::span<const ServerId> servers,
                   std::string method) {
  ZONECUT_ENSURES(servers.size() == problem.traffic.vertices());
  const std::optional<Traffic> chosen = arranged_on(problem, servers);
  const Traffic& traffic = chosen ? *chosen : problem.traffic;
  Placement placement;
  placement.servers.assign(servers.begin(), servers.end());
  placement.gpus = assign_gpus(problem, servers);
  if (chosen) placement.rings = chosen_rings(traffic);
  placement.prediction =
      predict(problem.fabric, traffic, servers, problem.routing, problem.background);
  if (!problem.background.empty()) {
    placement.disturbed =
        disturbances(problem.fabric, {problem.job.name, traffic, placement.servers, std::nullopt},
                     problem.background, problem.routing);
  }
  placement.cost = chosen ? total_cost(*problem.view.cluster, contract(traffic), servers)
                          : total_cost(*problem.view.cluster, problem.graph, servers);
  if (problem.bound) {
    placement.lower_bound = Bytes{problem.bound->value};
    placement.bound_method = problem.bound->method;
    placement.gap = relative_gap(placement.prediction.cross_zone.count, problem.bound->value);
  }
  placement.method = std::move(method);
  placement.leftover = leftover_of(problem, placement.gpus);
  return placement;
}

std::string to_text(const Blocker& blocker) { return blocker.constraint + ": " + blocker.what; }

const Candidate* smallest_cut(const Placement& placement) {
  const Candidate* smallest = nullptr;
  for (const Candidate& candidate : placement.candidates) {
    if (candidate.cross_zone >= placement.prediction.cross_zone) continue;
    if (!smallest || candidate.cross_zone < smallest->cross_zone) smallest = &candidate;
  }
  return smallest;
}

NoFit parted_by(const PartedFlows& error) {
  NoFit refusal;
  for (const Problem& found : error.problems())
    refusal.blockers.push_back({"failed links", found.what, found.hint});
  return refusal;
}

PlacementResult judge(const PlacementProblem& problem, std::span<const ServerId> servers,
                      std::string method) {
  try {
    return evaluate(problem, servers, std::move(method));
  } catch (const PartedFlows& error) {
    return parted_by(error);
  }
}

}  // namespace zonecut
