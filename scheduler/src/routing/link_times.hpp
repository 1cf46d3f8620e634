#pragma once
// How long the links take for the loads of one phase, by the routing scheme.
#include <memory>

#include "routing/hashed_time.hpp"
#include "traffic_sums.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut {

class LinkTimes {
 public:
  LinkTimes() = default;
  LinkTimes(const LinkTimes&) = delete;
  LinkTimes& operator=(const LinkTimes&) = delete;
  virtual ~LinkTimes() = default;

  /// Looks at the loads of a phase, which stand in `sums`.
  virtual void begin_phase(const Phase& phase, const TrafficSums& sums) = 0;
  /// Of the busiest link of a bundle that carries `bytes` in this phase.
  [[nodiscard]] virtual Seconds busiest(std::uint32_t bundle, std::int64_t bytes) = 0;
  /// Of the busiest link of all.
  [[nodiscard]] virtual HashedSpan slowest() = 0;
};

/// Links above one domain, or the NICs of one server, with failures.
[[nodiscard]] BytesPerSecond capacity_of(const Fabric& fabric, const Bundle& bundle);

/// Borrows everything.
[[nodiscard]] std::unique_ptr<LinkTimes> link_times(const Cluster& cluster, const Fabric& fabric,
                                                    const Traffic& traffic,
                                                    std::span<const ServerId> servers,
                                                    const Routing& routing);

}  // namespace zonecut
