#pragma once
// How long jobs that run side by side communicate. That follows from the links above a job's
// servers and above the domains that it passes, or may pass, and from what others send over these;
// so from one setting to another like it most figures stay as they are, and are not predicted
// again.
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

#include "zonecut/scheduler/what_if.hpp"

namespace zonecut {

struct Sender {
  std::shared_ptr<const RunningTraffic> running;
  std::shared_ptr<const Footprint> footprint;
};

struct SideBySide {
  std::shared_ptr<const Fabric> fabric;
  Routing routing;
  std::vector<std::optional<Sender>> senders;  ///< by job; none where it does not send
  /// By job: what it costs, or which failures part it; none where it does not run.
  std::vector<std::optional<std::variant<OrderFigures, NoFit>>> figures;
};

/// `servers[i]` are those of job i, by vertex, empty where it does not run. `before` is the same
/// jobs on the same cluster at another time, or null: the answer is the same with and without.
/// Throws InputError as predict() does. The time of two predictions for each job that something
/// has changed for.
[[nodiscard]] SideBySide side_by_side(std::shared_ptr<const Fabric> fabric, const Routing& routing,
                                      std::span<const SettledJob> jobs,
                                      std::span<const std::vector<ServerId>> servers,
                                      const SideBySide* before);

[[nodiscard]] OrderFigures figures_of(const Fabric& fabric, const Prediction& prediction);

/// By bundle, numbered by BundleIndex: whether any of its links works differently in one fabric
/// than in the other; inward and outward are alike. Both are built from one specification.
/// O(links).
[[nodiscard]] std::vector<bool> changed_bundles(const Fabric& before, const Fabric& after);

}  // namespace zonecut
