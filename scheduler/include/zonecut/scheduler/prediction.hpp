#pragma once
// What a placement costs per iteration: bytes and seconds on every tier, and the link that binds.
// Time of a phase = latency·steps + the busiest link's bytes over its capacity; phases follow each
// other, less what the job says hides behind computation. Which link is how busy depends on the
// routing: with ideal balancing all links above a domain share its load evenly; where flows are
// hashed, the mean over hash functions counts; pinned and engineered flows are routed one by one.
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
  Seconds transfer;       ///< of the binding bundle; where flows are hashed, the mean over hashes
  Seconds transfer_low;   ///< one launch in ten is faster; equal to `transfer` unless hashed
  Seconds transfer_high;  ///< one launch in ten is slower
  Seconds admission;      ///< of the connection that waits longest for its receiver's window; 0
                          ///< without receiver-driven admission; at most `transfer`
  Seconds exposed;        ///< (latency + transfer)·(1 - overlap): what the iteration waits for
  std::optional<BundleLoad>
      binding;  ///< none: it never leaves a server; its bytes are those of the phase
};

struct Prediction {
  Routing routing;
  Seconds communication;  ///< sum of the phases' exposed times
  Seconds undisturbed;    ///< the same if no other job sent anything
  std::vector<PhasePrediction> phases;
  std::size_t binding_phase = 0;  ///< index of the phase with the largest exposed time
  /// Bytes by the innermost level two ends share: [0] only the cluster, …, [rack level] one rack,
  /// [rack level+1] one server.
  std::vector<Bytes> bytes_by_level;
  Bytes cross_zone;  ///< sum of zone_matrix off its diagonal
  /// From zone (row) to zone (column), zones by position in their level.
  std::vector<std::vector<Bytes>> zone_matrix;
  /// The loads of every domain's bundle that carries anything, largest time first, ties by bundle;
  /// servers only as the single largest.
  std::vector<BundleLoad> loads;
};

/// "zone-b uplinks to ATSW (18 x 36 x 400 Gbps), outward"
[[nodiscard]] std::string bundle_name(const Cluster& cluster, const Fabric& fabric,
                                      const Bundle& bundle);

/// Failures have left some flows of an order without a path under its routing; under another, or in
/// another order, the job may run.
class PartedFlows : public InputError {
  using InputError::InputError;
};

/// A server or domain that no working link leads up from, though the job sends through there.
struct CutOff {
  std::variant<ServerId, DomainId> below;
  Bytes bytes;  ///< per iteration, of the busier direction
};
/// None where all that must communicate can. The time of predict().
[[nodiscard]] std::vector<CutOff> cut_off(const Cluster& cluster, const Fabric& fabric,
                                          const Traffic& traffic,
                                          std::span<const ServerId> servers);

/// `servers[v]` holds ranks v·ranks_per_server onward. O(flows + domains), and O(flows · hops ·
/// ports) for pinned and engineered routing. Throws InputError when failures have cut a server that
/// must communicate off from the fabric (see cut_off()), or when there are too many flows to route
/// one by one; PartedFlows where some have no path.
[[nodiscard]] Prediction predict(const Cluster& cluster, const Fabric& fabric,
                                 const Traffic& traffic, std::span<const ServerId> servers,
                                 const Routing& routing = {}, const Background& background = {});

/// What this job does to each of those that run, in their order. The time of a prediction for each.
[[nodiscard]] std::vector<Disturbance> disturbances(const Cluster& cluster, const Fabric& fabric,
                                                    const RunningTraffic& ours,
                                                    const Background& background,
                                                    const Routing& routing);

}  // namespace zonecut
