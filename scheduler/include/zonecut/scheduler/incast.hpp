#pragma once
// How many senders send to each receiver of a phase at a time, and how many bytes they may have
// under way to it. This changes no predicted time, since a receiver's last hop carries the same
// bytes whoever sends them; leaf_queues.hpp says whether the buffers there can hold what waits.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/fabric.hpp"

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

/// The incast of every phase; `servers` by vertex. A connection has one message under way at a
/// time, of which at most `window` bytes are admitted, if there is a window. A message is what one
/// step sends: a flow's bytes over Group::messages. Each channel of a ring is a connection of its
/// own, and there is one for each NIC into `fabric` at most. All neighbours in rings, trees and
/// pipelines send at the same time, and so do all members of a linear all-to-all; in a pairwise one
/// a single member sends to each. O(flows), but O(members) for an all-to-all of equal shares.
[[nodiscard]] std::vector<PhaseIncast> incast_of(const Fabric& fabric, const Traffic& traffic,
                                                 std::span<const ServerId> servers,
                                                 std::optional<Bytes> window);

/// The one with most bytes in flight, then most senders, then the first; none without receivers.
[[nodiscard]] std::optional<Receiver> worst(const PhaseIncast& phase);

}  // namespace zonecut
