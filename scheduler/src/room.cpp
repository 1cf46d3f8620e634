#include "room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "bundle_index.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

bool rack_is_shared(const ClusterView& view, DomainId rack) {
  for (const ServerId server : view.cluster->domain(rack).servers()) {
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      if (view.occupancy.holder({server, gpu})) return true;
    }
  }
  return false;
}

/// Whether a job holds GPUs beside these servers in a rack of theirs, and none on them: the job of
/// the allocation may be in the state itself, and is no other.
bool is_shared_with_others(const ClusterView& view, DomainId rack,
                           const std::set<JobId>& holders_of_given) {
  for (const ServerId server : view.cluster->domain(rack).servers()) {
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      const auto holder = view.occupancy.holder({server, gpu});
      if (holder && !holders_of_given.contains(*holder)) return true;
    }
  }
  return false;
}

/// Takes the room from given servers whose rack another job is in.
void leave_shared_racks(const ClusterView& view, std::span<const ServerId> given, Room& room) {
  std::set<JobId> holders;
  for (const ServerId server : given) {
    for (int gpu = 0; gpu < view.cluster->server(server).gpus; ++gpu) {
      if (const auto holder = view.occupancy.holder({server, gpu})) holders.insert(*holder);
    }
  }
  std::map<DomainId, bool> shared;
  for (const ServerId server : given) {
    const DomainId rack = view.cluster->server(server).rack;
    const auto [entry, is_new] = shared.try_emplace(rack, false);
    if (is_new) entry->second = is_shared_with_others(view, rack, holders);
    if (entry->second) room[server] = 0;
  }
}

/// An allocation that exists: its GPUs are the job's own, so occupancy is not asked. Every server
/// is used, so one with places to spare gives up those the job does not need.
Room room_of_allocation(const ClusterView& view, const Constraints& constraints,
                        int ranks_per_server, std::size_t vertices) {
  Room room(view.cluster->server_count(), 0);
  for (const ServerId server : *constraints.only)
    room[server] = view.working_gpu_count(server) / ranks_per_server;
  for (const ServerId server : constraints.excluded) room[server] = 0;
  if (constraints.whole_racks) leave_shared_racks(view, *constraints.only, room);
  std::size_t total = 0;
  std::size_t servers = 0;
  for (const int places : room) {
    total += static_cast<std::size_t>(places);
    servers += places > 0;
  }
  if (servers > vertices) return room;  // not all of them can be used: refusal() says so
  while (total > vertices) {
    const int most = *std::max_element(room.begin(), room.end());
    for (std::size_t i = room.size(); i-- > 0 && total > vertices;) {
      int& places = room[ServerId{i}];
      if (places != most) continue;
      --places;
      --total;
    }
  }
  return room;
}

/// 1 for the innermost domain, then ten times as much a level, as in zonecut map's default.
std::vector<std::int64_t> distances(std::size_t levels, bool leaf_is_server) {
  std::vector<std::int64_t> distance(levels + 1);
  std::int64_t value = leaf_is_server ? 0 : 1;
  for (std::size_t k = levels + 1; k-- > 0;) {
    distance[k] = value;
    value = value == 0 ? 1 : value * 10;
  }
  return distance;
}

/// Index within the tree of the level whose borders the cut counts: the zones, or the outermost
/// level there is below them.
std::size_t cut_index(const Cluster& cluster, int under_level, std::size_t tree_levels) {
  const int wanted = cluster.zone_level() - under_level - 1;
  return std::min(static_cast<std::size_t>(std::max(wanted, 0)), tree_levels - 1);
}

/// Whether two servers are in one scale-up domain and in one rack.
bool scale_up_together(const Cluster& cluster, ServerId a, ServerId b) {
  const Server& one = cluster.server(a);
  const Server& other = cluster.server(b);
  return one.scale_up && one.scale_up == other.scale_up && one.rack == other.rack;
}

/// Servers with room, rack by rack; those of one scale-up domain follow each other within a rack.
std::vector<ServerId> side_by_side(const Cluster& cluster, const Room& room, DomainId under) {
  std::map<std::pair<DomainId, std::uint32_t>, ServerId> first;  // of a scale-up domain in a rack
  std::vector<std::tuple<DomainId, ServerId, ServerId>> order;
  for (const ServerId server : cluster.domain(under).servers()) {
    if (room[server] == 0) continue;
    const Server& at = cluster.server(server);
    const ServerId leader =
        at.scale_up ? first.try_emplace({at.rack, *at.scale_up}, server).first->second : server;
    order.emplace_back(at.rack, leader, server);
  }
  std::ranges::sort(order);
  std::vector<ServerId> servers;
  servers.reserve(order.size());
  for (const auto& [rack, leader, server] : order) servers.push_back(server);
  return servers;
}

/// Whether a rack holds a scale-up domain of several of these servers, and others beside it.
bool has_groups(const Cluster& cluster, std::span<const ServerId> side_by_side) {
  bool together = false;
  bool apart = false;
  for (std::size_t i = 1; i < side_by_side.size(); ++i) {
    const ServerId a = side_by_side[i - 1];
    const ServerId b = side_by_side[i];
    const bool same = scale_up_together(cluster, a, b);
    together = together || same;
    apart = apart || (!same && cluster.server(a).rack == cluster.server(b).rack);
  }
  return together && apart;
}

}  // namespace

Room room_under(const ClusterView& view, const Constraints& constraints,
                std::size_t ranks_per_server, std::size_t vertices) {
  const Cluster& cluster = *view.cluster;
  const int ranks = static_cast<int>(ranks_per_server);
  if (constraints.only) {
    return room_of_allocation(view, constraints, ranks, vertices);
  }
  Room room(cluster.server_count(), 0);
  std::optional<DomainId> rack;
  bool shared = false;
  for (const ServerId server : cluster.server_ids()) {
    if (constraints.whole_racks && rack != cluster.server(server).rack) {
      rack = cluster.server(server).rack;
      shared = rack_is_shared(view, *rack);
    }
    if (!shared) room[server] = view.usable_gpu_count(server) / ranks;
  }
  for (const ServerId server : constraints.excluded) room[server] = 0;
  return room;
}

Reach reach_over(const Fabric& fabric, double least_share, const Background& background) {
  const Cluster& cluster = fabric.cluster();
  const BundleIndex bundles(cluster);
  const auto carries = [&](BytesPerSecond left, BytesPerSecond nominal, auto below) {
    const double taken = std::max(background.taken(bundles.of(below, false)),
                                  background.taken(bundles.of(below, true)));
    return left.count > 0 && static_cast<double>(left.count) * (1 - taken) >
                                 least_share * static_cast<double>(nominal.count);
  };
  // Domains come depth first, so a parent's reach is known before its children's.
  IdMap<DomainId, int> reach_of_domain(cluster.domain_count(), 0);
  for (const DomainId id : cluster.domain_ids()) {
    const Domain& domain = cluster.domain(id);
    if (!domain.parent) continue;
    const bool up = carries(fabric.uplink_capacity(id), fabric.nominal_uplink_capacity(id), id);
    reach_of_domain[id] = up ? reach_of_domain[*domain.parent] : domain.level;
  }
  const FabricSpec& spec = fabric.spec();
  const BytesPerSecond nominal = spec.nic_bandwidth * spec.nics_per_server;
  Reach reach(cluster.server_count(), cluster.rack_level() + 1);
  for (const ServerId server : cluster.server_ids()) {
    if (carries(fabric.injection_capacity(server), nominal, server))
      reach[server] = reach_of_domain[cluster.server(server).rack];
  }
  return reach;
}

std::vector<BetterLinks> better_links(const Fabric& fabric, const Background& background,
                                      const Reach& any) {
  const Reach sound = reach_over(fabric, 0.5);
  const Reach whole = reach_over(fabric, 0.95);
  const Reach quiet = reach_over(fabric, 0.5, background);
  const Reach unused = reach_over(fabric, 0.95, background);
  std::vector<BetterLinks> better;
  if (sound != any) better.push_back({"sound links only", sound});
  if (whole != sound) better.push_back({"whole links only", whole});
  if (quiet != sound) better.push_back({"quiet links only", quiet});
  if (!background.empty() && unused != quiet) better.push_back({"unused links only", unused});
  return better;
}

Room room_reaching(const Room& room, const Reach& reach, int level) {
  Room reaching = room;
  for (std::size_t i = 0; i < room.size(); ++i) {
    if (reach[ServerId{i}] > level) reaching[ServerId{i}] = 0;
  }
  return reaching;
}

std::vector<VertexSlice> vertex_slices(const Cluster& cluster, const Constraints& constraints,
                                       std::size_t ranks_per_server, std::size_t vertices) {
  std::vector<VertexSlice> slices;
  ProblemList problems;
  for (const Slice& slice : constraints.slices) {
    const auto gpus = static_cast<std::size_t>(slice.gpus);
    const std::string& level = cluster.levels()[static_cast<std::size_t>(slice.level)];
    const std::string where = "placement.slices." + level;
    if (gpus % ranks_per_server != 0) {
      problems.add(
          where,
          fmt::format("a slice of {} GPUs per {} does not consist of whole servers of {} ranks",
                      gpus, level, ranks_per_server));
    }
    if (vertices * ranks_per_server % gpus != 0) {
      problems.add(where, fmt::format("slices of {} GPUs per {} do not divide the job's {} ranks",
                                      gpus, level, vertices * ranks_per_server));
    }
    slices.push_back({slice.level, gpus / ranks_per_server});
  }
  problems.throw_if_any();
  std::stable_sort(slices.begin(), slices.end(),
                   [](const VertexSlice& a, const VertexSlice& b) { return a.level < b.level; });
  for (std::size_t i = 1; i < slices.size(); ++i) {
    if (slices[i - 1].level == slices[i].level ||
        slices[i - 1].vertices % slices[i].vertices != 0) {
      const std::string& level = cluster.levels()[static_cast<std::size_t>(slices[i].level)];
      throw InputError("placement.slices." + level,
                       fmt::format("slices do not nest: {} GPUs per {} and {} GPUs per {}",
                                   slices[i - 1].vertices * ranks_per_server,
                                   cluster.levels()[static_cast<std::size_t>(slices[i - 1].level)],
                                   slices[i].vertices * ranks_per_server,
                                   cluster.levels()[static_cast<std::size_t>(slices[i].level)]),
                       "an inner level needs a divisor of the outer level's slice");
    }
  }
  return slices;
}

std::size_t room_in(const Cluster& cluster, const Room& room, DomainId id) {
  std::size_t sum = 0;
  for (const ServerId server : cluster.domain(id).servers())
    sum += static_cast<std::size_t>(room[server]);
  return sum;
}

std::size_t sliced_room_in(const Cluster& cluster, const Room& room, DomainId id,
                           std::span<const VertexSlice> slices) {
  if (slices.empty()) return room_in(cluster, room, id);
  const Domain& domain = cluster.domain(id);
  if (slices.front().level < domain.level)
    return sliced_room_in(cluster, room, id, slices.subspan(1));
  if (domain.level == slices.front().level) {
    const std::size_t inside = sliced_room_in(cluster, room, id, slices.subspan(1));
    return inside / slices.front().vertices * slices.front().vertices;
  }
  std::size_t sum = 0;
  for (const DomainId child : domain.children) sum += sliced_room_in(cluster, room, child, slices);
  return sum;
}

RoomTree room_tree(const Cluster& cluster, const Room& room, DomainId under) {
  RoomTree result;
  const int under_level = cluster.domain(under).level;
  const std::vector<ServerId> servers = side_by_side(cluster, room, under);
  const bool grouped = has_groups(cluster, servers);
  const bool several = std::ranges::any_of(servers, [&](ServerId s) { return room[s] > 1; });

  // Levels below `under`; a rack alone still needs one level, itself as the only leaf.
  const int first_level = std::min(under_level + 1, cluster.rack_level());
  const auto domain_levels = static_cast<std::size_t>(cluster.rack_level() - first_level) + 1;
  const std::size_t levels = domain_levels + (grouped ? 1 : 0) + (several ? 1 : 0);
  SlotTree& tree = result.tree;
  tree.parent.resize(levels);
  const auto open = [&](std::size_t level) {
    const std::size_t above = level == 0 ? 0 : tree.parent[level - 1].size() - 1;
    tree.parent[level].push_back(static_cast<std::uint32_t>(above));
    if (level + 1 == levels) tree.free.push_back(0);
  };
  std::optional<ServerId> last;
  for (const ServerId server : servers) {
    for (std::size_t l = 0; l < domain_levels; ++l) {
      const int level = first_level + static_cast<int>(l);
      if (!last || cluster.domain_of(server, level) != cluster.domain_of(*last, level)) open(l);
    }
    if (grouped && !(last && scale_up_together(cluster, *last, server))) open(domain_levels);
    if (several) open(levels - 1);
    const auto places = static_cast<std::uint32_t>(room[server]);
    tree.free.back() += places;
    result.server_of_slot.insert(result.server_of_slot.end(), places, server);
    last = server;
  }
  tree.distance = distances(levels, several);
  tree.cut_level = cut_index(cluster, first_level - 1, levels);
  return result;
}

DomainTree domain_tree(const Cluster& cluster, DomainId under, int leaf_level,
                       const std::vector<std::uint32_t>& slots_of_domain) {
  DomainTree result;
  const int first_level = std::min(cluster.domain(under).level + 1, leaf_level);
  const auto levels = static_cast<std::size_t>(leaf_level - first_level) + 1;
  SlotTree& tree = result.tree;
  tree.parent.resize(levels);
  std::vector<std::optional<DomainId>> open(levels);
  const std::span<const DomainId> leaves = cluster.domains_at(leaf_level);
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    if (slots_of_domain[i] == 0) continue;
    for (std::size_t l = 0; l < levels; ++l) {
      const DomainId domain = cluster.ancestor(leaves[i], first_level + static_cast<int>(l));
      if (open[l] == domain) continue;
      open[l] = domain;
      tree.parent[l].push_back(l == 0 ? 0
                                      : static_cast<std::uint32_t>(tree.parent[l - 1].size() - 1));
    }
    tree.free.push_back(slots_of_domain[i]);
    result.domain_of_slot.insert(result.domain_of_slot.end(), slots_of_domain[i], leaves[i]);
  }
  tree.distance = distances(levels, false);
  tree.cut_level = cut_index(cluster, first_level - 1, levels);
  return result;
}

}  // namespace zonecut
