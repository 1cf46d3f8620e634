#pragma once
// How the fabric chooses among equal-cost paths, and with how many flows the senders feed it.
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "zonecut/base/units.hpp"

namespace zonecut {

enum class RoutingScheme : std::uint8_t {
  Ideal,         ///< every byte spreads evenly over all working links: packet spraying at its best
  Ecmp,          ///< each switch hashes a pair's five-tuple: all its queue pairs take one path
  EnhancedEcmp,  ///< the hash takes in the queue pair: `queue_pairs` paths for each pair (E-ECMP)
  Pinned,        ///< the uplink has the index of the destination's port at its own leaf; a failed
                 ///< uplink's flows are hashed over the rest
  Engineered,    ///< a controller that knows the placement routes each flow (CSPF), link by link to
                 ///< the least load
};

struct Routing {
  RoutingScheme scheme = RoutingScheme::Ideal;
  int queue_pairs = 1;  ///< of one NIC to another, hashed apart by EnhancedEcmp; 1 to 1,024
  /// The hash functions of the switches: with a seed one launch is followed flow by flow; without,
  /// times are means over hash functions, drawn where flows are few, else by distribution.
  std::optional<std::uint64_t> hash_seed = std::nullopt;
  /// Receiver-driven admission: a sender has at most so many bytes of one connection under way, and
  /// waits for the receiver to clear more. Without, it sends what it has.
  std::optional<Bytes> admission_window = std::nullopt;
  /// Engineered only: the rules were made for the fabric without its failures, after which the
  /// controller has yet to run. Flows whose way is broken are hashed as by EnhancedEcmp.
  bool stale_rules = false;
  friend bool operator==(const Routing&, const Routing&) = default;
};

/// The names users write: ideal, ecmp, e-ecmp, pinned, te.
[[nodiscard]] std::string_view routing_name(RoutingScheme scheme);
[[nodiscard]] std::optional<RoutingScheme> find_routing(std::string_view name);
inline constexpr std::array kRoutingSchemes = {RoutingScheme::Ideal, RoutingScheme::Ecmp,
                                               RoutingScheme::EnhancedEcmp, RoutingScheme::Pinned,
                                               RoutingScheme::Engineered};
inline constexpr int kMostQueuePairs = 1024;
/// Whether it matters how many queue pairs there are.
[[nodiscard]] constexpr bool hashes_queue_pairs(RoutingScheme scheme) {
  return scheme == RoutingScheme::EnhancedEcmp || scheme == RoutingScheme::Engineered;
}

/// "ECMP", "E-ECMP, 4 queue pairs", for people.
[[nodiscard]] std::string describe(const Routing& routing);

}  // namespace zonecut
