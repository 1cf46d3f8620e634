#pragma once
// From cables to domains. Servers that share their leaves form the innermost domains; these are
// joined, tier by tier, by the switches that lie further and further from the servers:
//
//   tier 3      core
//              /    \           domains of tier 2: {a, b} and {c}; tier 3 joins all, so it is
//   tier 2   s1      s2         the cluster itself
//           /  \      |
//   tier 1 l1  l2    l3         innermost domains: a, b, c
//          a    b    c
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "importers/ib_dump.hpp"

namespace zonecut::importers {

struct IbServer {
  std::string name;
  std::string where;
  int nics = 0;
  std::vector<std::size_t> leaves;  ///< sorted, each once
};

/// Servers by name, in the order of the dump. Adapters that name no server are left out.
[[nodiscard]] std::vector<IbServer> servers_of(const IbDump& dump);

/// How many cables each switch is away from the nearest adapter of a server: leaves 1; none where
/// no cable leads. O(cables).
[[nodiscard]] std::vector<std::optional<int>> tiers_of(const IbDump& dump);

/// The innermost domains, by number.
struct LeafGroups {
  std::size_t count = 0;
  std::vector<std::size_t> of_server;
  std::vector<std::optional<std::size_t>> of_switch;  ///< of leaves; each group has one or more
};

/// Servers with the same leaves are together. A server whose leaves are partly those of another
/// group joins the group that has most of them, if it has half: a dead cable or one in the wrong
/// port makes no domain of its own. O(cables log).
[[nodiscard]] LeafGroups leaf_groups(const std::vector<IbServer>& servers,
                                     std::size_t switch_count);

/// For each group, the number of the domain it belongs to when only switches up to `tier` are
/// there. Numbers are those of the first group in the domain.
[[nodiscard]] std::vector<std::size_t> joined_up_to(int tier, const IbDump& dump,
                                                    const std::vector<std::optional<int>>& tiers,
                                                    const std::vector<IbServer>& servers,
                                                    const LeafGroups& groups);

}  // namespace zonecut::importers
