#pragma once
// How much of a job each server, domain and cluster can take under the constraints. Vertices are a
// server's worth of ranks.
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/slot_tree.hpp"
#include "zonecut/scheduler/background.hpp"
#include "zonecut/scheduler/request.hpp"
#include "zonecut/topology/fabric.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

using Room = IdMap<ServerId, int>;

/// A slice in vertices. Outermost first in every list of them.
struct VertexSlice {
  int level = 0;
  std::size_t vertices = 0;
};

/// Room under health, occupancy and the constraints that forbid single servers, before a spread
/// leaves some out (cap_spread()). Of an allocation that exists, exactly `vertices` places, one at
/// least on each server, unless it has too few places or too many servers. O(GPUs).
[[nodiscard]] Room room_under(const ClusterView& view, const Constraints& constraints,
                              std::size_t ranks_per_server, std::size_t vertices);

using Reach = IdMap<ServerId, int>;

/// The outermost level each server reaches over bundles of links that keep more than `least_share`
/// of their capacity, less what other jobs take of it in the mean; 0 asks only that they carry
/// something. O(servers + domains).
[[nodiscard]] Reach reach_over(const Fabric& fabric, double least_share,
                               const Background& background = {});

/// Links that a job may be better off with than with all that carry anything.
struct BetterLinks {
  const char* name;  ///< "sound links only"
  Reach reach;
};
/// Over links that keep half of their capacity, those that keep all but a twentieth, and the same
/// less what other jobs take; those alone that differ from `any`, what the servers reach over all
/// links, and from each other.
[[nodiscard]] std::vector<BetterLinks> better_links(const Fabric& fabric,
                                                    const Background& background, const Reach& any);

/// The room that a job inside one domain of `level` can use: servers that do not reach that level
/// have none.
[[nodiscard]] Room room_reaching(const Room& room, const Reach& reach, int level);

/// Sorted outermost first. Throws InputError when slices do not nest, or the job or a server's
/// ranks do not divide into them.
[[nodiscard]] std::vector<VertexSlice> vertex_slices(const Cluster& cluster,
                                                     const Constraints& constraints,
                                                     std::size_t ranks_per_server,
                                                     std::size_t vertices);

/// Room of one domain without slices.
[[nodiscard]] std::size_t room_in(const Cluster& cluster, const Room& room, DomainId domain);

/// Vertices a domain can take when they come in these slices; those of outer levels do not matter
/// to it.
[[nodiscard]] std::size_t sliced_room_in(const Cluster& cluster, const Room& room, DomainId domain,
                                         std::span<const VertexSlice> slices);

/// Where vertices may go under one domain: the tree for the mapper and the server of each slot.
/// Domains without room are left out. Scale-up domains smaller than their rack, and servers with
/// room for several vertices, become levels of their own.
struct RoomTree {
  SlotTree tree;
  std::vector<ServerId> server_of_slot;
};
[[nodiscard]] RoomTree room_tree(const Cluster& cluster, const Room& room, DomainId under);

/// The tree whose leaves are the domains of `leaf_level` under `under`, with the given number of
/// slots each, none left out unless it has no slot.
struct DomainTree {
  SlotTree tree;
  std::vector<DomainId> domain_of_slot;
};
[[nodiscard]] DomainTree domain_tree(const Cluster& cluster, DomainId under, int leaf_level,
                                     const std::vector<std::uint32_t>& slots_of_domain);

}  // namespace zonecut
