#pragma once
// What a placement costs per iteration: bytes and seconds on every tier, and the link that binds.
// A phase takes latency · steps + the busiest link's bytes over its capacity. Phases follow each
// other; of each, the share that hides behind computation (Job::overlap) costs nothing. How busy a
// link is depends on the routing: with ideal balancing all links above a domain share its load
// evenly; for hashed flows the mean over hash functions counts; pinned and engineered flows are
// routed one by one.
#include <optional>
#include <string>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/background.hpp"
#include "zonecut/scheduler/routing.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

/// All links of one direction above a server or a domain, taken together.
struct Bundle {
  std::variant<ServerId, DomainId> below;
  bool outward = true;  ///< up, into the tier above; else down
  friend constexpr auto operator<=>(const Bundle&, const Bundle&) = default;
};

struct BundleLoad {
  Bundle bundle;
  Bytes bytes;              ///< per iteration, all phases
  BytesPerSecond capacity;  ///< with failures
  Seconds time;             ///< of its busiest link; with ideal balancing bytes over capacity
};

struct PhasePrediction {
  std::string name;
  Bytes bytes;            ///< all flows, inside servers too
  Seconds latency;        ///< latency of its highest tier · steps
  Seconds transfer;       ///< of the slowest link, NVLink included; of hashed flows the mean
  Seconds transfer_low;   ///< one launch in ten is faster; equal to `transfer` unless hashed
  Seconds transfer_high;  ///< one launch in ten is slower
  Seconds admission;      ///< of the connection that waits longest for its receiver's window; 0
                          ///< without receiver-driven admission; at most `transfer`
  Seconds exposed;        ///< (latency + transfer)·(1 - overlap): what the iteration waits for
  /// The bundle that takes longest; `bytes` and `time` are those of this phase alone. None where
  /// nothing leaves a server or scale-up domain, or NVLink in one takes longer.
  std::optional<BundleLoad> binding;
};

struct Prediction {
  Routing routing;
  Seconds communication;  ///< sum of the phases' exposed times
  Seconds undisturbed;    ///< the same if no other job sent anything
  std::vector<PhasePrediction> phases;
  std::size_t binding_phase = 0;  ///< index of the phase with the largest exposed time
  /// Bytes by the innermost level that the two ends of a flow share: [0] only the cluster, …,
  /// [rack level] one rack, [rack level + 1] one server.
  std::vector<Bytes> bytes_by_level;
  /// Of these, what goes from server to server over NVLink, within scale-up domains that are larger
  /// than a server; by level, the last entry 0.
  std::vector<Bytes> scale_up_by_level;
  Bytes cross_zone;  ///< sum of zone_matrix off its diagonal
  /// From zone (row) to zone (column), zones by position in their level.
  std::vector<std::vector<Bytes>> zone_matrix;
  /// The load of every domain's bundle that carries anything, and of the one server's bundle that
  /// takes longest; longest time first, ties by bundle.
  std::vector<BundleLoad> loads;
};

/// "zone-b uplinks to ATSW (18 x 36 x 400 Gbps), outward"
[[nodiscard]] std::string bundle_name(const Fabric& fabric, const Bundle& bundle);

/// Failures have left some flows of an order without a path under its routing; under another, or in
/// another order, the job may run.
class PartedFlows : public InputError {
  using InputError::InputError;
};

/// A server or domain from which no working link leads up, though the job sends through it.
struct CutOff {
  std::variant<ServerId, DomainId> below;
  Bytes bytes;  ///< per iteration, of the busier direction
};
/// Ordered, servers first; empty where all ranks that must communicate can. As long as predict().
[[nodiscard]] std::vector<CutOff> cut_off(const Fabric& fabric, const Traffic& traffic,
                                          std::span<const ServerId> servers);

/// `servers[v]` holds ranks v·ranks_per_server onward. O(flows + domains), and O(flows · hops ·
/// ports) for pinned and engineered routing. Throws InputError when failures have cut a server that
/// must communicate off from the fabric (see cut_off()), or when there are too many flows to route
/// one by one; PartedFlows where some have no path.
[[nodiscard]] Prediction predict(const Fabric& fabric, const Traffic& traffic,
                                 std::span<const ServerId> servers, const Routing& routing = {},
                                 const Background& background = {});

/// How much `ours` slows down each job of the background, in their order. As long as two
/// predictions for each.
[[nodiscard]] std::vector<Disturbance> disturbances(const Fabric& fabric,
                                                    const RunningTraffic& ours,
                                                    const Background& background,
                                                    const Routing& routing);

}  // namespace zonecut
