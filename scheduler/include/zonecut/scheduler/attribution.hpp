#pragma once
// Why a job communicates as long as it was measured to: its placement, the fabric, or neither. The
// job is predicted several times, first in the best case and then with one more fact of the setting
// at a time; each fact explains what it adds. The rest of the measured time is unexplained by what
// is known of the cluster; NIC counters may say where to look (nic_counters.hpp).
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {

/// In the order in which they are taken into account: the seconds of a cause are what it adds to
/// those before it.
enum class Cause : std::uint8_t {
  Least,      ///< the best placement found on the empty, healthy cluster
  Room,       ///< the best placement on working servers that no other job holds
  Placement,  ///< the servers and rank order that the job has
  Routing,    ///< flows that collide instead of spreading evenly
  /// Failed links and switches, with the collisions on the links that are left. Negative where
  /// flows that are hashed anew happen to collide less.
  Failures,
  OtherJobs,    ///< what other jobs send over the same links
  Unexplained,  ///< the rest; negative where less was measured than predicted
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
  Seconds predicted_low;           ///< where flows are hashed: one launch in ten is faster
  Seconds predicted_high;          ///< where flows are hashed: one launch in ten is slower
  std::vector<CauseShare> shares;  ///< one of each cause; their sum is `measured`
};

/// `job` runs on its servers, whether these are up or not; `measured` is above 0. NoFit where
/// failed links leave it without a path: then it cannot have been measured in this setting. Throws
/// InputError as predict() does. As long as two placements and four predictions.
[[nodiscard]] std::variant<Attribution, NoFit> attribute(const Setting& setting,
                                                         const SettledJob& job,
                                                         std::span<const SettledJob> others,
                                                         Seconds measured,
                                                         const PlacementOptions& options);

/// The cause that adds most to Least; Least itself where the measured time is at most 1 % above it.
[[nodiscard]] Cause main_cause(const Attribution& attribution);

}  // namespace zonecut
