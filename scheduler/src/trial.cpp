#include "trial.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "mapping_units.hpp"
#include "runs.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

using Vertices = std::vector<std::uint32_t>;

/// Splits vertices over the domains of each slice's level in turn, then over servers.
class SlicedMapping {
 public:
  /// `first`: none where the cut between zones is to be least.
  SlicedMapping(const PlacementProblem& problem, const Room& room, const MappingOptions& options,
                const FirstDivision* first)
      : problem_(problem),
        room_(room),
        cluster_(*problem.view.cluster),
        options_(options),
        first_(first),
        servers_(problem.graph.vertices(), ServerId{0}) {
    if (problem.coordinates.empty()) {
      rough_ = rough_coordinates(problem.job, static_cast<int>(problem.traffic.ranks_per_server));
    }
  }

  void assign(const Vertices& vertices, DomainId under, std::span<const VertexSlice> slices) {
    if (slices.empty()) {
      to_servers(vertices, under);
    } else {
      to_domains(vertices, under, slices);
    }
  }

  [[nodiscard]] std::vector<ServerId> take_servers() { return std::move(servers_); }
  [[nodiscard]] const std::string& method() const { return method_; }

 private:
  void to_servers(const Vertices& vertices, DomainId under) {
    RoomTree room = room_tree(cluster_, room_, under);
    MappingOptions options = aim(room.tree, under, room.server_of_slot);
    options.rough = of(vertices, rough_);
    const bool everything = vertices.size() == problem_.graph.vertices();
    const CommunicationGraph part =
        everything ? CommunicationGraph{} : between_runs(problem_.graph, vertices, 1);
    const Mapping mapping = map(everything ? problem_.graph : part, room.tree,
                                of(vertices, problem_.coordinates), options);
    for (std::size_t i = 0; i < vertices.size(); ++i)
      servers_[vertices[i]] = room.server_of_slot[mapping.slot[i]];
  }

  void to_domains(const Vertices& vertices, DomainId under, std::span<const VertexSlice> slices) {
    const VertexSlice slice = slices.front();
    const std::span<const DomainId> domains = cluster_.domains_at(slice.level);
    std::vector<std::uint32_t> room(domains.size(), 0);
    for (std::size_t i = 0; i < domains.size(); ++i) {
      if (cluster_.domain(domains[i]).level < cluster_.domain(under).level) continue;
      if (cluster_.ancestor(domains[i], cluster_.domain(under).level) != under) continue;
      room[i] = static_cast<std::uint32_t>(sliced_room_in(cluster_, room_, domains[i], slices) /
                                           slice.vertices);
    }
    DomainTree tree = domain_tree(cluster_, under, slice.level, room);
    const MappingOptions options = aim(tree.tree, under, tree.domain_of_slot);
    const Mapping mapping =
        map(between_runs(problem_.graph, vertices, slice.vertices), tree.tree, {}, options);
    std::vector<Vertices> share(domains.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const DomainId domain = tree.domain_of_slot[mapping.slot[i / slice.vertices]];
      share[cluster_.position_in_level(domain)].push_back(vertices[i]);
    }
    for (std::size_t i = 0; i < domains.size(); ++i) {
      if (!share[i].empty()) assign(share[i], domains[i], slices.subspan(1));
    }
  }

  /// Lets the tree and the options say what is divided first, where that lies under the domain.
  /// `place_of_slot`: servers, or domains that are not above the ones divided.
  template <class Place>
  MappingOptions aim(SlotTree& tree, DomainId under,
                     const std::vector<Place>& place_of_slot) const {
    MappingOptions options = options_;
    const int outermost = cluster_.domain(under).level + 1;
    if (first_ == nullptr || first_->level < outermost) return options;
    tree.cut_level = std::min(tree.cut_level, static_cast<std::size_t>(first_->level - outermost));
    options.objective = first_->objective;
    if (options.objective == Objective::Bottleneck)
      options.uplinks = uplinks(tree, outermost + static_cast<int>(tree.cut_level), place_of_slot);
    return options;
  }

  /// Of the domains of the cut, in megabytes a second.
  template <class Place>
  [[nodiscard]] std::vector<std::int64_t> uplinks(const SlotTree& tree, int level,
                                                  const std::vector<Place>& place_of_slot) const {
    constexpr std::int64_t kMegabyte = 1'000'000;
    const std::vector<std::uint32_t> leaf_of_slot = tree.leaf_of_slot();
    const std::vector<std::uint32_t> domain_of_leaf = tree.domain_of_leaf(tree.cut_level);
    std::vector<std::int64_t> uplinks(tree.domains(tree.cut_level), 1);
    for (std::size_t slot = 0; slot < place_of_slot.size(); ++slot) {
      const DomainId domain = domain_at(place_of_slot[slot], level);
      uplinks[domain_of_leaf[leaf_of_slot[slot]]] = 1 + first_->uplinks[domain].count / kMegabyte;
    }
    return uplinks;
  }
  [[nodiscard]] DomainId domain_at(ServerId server, int level) const {
    return cluster_.domain_of(server, level);
  }
  [[nodiscard]] DomainId domain_at(DomainId domain, int level) const {
    return cluster_.ancestor(domain, level);
  }

  /// Those of these vertices; none where there are none.
  static std::vector<Coordinates> of(const Vertices& vertices,
                                     std::span<const Coordinates> coordinates) {
    std::vector<Coordinates> theirs;
    if (coordinates.empty()) return theirs;
    for (const std::uint32_t v : vertices) theirs.push_back(coordinates[v]);
    return theirs;
  }

  Mapping map(const CommunicationGraph& graph, const SlotTree& tree,
              std::span<const Coordinates> coordinates, const MappingOptions& options) {
    const ScaledGraph scaled = scale_for(graph, tree);
    Mapping mapping = map_vertices(scaled.graph(), tree, coordinates, options);
    ZONECUT_ENSURES(measure(scaled.graph(), tree, mapping.slot) == mapping.cost);
    if (method_.empty()) method_ = mapping.method;
    return mapping;
  }

  const PlacementProblem& problem_;
  const Room& room_;
  const Cluster& cluster_;
  const MappingOptions& options_;
  const FirstDivision* first_;
  std::vector<Coordinates> rough_;
  std::vector<ServerId> servers_;
  std::string method_;
};

std::string name_of(const PlacementProblem& problem, DomainId under,
                    const std::optional<FirstDivision>& first) {
  const Cluster& cluster = *problem.view.cluster;
  const std::string level = first ? cluster.levels()[static_cast<std::size_t>(first->level)] : "";
  const bool eases = first && first->objective == Objective::Bottleneck;
  std::string name = eases ? "busiest " + level + " eased" : "minimum cut";
  if (under != Cluster::root()) name += " in " + cluster.path(under);
  if (first && !eases) name += ", " + level + " first";
  return name;
}

}  // namespace

Trial map_under(const PlacementProblem& problem, const Room& room, DomainId domain,
                std::span<const VertexSlice> slices, const MappingOptions& options,
                const std::optional<FirstDivision>& first) {
  Vertices all(problem.graph.vertices());
  std::iota(all.begin(), all.end(), 0u);
  MappingOptions own = options;
  own.prove = problem.proof != Proof::None && !first;
  SlicedMapping mapping(problem, room, own, first ? &*first : nullptr);
  // Slices at or above the domain's own level are kept by being in it.
  while (!slices.empty() && slices.front().level <= problem.view.cluster->domain(domain).level)
    slices = slices.subspan(1);
  mapping.assign(all, domain, slices);
  Trial trial;
  trial.name = name_of(problem, domain, first);
  trial.method = mapping.method();
  trial.servers = mapping.take_servers();
  return trial;
}

Trial map_within_zones(const PlacementProblem& problem, const Room& room,
                       std::span<const ServerId> servers, const MappingOptions& options) {
  const Cluster& cluster = *problem.view.cluster;
  std::map<DomainId, Vertices> held;
  for (std::size_t v = 0; v < servers.size(); ++v)
    held[cluster.domain_of(servers[v], cluster.zone_level())].push_back(
        static_cast<std::uint32_t>(v));
  MappingOptions own = options;
  own.prove = false;
  SlicedMapping mapping(problem, room, own, nullptr);
  for (const auto& [zone, vertices] : held) mapping.assign(vertices, zone, {});
  return {{}, mapping.method(), mapping.take_servers()};
}

}  // namespace zonecut
