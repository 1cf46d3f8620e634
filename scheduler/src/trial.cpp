#include "trial.hpp"

#include <algorithm>
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
  SlicedMapping(const PlacementProblem& problem, const Room& room, const MappingOptions& options,
                std::optional<int> first_level)
      : problem_(problem),
        room_(room),
        cluster_(*problem.view.cluster),
        options_(options),
        first_level_(first_level),
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
    cut_first_level(room.tree, under);
    const bool everything = vertices.size() == problem_.graph.vertices();
    const CommunicationGraph part =
        everything ? CommunicationGraph{} : between_runs(problem_.graph, vertices, 1);
    const Mapping mapping = map(everything ? problem_.graph : part, room.tree,
                                of(vertices, problem_.coordinates), of(vertices, rough_));
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
    cut_first_level(tree.tree, under);
    const Mapping mapping =
        map(between_runs(problem_.graph, vertices, slice.vertices), tree.tree, {}, {});
    std::vector<Vertices> share(domains.size());
    for (std::size_t i = 0; i < vertices.size(); ++i) {
      const DomainId domain = tree.domain_of_slot[mapping.slot[i / slice.vertices]];
      share[cluster_.position_in_level(domain)].push_back(vertices[i]);
    }
    for (std::size_t i = 0; i < domains.size(); ++i) {
      if (!share[i].empty()) assign(share[i], domains[i], slices.subspan(1));
    }
  }

  void cut_first_level(SlotTree& tree, DomainId under) const {
    const int above = cluster_.domain(under).level;
    if (!first_level_ || *first_level_ <= above) return;
    tree.cut_level = std::min(tree.cut_level, static_cast<std::size_t>(*first_level_ - above - 1));
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
              std::span<const Coordinates> coordinates, std::vector<Coordinates> rough) {
    const ScaledGraph scaled = scale_for(graph, tree);
    MappingOptions options = options_;
    options.rough = std::move(rough);
    Mapping mapping = map_vertices(scaled.graph(), tree, coordinates, options);
    ZONECUT_ENSURES(measure(scaled.graph(), tree, mapping.slot) == mapping.cost);
    if (method_.empty()) method_ = mapping.method;
    return mapping;
  }

  const PlacementProblem& problem_;
  const Room& room_;
  const Cluster& cluster_;
  const MappingOptions& options_;
  std::optional<int> first_level_;
  std::vector<Coordinates> rough_;
  std::vector<ServerId> servers_;
  std::string method_;
};

}  // namespace

Trial map_under(const PlacementProblem& problem, const Room& room, DomainId domain,
                std::span<const VertexSlice> slices, const MappingOptions& options,
                std::optional<int> first_level) {
  Vertices all(problem.graph.vertices());
  std::iota(all.begin(), all.end(), 0u);
  MappingOptions own = options;
  own.prove = problem.proof != Proof::None && !first_level;
  SlicedMapping mapping(problem, room, own, first_level);
  // Slices at or above the domain's own level are kept by being in it.
  while (!slices.empty() && slices.front().level <= problem.view.cluster->domain(domain).level)
    slices = slices.subspan(1);
  mapping.assign(all, domain, slices);
  Trial trial;
  trial.name = "minimum cut";
  if (domain != Cluster::root()) trial.name += " in " + problem.view.cluster->path(domain);
  if (first_level) {
    const std::string& level =
        problem.view.cluster->levels()[static_cast<std::size_t>(*first_level)];
    trial.name += ", " + level + " first";
  }
  trial.method = mapping.method();
  trial.servers = mapping.take_servers();
  return trial;
}

}  // namespace zonecut
