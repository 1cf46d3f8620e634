#include "report/cluster_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

#include "report/figures.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

constexpr std::size_t kRankRanges = 6;

/// The rank on each GPU of the cluster, by Cluster::gpu_position.
class RankTable {
 public:
  RankTable(const Cluster& cluster, const Placement& placement)
      : cluster_(cluster), rank_(cluster.gpu_count(), kNone) {
    for (std::size_t rank = 0; rank < placement.gpus.size(); ++rank)
      rank_[cluster.gpu_position(placement.gpus[rank])] = static_cast<std::uint32_t>(rank);
  }
  [[nodiscard]] std::optional<std::uint32_t> at(GpuId gpu) const {
    const std::uint32_t rank = rank_[cluster_.gpu_position(gpu)];
    return rank == kNone ? std::nullopt : std::optional(rank);
  }

 private:
  static constexpr std::uint32_t kNone = ~0U;
  const Cluster& cluster_;
  std::vector<std::uint32_t> rank_;
};

MapGpu gpu_of(const ClusterView& view, const RankTable& ranks, const RankGroups& groups,
              GpuId gpu) {
  if (const auto rank = ranks.at(gpu)) {
    const std::uint32_t number = groups.number_of_rank.empty() ? 0 : groups.number_of_rank[*rank];
    return {Use::Ours, groups.of_rank[*rank], *rank, number};
  }
  MapGpu square;
  if (view.occupancy.holder(gpu)) {
    square.use = Use::Others;
  } else if (view.health.servers[gpu.server] != ServerHealth::Up || view.health.has_failed(gpu)) {
    square.use = Use::Unavailable;
  }
  return square;
}

std::string condition(ServerHealth health) {
  switch (health) {
    case ServerHealth::Up:
      return "failed GPUs";
    case ServerHealth::Drained:
      return "drained";
    case ServerHealth::Down:
      return "down";
  }
  return {};
}

GpuCounts counts_of(const MapServer& server) {
  GpuCounts counts;
  for (const MapGpu& gpu : server.gpus) {
    switch (gpu.use) {
      case Use::Ours:
        ++counts.ours;
        break;
      case Use::Others:
        ++counts.others;
        break;
      case Use::Unavailable:
        ++counts.unavailable;
        break;
      case Use::Free:
      case Use::Partly:
        ++counts.free;
        break;
    }
  }
  return counts;
}

std::vector<std::uint32_t> ranks_on(const MapServer& server) {
  std::vector<std::uint32_t> ranks;
  for (const MapGpu& gpu : server.gpus) {
    if (gpu.use == Use::Ours) ranks.push_back(gpu.rank);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

std::uint8_t main_group(const MapServer& server) {
  std::array<int, RankGroups::kMost> count{};
  for (const MapGpu& gpu : server.gpus) {
    if (gpu.use == Use::Ours) ++count[gpu.group];
  }
  return static_cast<std::uint8_t>(std::max_element(count.begin(), count.end()) - count.begin());
}

void summarise(MapServer& server, ServerHealth health, const RankGroups& groups) {
  const GpuCounts counts = counts_of(server);
  if (counts.ours > 0) {
    const auto ranks = ranks_on(server);
    server.use = Use::Ours;
    server.group = main_group(server);
    server.note = fmt::format("{} {}, {}", ranks.size() == 1 ? "rank" : "ranks",
                              ranges(ranks, kRankRanges), groups.entries[server.group].label);
  } else if (health != ServerHealth::Up || counts.unavailable == server.gpus.size()) {
    server.use = Use::Unavailable;
    server.note = condition(health);
  } else if (counts.others == 0) {
    server.use = Use::Free;
    server.note = "free";
  } else if (counts.free > 0) {
    server.use = Use::Partly;
    server.note = fmt::format("{} of {} GPUs free", counts.free, server.gpus.size());
  } else {
    server.use = Use::Others;
    server.note = "other jobs";
  }
}

MapServer server_of(const ClusterView& view, const RankTable& ranks, const RankGroups& groups,
                    ServerId id) {
  const Server& server = view.cluster->server(id);
  MapServer box;
  box.name = clean(server.name);
  for (int gpu = 0; gpu < server.gpus; ++gpu)
    box.gpus.push_back(gpu_of(view, ranks, groups, {id, gpu}));
  summarise(box, view.health.servers[id], groups);
  return box;
}

/// The part of a rack's path below its zone: "row2/rack7".
std::string rack_name(const Cluster& cluster, DomainId zone, DomainId rack) {
  if (rack == zone) return clean(cluster.domain(rack).name);
  return clean(cluster.path(rack).substr(cluster.path(zone).size() + 1));
}

void add_rack(MapZone& zone, MapRack rack, std::vector<std::uint32_t>& ranks) {
  for (const MapServer& server : rack.servers) {
    const GpuCounts counts = counts_of(server);
    zone.gpus.ours += counts.ours;
    zone.gpus.others += counts.others;
    zone.gpus.free += counts.free;
    zone.gpus.unavailable += counts.unavailable;
    rack.ours += counts.ours > 0 ? 1 : 0;
    for (const MapGpu& gpu : server.gpus) {
      if (gpu.use != Use::Ours) continue;
      ranks.push_back(gpu.rank);
      ++zone.in_group[gpu.group];
    }
  }
  zone.servers_used += rack.ours;
  zone.racks_used += rack.ours > 0 ? 1 : 0;
  zone.racks.push_back(std::move(rack));
}

/// The racks of a zone, whatever levels lie between; the zone itself where it is the innermost
/// level.
void collect_racks(const Cluster& cluster, DomainId domain, std::vector<DomainId>& racks) {
  if (cluster.domain(domain).level == cluster.rack_level()) racks.push_back(domain);
  for (const DomainId child : cluster.domain(domain).children) collect_racks(cluster, child, racks);
}

}  // namespace

ClusterMap cluster_map(const PlacementProblem& problem, const Placement& placement) {
  const ClusterView& view = problem.view;
  const Cluster& cluster = *view.cluster;
  const RankTable table(cluster, placement);
  const auto zones = cluster.domains_at(cluster.zone_level());
  const auto names = zone_names(cluster);

  ClusterMap map;
  map.groups = rank_groups(problem, placement.servers);
  map.servers = cluster.server_count();
  for (std::size_t i = 0; i < zones.size(); ++i) {
    MapZone zone;
    zone.name = names[i];
    zone.in_group.resize(map.groups.entries.size());
    std::vector<std::uint32_t> ranks;
    std::vector<DomainId> racks;
    collect_racks(cluster, zones[i], racks);
    for (const DomainId id : racks) {
      const Domain& domain = cluster.domain(id);
      MapRack rack{rack_name(cluster, zones[i], id), 0, {}};
      for (const ServerId server : domain.servers())
        rack.servers.push_back(server_of(view, table, map.groups, server));
      add_rack(zone, std::move(rack), ranks);
      if (zone.racks.back().ours > 0) map.servers_in_racks_used += domain.server_count;
    }
    std::sort(ranks.begin(), ranks.end());
    zone.ranks = ranges(ranks, kRankRanges);
    map.zones.push_back(std::move(zone));
  }
  return map;
}

EmptyZones empty_zones(const ClusterMap& map) {
  EmptyZones empty;
  for (const MapZone& zone : map.zones) {
    if (zone.gpus.ours > 0) continue;
    ++empty.count;
    empty.gpus.others += zone.gpus.others;
    empty.gpus.free += zone.gpus.free;
    empty.gpus.unavailable += zone.gpus.unavailable;
  }
  if (map.is_small() || empty.count <= ClusterMap::kEmptyZones) return {};
  return empty;
}

std::string letters_of(const MapZone& zone, const RankGroups& groups) {
  std::string out;
  for (std::size_t i = 0; i < zone.in_group.size();) {
    if (zone.in_group[i] == 0) {
      ++i;
      continue;
    }
    std::size_t last = i;
    while (last + 1 < zone.in_group.size() && zone.in_group[last + 1] > 0) ++last;
    if (!out.empty()) out += ", ";
    out += groups.entries[i].letter;
    if (last > i) out += (last == i + 1 ? ", " : "–") + groups.entries[last].letter;
    i = last + 1;
  }
  return out;
}

}  // namespace zonecut::report
