#pragma once
// Numbers for bundles, so that a table over all of them is a plain vector. In the order in which
// Bundle compares: servers before domains, of each inward before outward. Footprint has them too.
#include <cstddef>
#include <variant>

#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

class BundleIndex {
 public:
  explicit BundleIndex(const Cluster& cluster)
      : servers_(cluster.server_count()), domains_(cluster.domain_count()) {}

  [[nodiscard]] std::size_t count() const noexcept { return 2 * (servers_ + domains_); }
  [[nodiscard]] std::size_t of(ServerId server, bool outward) const noexcept {
    return 2 * server.index() + (outward ? 1 : 0);
  }
  [[nodiscard]] std::size_t of(DomainId domain, bool outward) const noexcept {
    return 2 * (servers_ + domain.index()) + (outward ? 1 : 0);
  }
  [[nodiscard]] Bundle bundle(std::size_t number) const {
    const std::size_t place = number / 2;
    const bool outward = number % 2 == 1;
    if (place < servers_) return {ServerId{place}, outward};
    return {DomainId{place - servers_}, outward};
  }

 private:
  std::size_t servers_;
  std::size_t domains_;
};

}  // namespace zonecut
