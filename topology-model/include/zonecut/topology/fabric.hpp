#pragma once
// The fabric as a graph: servers, switches and the links between them, with failures applied.
// Immutable once built, so any number of threads may read one. A link is bidirectional and stored
// once; its capacity is per direction. Building is linear in the links (164,000 of them at 16,384
// servers). Borrows the cluster, which must outlive it; names are made when they are asked for.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "zonecut/base/id.hpp"
#include "zonecut/topology/cluster.hpp"
#include "zonecut/topology/state.hpp"

namespace zonecut {

using Endpoint = std::variant<ServerId, SwitchId>;

struct Switch {
  SwitchRef place;
  int level = 0;  ///< level of its domain
  bool up = true;
};

/// All cables between one pair of neighbours.
struct Link {
  Endpoint lower;
  SwitchId upper;
  /// Level of the lower endpoint's domain; servers are one below the innermost level, so
  /// levels().size() for their links.
  int level = 0;
  int cables = 1;
  BytesPerSecond nominal;   ///< all cables, per direction, undamaged
  BytesPerSecond capacity;  ///< what failures have left of it; 0 when down
};

/// The shortest up-down paths between two servers: all that a hash may choose from. From a server
/// to itself there is one path without hops.
struct EqualCostPaths {
  /// The links of one direction, by hop: hops[0] leave the source, the last ones enter the target.
  /// A link appears once.
  std::vector<std::vector<LinkId>> hops;
  /// The number of distinct paths; saturates. Cables between two switches count one by one. The
  /// cables of a server to one leaf count once, since a sender picks its NIC without a hash.
  std::uint64_t count = 0;
  BytesPerSecond bottleneck;  ///< least total capacity of a hop
};

class Fabric {
 public:
  /// Throws InputError where `health` names what the specification does not have, or the
  /// specification is out of range. A failed switch takes all its links with it; a server that is
  /// down keeps its own.
  [[nodiscard]] static Fabric build(const Cluster& cluster, const FabricSpec& spec,
                                    const Health& health);
  static Fabric build(const Cluster&&, const FabricSpec&, const Health&) = delete;
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;
  Fabric(Fabric&&) noexcept;
  Fabric& operator=(Fabric&&) noexcept;
  ~Fabric();

  [[nodiscard]] const Cluster& cluster() const;  ///< that it was built for
  [[nodiscard]] const FabricSpec& spec() const;  ///< what it was built from
  [[nodiscard]] std::span<const Link> links() const;
  [[nodiscard]] std::span<const Switch> switches() const;
  /// Ascending; the links that lead up come before those that lead down.
  [[nodiscard]] std::span<const LinkId> links_of(Endpoint endpoint) const;
  [[nodiscard]] std::string name(Endpoint endpoint) const;
  [[nodiscard]] std::string name(LinkId link) const;  ///< "zone-a/CTSW-3 > ATSW-1"

  /// Capacity of all working links from a domain up into the tier above, per direction; 0 for the
  /// cluster itself. Looks at this tier only: the uplinks of a switch count even where failures
  /// below or above it leave nothing to send through them.
  [[nodiscard]] BytesPerSecond uplink_capacity(DomainId domain) const;
  [[nodiscard]] BytesPerSecond nominal_uplink_capacity(DomainId domain) const;
  /// Capacity of a server's NICs into the backend.
  [[nodiscard]] BytesPerSecond injection_capacity(ServerId server) const;
  /// NIC bandwidth below over capacity above; none for the cluster, and where no link works.
  [[nodiscard]] std::optional<double> oversubscription(DomainId domain) const;
  /// None when failures have parted the two. O(links met on the way).
  [[nodiscard]] std::optional<EqualCostPaths> equal_cost_paths(ServerId from, ServerId to) const;

 private:
  struct Impl;
  explicit Fabric(std::unique_ptr<const Impl> impl);
  std::unique_ptr<const Impl> impl_;
};

}  // namespace zonecut
