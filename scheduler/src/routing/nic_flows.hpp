#pragma once
// The flows of a phase between NICs, for routing schemes that ask where each one goes.
#include <cstdint>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/routing.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// NIC n of a server is number server·nics_per_server + n.
struct NicFlow {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  double bytes = 0;
  std::uint32_t round = kNoRound;  ///< number in rounds_of() its phase
  bool stepwise = false;           ///< no other round is under way beside its own
  /// The two NICs as the job numbers them, wherever it stands: vertex·nics_per_server + n of the
  /// sender in the upper half, of the receiver in the lower one.
  std::uint64_t connection = 0;
  static constexpr std::uint32_t kNoRound = ~std::uint32_t{0};
};

/// In how many parts, each on a path of its own, what one NIC sends to another goes: at least one
/// in every plane, but that a controller gives it one path in all.
[[nodiscard]] constexpr int flows_of_a_pair(const Routing& routing, int planes) {
  if (routing.scheme == RoutingScheme::Engineered) return 1;
  const int queue_pairs = routing.scheme == RoutingScheme::EnhancedEcmp ? routing.queue_pairs : 1;
  return queue_pairs > planes ? queue_pairs : planes;
}

/// Whether times of many flows are means over hash functions, by distribution.
[[nodiscard]] constexpr bool goes_by_distribution(const Routing& routing) {
  return !routing.hash_seed &&
         (routing.scheme == RoutingScheme::Ecmp || routing.scheme == RoutingScheme::EnhancedEcmp);
}

/// More than this many in one phase are refused: gigabytes, and so many flows balance themselves.
inline constexpr std::size_t kMostNicFlows = 4'000'000;

/// A rank uses the NIC of its GPU (RankNics::own). A ring, tree or broadcast over several ranks
/// of each server uses the NICs of all of them, one channel each, as NCCL does. On rails the sender
/// hands the bytes over NVLink to the GPU whose NIC lies on the receiver's rail (PXN), where a rank
/// of the job runs on it. What stays on NVLink is left out. Flows of rounds come round by round,
/// after the others. Throws InputError past kMostNicFlows. O(flows).
[[nodiscard]] std::vector<NicFlow> nic_flows(const Fabric& fabric, const Traffic& traffic,
                                             const Phase& phase, std::span<const ServerId> servers);

/// How many flows a phase has between servers' worth of ranks, wherever these stand: what
/// nic_flows() lists where each has a server of its own, and the pairs of an all-to-all that have
/// nothing to send. Counts no further than `enough`. O(members · log).
[[nodiscard]] double count_nic_flows(const Traffic& traffic, const Phase& phase, int nics,
                                     double enough);

/// How many channels a group's flow between two servers is split into: 1 but in rings, trees and
/// broadcasts, and so in all that has_rounds().
[[nodiscard]] std::size_t channels_of(const Traffic& traffic, const Group& group, int nics);

}  // namespace zonecut
