#pragma once
// What stands where: the tree of domains (building, zone, rack, or any two to six levels) and the
// servers in its innermost level. Immutable once built, so any number of threads may read one.
//
//   level 0     level 1      level 2      the cluster itself is level 0, those of the file follow
//   cluster ──┬ zone a ──┬── rack r1 ── s1 s2
//             │          └── rack r2 ── s3 s4
//             └ zone b ───── rack r1 ── s5
//
// A domain is its path: the two racks "r1" above are two domains.
// Domains and servers are numbered depth first, so the servers of any domain are one contiguous
// range of ids.
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/base/id_range.hpp"
#include "zonecut/topology/fabric_spec.hpp"

namespace zonecut {

struct Domain {
  std::string name;                ///< unique among its siblings
  int level = 0;                   ///< index into Cluster::levels()
  std::optional<DomainId> parent;  ///< none for the cluster itself
  std::vector<DomainId> children;  ///< empty for the innermost level
  std::size_t first_server = 0;
  std::size_t server_count = 0;
  [[nodiscard]] IdRange<ServerId> servers() const noexcept { return {first_server, server_count}; }
};

struct Server {
  std::string name;  ///< unique in the cluster
  DomainId rack;     ///< its innermost domain, whatever that level is called
  int gpus = 8;
  /// Servers with equal numbers share one scale-up (NVLink) domain larger than a server, such as
  /// the 18 of an NVL72.
  std::optional<std::uint32_t> scale_up;
};

class Cluster {
 public:
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  /// Names of the levels, outermost first; levels()[0] is always "cluster".
  [[nodiscard]] std::span<const std::string> levels() const noexcept { return levels_; }
  [[nodiscard]] std::optional<int> find_level(std::string_view name) const;
  [[nodiscard]] int rack_level() const noexcept { return static_cast<int>(levels_.size()) - 1; }
  /// The level whose borders the cut counts: the AI Zones.
  [[nodiscard]] int zone_level() const noexcept { return zone_level_; }

  [[nodiscard]] static constexpr DomainId root() noexcept { return DomainId{0}; }
  [[nodiscard]] std::size_t domain_count() const noexcept { return domains_.size(); }
  /// All domains depth first, the cluster itself first: a parent comes before its children.
  [[nodiscard]] IdRange<DomainId> domain_ids() const noexcept { return {0, domain_count()}; }
  [[nodiscard]] const Domain& domain(DomainId id) const { return domains_[id]; }
  /// All domains of one level, in depth-first order.
  [[nodiscard]] std::span<const DomainId> domains_at(int level) const {
    return by_level_.at(static_cast<std::size_t>(level));
  }
  /// Position of a domain within domains_at(its level).
  [[nodiscard]] std::size_t position_in_level(DomainId id) const { return position_[id]; }
  [[nodiscard]] DomainId ancestor(DomainId id, int level) const;
  /// "building1/zone-a/rack3"; empty for the cluster.
  [[nodiscard]] std::string path(DomainId id) const;
  /// By full path, or by a name or path suffix that only one domain has; never the cluster itself.
  /// O(domains).
  [[nodiscard]] std::optional<DomainId> find_domain(std::string_view path_or_unique_name) const;

  [[nodiscard]] std::size_t server_count() const noexcept { return servers_.size(); }
  [[nodiscard]] IdRange<ServerId> server_ids() const noexcept { return {0, server_count()}; }
  [[nodiscard]] std::size_t gpu_count() const noexcept { return gpu_offset_.back(); }
  [[nodiscard]] const Server& server(ServerId id) const { return servers_[id]; }
  [[nodiscard]] DomainId domain_of(ServerId id, int level) const {
    return ancestor(servers_[id].rack, level);
  }
  [[nodiscard]] std::optional<ServerId> find_server(std::string_view name) const;
  /// The position of a GPU in a table over all GPUs of the cluster, servers in order.
  [[nodiscard]] std::size_t gpu_position(GpuId id) const {
    return gpu_offset_[id.server.index()] + static_cast<std::size_t>(id.index);
  }
  /// The innermost level at which two servers share a domain: rack_level() in one rack, 0 if only
  /// the cluster is common.
  [[nodiscard]] int common_level(ServerId a, ServerId b) const;

  [[nodiscard]] const FabricSpec& backend() const noexcept { return backend_; }
  /// The network for ingestion, checkpoints and logs, where it is described; training traffic never
  /// uses it.
  [[nodiscard]] const std::optional<FabricSpec>& frontend() const noexcept { return frontend_; }

 private:
  friend class ClusterBuilder;
  struct NameHash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const noexcept {
      return std::hash<std::string_view>{}(text);
    }
  };
  std::string name_;
  std::vector<std::string> levels_;
  int zone_level_ = 1;
  IdMap<DomainId, Domain> domains_;
  std::vector<std::vector<DomainId>> by_level_;
  IdMap<DomainId, std::size_t> position_;
  IdMap<ServerId, Server> servers_;
  std::vector<std::size_t> gpu_offset_;
  std::unordered_map<std::string, ServerId, NameHash, std::equal_to<>> server_by_name_;
  FabricSpec backend_;
  std::optional<FabricSpec> frontend_;
};

/// Collects servers in any order and builds the cluster. Children keep the order in which they were
/// first seen.
class ClusterBuilder {
 public:
  static constexpr std::size_t kMostGpus = std::size_t{1} << 24;
  /// `levels` without "cluster", outermost first, one to six names.
  ClusterBuilder(std::string name, std::vector<std::string> levels);
  /// Default: the level called "zone", else the one above the innermost; of a single level that
  /// one.
  ClusterBuilder& zone_level(std::string_view name);
  ClusterBuilder& backend(FabricSpec spec);
  ClusterBuilder& frontend(FabricSpec spec);
  /// `path` has one name per level. Throws InputError on a server name that was added before, and
  /// where there are more than kMostGpus.
  ClusterBuilder& add_server(std::span<const std::string> path, std::string name, int gpus,
                             std::optional<std::uint32_t> scale_up = std::nullopt);
  /// A domain without servers, so that an empty rack keeps its place. `path` may stop above the
  /// innermost level.
  ClusterBuilder& add_domain(std::span<const std::string> path);
  /// Throws InputError when there is no server, zone_level() names no level, or a fabric
  /// specification does not have one tier per level. May be called again. O(servers + domains).
  [[nodiscard]] Cluster build();

 private:
  struct Node {
    std::string name;
    std::vector<std::size_t> children;
    std::unordered_map<std::string, std::size_t> child_by_name;
    std::vector<Server> servers;
  };
  std::size_t node_at(std::span<const std::string> path);

  std::string name_;
  std::vector<std::string> levels_;
  std::optional<std::string> zone_level_;
  std::optional<FabricSpec> backend_;
  std::optional<FabricSpec> frontend_;
  std::vector<Node> nodes_{1};
  std::unordered_set<std::string> seen_servers_;
  std::size_t gpus_ = 0;
};

}  // namespace zonecut
