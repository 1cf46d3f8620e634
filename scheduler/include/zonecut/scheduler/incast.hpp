#pragma once
// How many senders meet at each receiver of a phase, and how many bytes they may have under way to
// it at a time. The time of a phase does not follow from that: a receiver's last hop carries the
// same bytes whoever sends them. Whether buffers hold what waits there: leaf_queues.hpp.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/cluster.hpp"

namespace zonecut {

/// A GPU that receives over the fabric.
struct Receiver {
  RankId rank;
  ServerId server;
  std::size_t senders = 0;  ///< at a time, over the fabric: the degree of the incast
  Bytes in_flight;          ///< at most, of all of them
};

struct PhaseIncast {
  std::string phase;
  std::vector<Receiver> receivers;  ///< ascending; those that receive over NVLink only are left out
};

/// Of every phase, with `window` bytes of a connection admitted at a time, or whole messages
/// without. Each channel of a ring is a connection of its own. A message is what one step sends: a
/// ring's bytes over its steps, a pipeline's over its messages, an all-to-all's over how often it
/// runs, a tree's edge as a whole. All neighbours in rings, trees and pipelines send at a time, and
/// all members of a linear all-to-all; in a pairwise one a single member. `servers` by vertex.
/// O(flows), but O(members) for an all-to-all of equal shares.
[[nodiscard]] std::vector<PhaseIncast> incast_of(const Cluster& cluster, const Traffic& traffic,
                                                 std::span<const ServerId> servers,
                                                 std::optional<Bytes> window);

/// The one with most bytes in flight, then most senders, then the first; none without receivers.
[[nodiscard]] std::optional<Receiver> worst(const PhaseIncast& phase);

}  // namespace zonecut
