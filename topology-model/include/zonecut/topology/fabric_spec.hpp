#pragma once
// How the switches of a fabric are built and joined, tier by tier: a description, compact for any
// size. The vertices and links themselves are made by Fabric (fabric.hpp). One cluster may carry
// two: the backend and the frontend network.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "zonecut/base/units.hpp"

namespace zonecut {

/// Which leaf a server's NICs go to.
enum class LeafWiring {
  Rack,  ///< NICs are spread over the leaves of the rack (Meta: one RTSW, so all go there)
  Rail,  ///< NIC i goes to leaf i mod count, so a leaf is a rail (SuperPOD); the innermost domain
         ///< is then the scalable unit
};

/// The switches of every domain of one level, and what joins each of them to the tier above.
struct TierSpec {
  std::string switch_name = "switch";  ///< "RTSW", "CTSW", "ATSW"
  int switches = 1;                    ///< per domain of the level and per plane
  /// Cables from one switch to the switches of the tier above, all together; spread evenly, the
  /// first ones get the rest.
  int uplinks = 1;
  BytesPerSecond uplink_bandwidth{50'000'000'000};  ///< of one cable and direction
  /// When set, the capacity above a domain is the NIC bandwidth below it over this ratio, whatever
  /// uplink_bandwidth says. (Meta's 7:1 is counted this way: 3,072 GPUs of 400 Gbps over 21.9
  /// TB/s.)
  double oversubscription = 0;
  Seconds latency{1e-6};  ///< of one step whose highest tier is this one
  /// Packet memory of one switch, which all its ports share, and the most of it that one port may
  /// take. Of the innermost tier only: where neither is said, overflows are not looked for.
  std::optional<Bytes> buffer = std::nullopt;
  std::optional<Bytes> port_buffer = std::nullopt;  ///< at most `buffer`
  friend bool operator==(const TierSpec&, const TierSpec&) = default;
};

struct FabricSpec {
  int nics_per_server = 8;
  BytesPerSecond nic_bandwidth{
      50'000'000'000};  ///< of one NIC, all its plane ports together, per direction
  LeafWiring leaves = LeafWiring::Rack;
  int planes = 1;  ///< independent copies of all tiers; a NIC has one port in each
  /// By level of the cluster, cluster itself first: tiers[0] are the topmost switches, which have
  /// no uplinks.
  std::vector<TierSpec> tiers;
  /// NVLink or its like, per GPU and direction, inside a server or scale-up domain.
  BytesPerSecond scale_up_bandwidth{450'000'000'000};
  Seconds scale_up_latency{1e-6};
  friend bool operator==(const FabricSpec&, const FabricSpec&) = default;

  /// Meta's shape for these levels: RTSW 1:1, CTSW, then ATSW at `oversubscription` above the
  /// zones; higher tiers 1:1.
  [[nodiscard]] static FabricSpec clos(std::span<const std::string> levels, int zone_level,
                                       double oversubscription);
};

}  // namespace zonecut
