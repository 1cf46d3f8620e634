#pragma once
// Does the placement or the fabric explain that a job communicates so long? What was measured is
// taken apart: the job is predicted again and again, each time with one thing more of what is so.
// What is left is explained by nothing that was said of the cluster; counters may say where to look
// (nic_counters.hpp).
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {

/// In the order in which they are taken into account; each is what it adds to those before.
enum class Cause : std::uint8_t {
  Least,      ///< the best placement that is found on the empty, healthy cluster
  Room,       ///< the best among the servers that work and others leave
  Placement,  ///< the servers and order that the job has
  Routing,    ///< flows that collide, as they do not spread evenly
  /// Links and switches that are broken, collisions on what they leave among it. Below 0 where
  /// flows that are hashed anew happen to collide less.
  Failures,
  OtherJobs,    ///< what others send over the same links
  Unexplained,  ///< the rest of what was measured; below 0 where it is less than predicted
};
[[nodiscard]] std::string_view cause_name(Cause cause);     ///< "least", "other-jobs", …
[[nodiscard]] std::string_view cause_summary(Cause cause);  ///< for people

struct CauseShare {
  Cause cause = Cause::Least;
  Seconds seconds;
};

struct Attribution {
  Seconds measured;                ///< communication per iteration
  Seconds predicted;               ///< for the setting as it is
  Seconds predicted_low;           ///< where flows are hashed, one launch in ten is faster
  Seconds predicted_high;          ///< one launch in ten is slower
  std::vector<CauseShare> shares;  ///< one of each cause; their sum is `measured`
};

/// The asked job runs where it is settled, on servers that work or not. NoFit where failures leave
/// it without a path: then it cannot have been measured in this setting. Throws InputError as
/// predict() does. O(two placements + four predictions).
[[nodiscard]] std::variant<Attribution, NoFit> attribute(const Setting& setting,
                                                         const SettledJob& job,
                                                         std::span<const SettledJob> others,
                                                         Seconds measured,
                                                         const PlacementOptions& options);

/// What adds most to the least; Least where the measured time is no more than a hundredth above
/// it.
[[nodiscard]] Cause main_cause(const Attribution& attribution);

}  // namespace zonecut
