#pragma once
// Whether an incast overflows the packet memory of the leaf above its receivers. What several
// senders send to one receiver meets at the leaf's port to the receiver's NIC, the last hop, at the
// latest. Not for queues in higher tiers, nor for what an overflow costs.
//
// With messages of m_i bytes under way to one port, each from one sender that is no faster than the
// port, and with W bytes of each admitted at a time, the port's queue never holds more than
//
//   min( sum of min(m_i, W),  sum of m_i - the largest m_i )
//
// The first, since no more is under way. The second, since the port sends as long as there is a
// queue, and so sends at least as much as arrives of the largest message. A single sender fills no
// queue.
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

/// The possible overflows of every phase; empty where the leaves' tier says neither `buffer` nor
/// `port_buffer`. Worst case: all receivers of a leaf have their longest queue at once, and one
/// plane carries everything. `servers` by vertex; `window` as for incast_of(). O(links + flows),
/// but O(members) for an all-to-all of equal shares.
[[nodiscard]] std::vector<PhaseOverflows> overflows_of(const Fabric& fabric, const Traffic& traffic,
                                                       std::span<const ServerId> servers,
                                                       std::optional<Bytes> window);

/// How many receivers have bytes in any of these queues.
[[nodiscard]] std::size_t receivers_in(const PhaseOverflows& phase);

/// The one with most bytes beyond its memory, then the first; none without overflows.
[[nodiscard]] const QueueOverflow* worst(const PhaseOverflows& phase);

/// "zone-a/r1/RTSW-1", "zone-a/r1/RTSW-1, port to NIC 3 of s1".
[[nodiscard]] std::string queue_name(const Fabric& fabric, const QueueOverflow& overflow);

/// "ep: queues to 16 receivers may overflow; at most 8.52 GB at zone-a/r1/RTSW-1, which holds 113
/// MB": the worst one of a phase that has any.
[[nodiscard]] std::string overflow_text(const Fabric& fabric, const PhaseOverflows& phase);

}  // namespace zonecut
