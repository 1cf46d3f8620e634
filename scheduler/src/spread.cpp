#include "spread.hpp"

#include <algorithm>

namespace zonecut {
namespace {

using Slices = std::span<const VertexSlice>;

std::vector<ServerId> servers_with_room(const Domain& domain, const Room& room) {
  std::vector<ServerId> servers;
  for (std::size_t i = 0; i < domain.server_count; ++i) {
    const ServerId server{domain.first_server + i};
    if (room[server] > 0) servers.push_back(server);
  }
  return servers;
}

/// Most room first, then racks with most room first, so that whole racks stay usable.
void keep_roomiest(const Cluster& cluster, const IdMap<DomainId, int>& rack_room,
                   std::vector<ServerId> servers, std::size_t most, Room& room) {
  std::stable_sort(servers.begin(), servers.end(), [&](ServerId a, ServerId b) {
    const auto key = [&](ServerId s) {
      return std::pair(room[s], rack_room[cluster.server(s).rack]);
    };
    return key(a) > key(b);
  });
  for (std::size_t i = most; i < servers.size(); ++i) room[servers[i]] = 0;
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
                std::size_t ranks_per_server, std::size_t vertices, Room& room) {
  if (!constraints.spread) return;
  const int level = std::max(constraints.spread->level, constraints.required_level.value_or(0));
  const auto most = static_cast<std::size_t>(constraints.spread->servers);
  const std::vector<VertexSlice> all =
      vertex_slices(cluster, constraints, ranks_per_server, vertices);
  Slices slices = all;
  while (!slices.empty() && slices.front().level < level) slices = slices.subspan(1);
  const bool sliced_inside = !slices.empty() && slices.back().level > level;
  IdMap<DomainId, int> rack_room(cluster.domain_count(), 0);
  for (std::size_t i = 0; i < room.size(); ++i)
    rack_room[cluster.server(ServerId{i}).rack] += room[ServerId{i}];
  for (const DomainId id : cluster.domains_at(level)) {
    std::vector<ServerId> servers = servers_with_room(cluster.domain(id), room);
    if (servers.size() <= most) continue;
    if (!sliced_inside) {
      keep_roomiest(cluster, rack_room, std::move(servers), most, room);
      continue;
    }
    const Offer offer = offer_of(cluster, room, id, slices, most);
    keep_offered(offer, offer.vertices.size() - 1, room);
  }
}

}  // namespace zonecut
