#pragma once
// What it costs a job that the controller of central traffic engineering runs only from time to
// time: its flows have no rules until the first run, and flows that a failure breaks lose theirs
// until the next one.
#include <cstdint>
#include <optional>
#include <span>

#include "zonecut/scheduler/prediction.hpp"

namespace zonecut {

struct ControllerOutlook {
  std::int64_t rules = 0;           ///< of all switches: one for each flow that passes a switch
  std::int64_t most_rules = 0;      ///< of the switch that has most
  std::optional<SwitchId> fullest;  ///< that switch, the first of several; none without rules
  /// Communication of an iteration without rules, hashed as by EnhancedEcmp with the queue pairs of
  /// the routing. None where failures of some planes leave hashed flows no way.
  std::optional<Seconds> unruled;
  /// The same with the rules from before the failures (Routing::stale_rules), the mean over hash
  /// functions. None where nothing is broken, or as above.
  std::optional<Seconds> stale;
};

/// `routing` is Engineered. Throws InputError as predict() does. As long as a few predictions, and
/// with failures 1 to 32 more, the fewer the more flows there are.
[[nodiscard]] ControllerOutlook controller_outlook(const Fabric& fabric, const Traffic& traffic,
                                                   std::span<const ServerId> servers,
                                                   const Routing& routing,
                                                   const Background& background);

/// The most time that a job can lose before the controller's next run, which is at most a `period`
/// away: the part of it that a job which only communicates loses by taking `meanwhile` an iteration
/// instead of `engineered`.
[[nodiscard]] constexpr Seconds most_lost(Seconds period, Seconds meanwhile, Seconds engineered) {
  return meanwhile <= engineered ? Seconds{} : period * (1 - engineered.count / meanwhile.count);
}

}  // namespace zonecut
