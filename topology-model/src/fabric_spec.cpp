#include "zonecut/topology/fabric_spec.hpp"

#include "zonecut/base/error.hpp"

namespace zonecut {

FabricSpec FabricSpec::clos(std::span<const std::string> levels, int zone_level,
                            double oversubscription) {
  ZONECUT_ENSURES(!levels.empty() && zone_level >= 0 &&
                  zone_level < static_cast<int>(levels.size()));
  FabricSpec spec;
  const int rack_level = static_cast<int>(levels.size()) - 1;
  for (int level = 0; level <= rack_level; ++level) {
    TierSpec tier;
    const bool zone_is_rack = zone_level == rack_level;
    if (level == rack_level) {
      tier.switch_name = "RTSW";
      tier.oversubscription = zone_is_rack ? oversubscription : 1;
      tier.latency = Seconds{1e-6};
    } else if (level == zone_level) {
      tier.switch_name = "CTSW";
      tier.oversubscription = oversubscription;
      tier.latency = Seconds{7e-6};
    } else if (level > zone_level) {
      tier.switch_name = "FTSW";  // between rack and zone: one more non-blocking stage
      tier.oversubscription = 1;
      tier.latency = Seconds{4e-6};
    } else {
      tier.switch_name = level == zone_level - 1 ? "ATSW" : "core" + std::to_string(level);
      tier.oversubscription = level == 0 ? 0 : oversubscription;
      tier.latency = level == zone_level - 1 ? Seconds{15e-6} : Seconds{30e-6};
    }
    if (level < rack_level) tier.switches = 4;
    tier.uplinks = level == 0 ? 0 : 4;
    spec.tiers.push_back(tier);
  }
  return spec;
}

}  // namespace zonecut
