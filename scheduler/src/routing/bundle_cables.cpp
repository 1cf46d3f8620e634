#include "routing/bundle_cables.hpp"

#include <algorithm>

namespace zonecut {
namespace {

/// A capacity split to the last byte per second leaves cables that differ by one.
bool same_capacity(BytesPerSecond a, BytesPerSecond b) {
  return a.count - b.count <= 1 && b.count - a.count <= 1;
}

}  // namespace

BundleCables::BundleCables(const Fabric& fabric) : classes_(fabric.cluster().domain_count()) {
  for (const Link& link : fabric.links()) {
    const auto* lower = std::get_if<SwitchId>(&link.lower);
    if (lower == nullptr || link.capacity.count == 0) continue;
    std::vector<Class>& classes = classes_[fabric.switches()[lower->index()].place.domain];
    const BytesPerSecond cable{link.capacity.count / link.cables};
    const auto known = std::find_if(classes.begin(), classes.end(),
                                    [&](const Class& c) { return same_capacity(c.cable, cable); });
    if (known != classes.end()) {
      known->cables += link.cables;
    } else {
      classes.push_back({link.cables, cable});
    }
  }
}

std::vector<HashedBundle> BundleCables::spread(DomainId domain, double bytes,
                                               double squares) const {
  double all = 0;
  for (const Class& c : classes_[domain]) all += static_cast<double>(c.cables);
  std::vector<HashedBundle> bundles;
  for (const Class& c : classes_[domain]) {
    const double share = static_cast<double>(c.cables) / all;
    bundles.push_back({c.cables, c.cable, bytes * share, squares * share});
  }
  return bundles;
}

}  // namespace zonecut
