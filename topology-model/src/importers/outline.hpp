#pragma once
// What every reader produces: the levels, the domains and the servers of a foreign topology, each
// with the place it came from. Turning it into a Cluster, with all the checks that do not depend on
// the format, is done once, in assemble().
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/topology/import.hpp"

namespace zonecut::importers {

/// As many as a host list may name; a file with more is a mistake or an attack.
inline constexpr std::size_t kMaxServers = 1'000'000;
/// Switches or blocks of a source, as a cluster file may have domains.
inline constexpr std::size_t kMaxDomains = 1'000'000;
/// A cluster has at most six levels below itself.
inline constexpr std::size_t kMaxLevels = 6;

using DomainPath = std::vector<std::string>;  ///< outermost first, without the cluster

struct ServerEntry {
  DomainPath path;  ///< one name per level
  std::string name;
  int gpus = 0;          ///< 0: the source does not say
  std::string scale_up;  ///< name of its scale-up domain; empty: none
  std::string where;     ///< for messages
};

struct Outline {
  enum class Order {
    AsListed,  ///< the source has an order that means something
    Natural,   ///< sort domains and servers by name, "rack2" before "rack10"
  };
  std::string name;  ///< of the cluster, when the source has one
  std::vector<std::string> levels;
  Order order = Order::Natural;
  std::vector<DomainPath> domains;  ///< those that may be empty, or whose order counts
  std::vector<ServerEntry> servers;
  LeafWiring leaves = LeafWiring::Rack;
  /// Replaces what is assumed about the fabric by what the source shows; it gets one tier for the
  /// cluster and one for each level. Empty: the source shows nothing.
  std::function<void(FabricSpec&)> measure;
};

/// Why a domain cannot be called that; empty when it can. Control characters could rewrite a
/// terminal, and a slash would make a path ambiguous.
[[nodiscard]] std::string_view fault_of_domain_name(std::string_view name);
/// A name as a message may show it.
[[nodiscard]] std::string shown(std::string_view name);

/// Checks names, finds servers that are listed twice, sorts where the source has no order, and
/// builds the cluster. Adds its findings to `problems` and throws InputError with all of them.
/// O(n log n) in the servers.
[[nodiscard]] Cluster assemble(Outline outline, const ImportOptions& options,
                               const std::string& source, ProblemList& problems);

/// Names for the levels of a source that does not name its own: rack; zone, rack; and "level-1",
/// "level-2" for what lies outside the zones.
[[nodiscard]] std::vector<std::string> neutral_levels(std::size_t count);

/// An empty name takes over the nearest one inside it, else the nearest outside it, so that a tree
/// of uneven depth gets an inserted level. At least one name must not be empty.
void fill_gaps(DomainPath& path);

/// The names of a host list; a mistake goes to `problems` and gives none. `budget` is how many more
/// servers the file may name, and is reduced.
[[nodiscard]] std::vector<std::string> hosts_of(std::string_view list, const std::string& where,
                                                std::size_t& budget, ProblemList& problems);

}  // namespace zonecut::importers
