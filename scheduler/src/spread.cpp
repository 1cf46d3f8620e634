#include "spread.hpp"

#include <algorithm>
#include <functional>
#include <optional>

namespace zonecut {
namespace {

using Slices = std::span<const VertexSlice>;

std::vector<ServerId> servers_with_room(const Domain& domain, const Room& room) {
  std::vector<ServerId> servers;
  for (const ServerId server : domain.servers()) {
    if (room[server] > 0) servers.push_back(server);
  }
  return servers;
}

/// The room of every domain that holds servers with room.
IdMap<DomainId, int> rooms_of(const Cluster& cluster, const Room& room) {
  IdMap<DomainId, int> rooms(cluster.domain_count(), 0);
  for (std::size_t i = 0; i < room.size(); ++i) {
    const ServerId server{i};
    for (std::optional<DomainId> at = cluster.server(server).rack; at;
         at = cluster.domain(*at).parent)
      rooms[*at] += room[server];
  }
  return rooms;
}

/// Those in domains with the most room stand together, the outermost of these first, so that few
/// are divided and whole ones stay usable.
void keep_some(const Cluster& cluster, const IdMap<DomainId, int>& rooms, int level, Kept kept,
               std::vector<ServerId> servers, std::size_t most, Room& room) {
  const auto key = [&](ServerId server) {
    std::vector<int> around;
    if (kept == Kept::Roomiest) around.push_back(room[server]);
    for (int inner = level + 1; inner <= cluster.rack_level(); ++inner)
      around.push_back(rooms[cluster.domain_of(server, inner)]);
    if (kept == Kept::Together) around.push_back(room[server]);
    return around;
  };
  std::vector<std::pair<std::vector<int>, ServerId>> order;
  for (const ServerId server : servers) order.emplace_back(key(server), server);
  std::ranges::stable_sort(order, std::greater{}, [](const auto& each) { return each.first; });
  for (std::size_t i = most; i < order.size(); ++i) room[order[i].second] = 0;
}

/// The most vertices a domain takes, in slices, by the number of servers it may use.
struct Offer {
  std::vector<std::size_t> vertices{0};
  std::vector<Offer> children;
  /// By child, then by servers given to it and those before it: how many of these are its own.
  std::vector<std::vector<std::uint32_t>> share;
  std::vector<ServerId> servers;  ///< of a rack, most room first
};

/// A knapsack over the tree, children joined one after the other.
Offer offer_of(const Cluster& cluster, const Room& room, DomainId id, Slices slices,
               std::size_t most) {
  const Domain& domain = cluster.domain(id);
  const bool sliced_here = !slices.empty() && slices.front().level == domain.level;
  const Slices inner = sliced_here ? slices.subspan(1) : slices;
  Offer offer;
  if (domain.children.empty()) {
    offer.servers = servers_with_room(domain, room);
    std::stable_sort(offer.servers.begin(), offer.servers.end(),
                     [&](ServerId a, ServerId b) { return room[a] > room[b]; });
    for (std::size_t i = 0; i < std::min(most, offer.servers.size()); ++i) {
      offer.vertices.push_back(offer.vertices.back() +
                               static_cast<std::size_t>(room[offer.servers[i]]));
    }
  }
  for (const DomainId child : domain.children) {
    offer.children.push_back(offer_of(cluster, room, child, inner, most));
    const std::vector<std::size_t>& theirs = offer.children.back().vertices;
    const std::size_t before = offer.vertices.size() - 1;
    const std::size_t servers = std::min(most, before + theirs.size() - 1);
    std::vector<std::size_t> joined(servers + 1, 0);
    std::vector<std::uint32_t> share(servers + 1, 0);
    for (std::size_t n = 0; n <= servers; ++n) {
      const std::size_t least = n > before ? n - before : 0;
      for (std::size_t k = least; k <= std::min(n, theirs.size() - 1); ++k) {
        const std::size_t vertices = offer.vertices[n - k] + theirs[k];
        if (k > least && vertices <= joined[n]) continue;
        joined[n] = vertices;
        share[n] = static_cast<std::uint32_t>(k);
      }
    }
    offer.vertices = std::move(joined);
    offer.share.push_back(std::move(share));
  }
  if (sliced_here) {
    for (std::size_t& vertices : offer.vertices) vertices -= vertices % slices.front().vertices;
  }
  // Servers that add nothing are not worth having.
  while (offer.vertices.size() > 1 && offer.vertices.back() == *(offer.vertices.end() - 2))
    offer.vertices.pop_back();
  return offer;
}

void keep_offered(const Offer& offer, std::size_t servers, Room& room) {
  for (std::size_t i = servers; i < offer.servers.size(); ++i) room[offer.servers[i]] = 0;
  for (std::size_t c = offer.children.size(); c-- > 0;) {
    const std::size_t share = offer.share[c][servers];
    keep_offered(offer.children[c], share, room);
    servers -= share;
  }
}

}  // namespace

void cap_spread(const Cluster& cluster, const Constraints& constraints,
                std::size_t ranks_per_server, std::size_t vertices, int level, Kept kept,
                Room& room) {
  if (!constraints.spread) return;
  level = std::max({level, constraints.spread->level, constraints.required_level.value_or(0)});
  const auto most = static_cast<std::size_t>(constraints.spread->servers);
  const std::vector<VertexSlice> all =
      vertex_slices(cluster, constraints, ranks_per_server, vertices);
  Slices slices = all;
  while (!slices.empty() && slices.front().level < level) slices = slices.subspan(1);
  const bool sliced_inside = !slices.empty() && slices.back().level > level;
  const IdMap<DomainId, int> rooms = rooms_of(cluster, room);
  for (const DomainId id : cluster.domains_at(level)) {
    std::vector<ServerId> servers = servers_with_room(cluster.domain(id), room);
    if (servers.size() <= most) continue;
    if (!sliced_inside) {
      keep_some(cluster, rooms, level, kept, std::move(servers), most, room);
      continue;
    }
    const Offer offer = offer_of(cluster, room, id, slices, most);
    keep_offered(offer, offer.vertices.size() - 1, room);
  }
}

Room room_of_zones(const PlacementProblem& problem, const Constraints& constraints, Room room) {
  const Cluster& cluster = *problem.view.cluster;
  cap_spread(cluster, constraints, problem.traffic.ranks_per_server, problem.graph.vertices(),
             cluster.zone_level(), Kept::Roomiest, room);
  return room;
}

}  // namespace zonecut
