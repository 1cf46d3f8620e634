#pragma once
// What it means for a job that the controller of central traffic engineering runs only every so
// often: flows have no rules until it has run for the first time, and those that failures break
// lose theirs until it runs again.
#include <cstdint>
#include <optional>
#include <span>

#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

struct ControllerOutlook {
  std::int64_t rules = 0;           ///< entries of all switches: one for each flow that passes one
  std::int64_t most_rules = 0;      ///< of one switch
  std::optional<SwitchId> fullest;  ///< the first that has so many; none without rules
  /// Communication of an iteration without rules, hashed as by EnhancedEcmp with the queue pairs of
  /// the routing. None where failures of some planes leave hashed flows no way.
  std::optional<Seconds> unruled;
  /// The same with the rules from before the failures (Routing::stale_rules), the mean over hash
  /// functions. None where nothing is broken, or as above.
  std::optional<Seconds> stale;
};

/// `placed` is predicted for Routing::Engineered. Throws InputError as predict() does. The time of
/// a few predictions, and with failures of 1 to 32, the fewer the more flows there are.
[[nodiscard]] ControllerOutlook controller_outlook(const Cluster& cluster, const Fabric& fabric,
                                                   const Traffic& traffic,
                                                   std::span<const ServerId> servers,
                                                   const Routing& routing,
                                                   const Background& background);

/// What a job loses at most before the controller's next run, which is at most a period away: the
/// share of the period by which communication takes longer. A job that also computes loses less.
[[nodiscard]] constexpr Seconds most_lost(Seconds period, Seconds meanwhile, Seconds engineered) {
  return meanwhile <= engineered ? Seconds{} : period * (1 - engineered.count / meanwhile.count);
}

}  // namespace zonecut
