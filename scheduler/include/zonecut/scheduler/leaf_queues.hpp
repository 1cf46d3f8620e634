#pragma once
// Whether an incast outgrows the packet memory of the leaf that its receivers stand on. A leaf's
// port to a NIC is the last hop: what several senders send to one receiver meets there at the
// latest. Not for the queues of higher tiers, and not for what an overflow costs.
//
// With messages of m_i bytes on the way to one port, each from one sender and at the rate of the
// port at most, and with W bytes of each admitted at a time, the port's queue never holds more than
//
//   min( sum of min(m_i, W),  sum of m_i - the largest m_i )
//
// The first: no more is under way. The second: for as long as the queue lasts the port sends, and
// no faster does the largest message arrive. A single sender leaves nothing to queue.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// A leaf, or one port of it, to which more bytes may come than it has memory for.
struct QueueOverflow {
  SwitchId leaf;
  /// The port's NIC, from 0, and its server; none where all ports of the leaf together are meant.
  struct Port {
    ServerId server;
    std::size_t nic = 0;
    friend constexpr auto operator<=>(const Port&, const Port&) = default;
  };
  std::optional<Port> port;
  Bytes queued;                   ///< at most, at the worst moment
  Bytes memory;                   ///< what there is for it
  std::vector<RankId> receivers;  ///< ascending: those whose bytes stand there
};

struct PhaseOverflows {
  std::string phase;
  std::vector<QueueOverflow> overflows;  ///< leaf by leaf, a leaf before its ports
  /// The largest admission window with which none is left. 0 where no window is small enough;
  /// without meaning where nothing overflows.
  Bytes fitting_window;
};

/// Of every phase; empty where the leaves' tier says neither `buffer` nor `port_buffer`. All
/// receivers of a leaf are taken to have their worst moment at once, and of several planes one to
/// carry everything. `servers` by vertex; `window` as for incast_of(), none for whole messages.
/// O(links + flows), but O(members) for an all-to-all of equal shares.
[[nodiscard]] std::vector<PhaseOverflows> overflows_of(const Cluster& cluster, const Fabric& fabric,
                                                       const Traffic& traffic,
                                                       std::span<const ServerId> servers,
                                                       std::optional<Bytes> window);

/// How many receivers have bytes in any of these queues.
[[nodiscard]] std::size_t receivers_in(const PhaseOverflows& phase);

/// The one with most bytes beyond its memory, then the first; none without overflows.
[[nodiscard]] const QueueOverflow* worst(const PhaseOverflows& phase);

/// "zone-a/r1/RTSW-1", "zone-a/r1/RTSW-1, port to NIC 3 of s1".
[[nodiscard]] std::string queue_name(const Cluster& cluster, const Fabric& fabric,
                                     const QueueOverflow& overflow);

/// "ep: queues to 16 receivers may overflow; at most 8.52 GB at zone-a/r1/RTSW-1, which holds 113
/// MB": the worst one of a phase that has any.
[[nodiscard]] std::string overflow_text(const Cluster& cluster, const Fabric& fabric,
                                        const PhaseOverflows& phase);

}  // namespace zonecut
