#pragma once
// The working cables above each domain, those of one capacity together: what hashed flows spread
// over.
#include <cstdint>
#include <span>
#include <vector>

#include "routing/hashed_time.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

class BundleCables {
 public:
  struct Class {
    std::int64_t cables = 0;
    BytesPerSecond cable;  ///< of one; those that differ by rounding only count as equal
  };
  /// O(links).
  explicit BundleCables(const Fabric& fabric);
  [[nodiscard]] std::span<const Class> above(DomainId domain) const { return classes_[domain]; }

  /// A load on the cables above a domain, split over them as a hash does: evenly by cable, whatever
  /// each can carry. Nothing where no cable works.
  [[nodiscard]] std::vector<HashedBundle> spread(DomainId domain, double bytes,
                                                 double squares) const;

 private:
  IdMap<DomainId, std::vector<Class>> classes_;
};

}  // namespace zonecut
