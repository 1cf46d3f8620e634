#pragma once
// How long the links take for the loads of one phase, by the routing scheme.
#include <algorithm>
#include <memory>

#include "exchange_steps.hpp"
#include "rounds.hpp"
#include "routing/cables.hpp"
#include "routing/hashed_time.hpp"
#include "routing/nic_flows.hpp"
#include "traffic_sums.hpp"
#include "zonecut/scheduler/background.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut {

/// The traffic of a job on its servers, by vertex, how the fabric routes it and what others send
/// meanwhile. Borrows all but the routing.
struct PlacedTraffic {
  const Fabric& fabric;
  const Traffic& traffic;
  std::span<const ServerId> servers;
  Routing routing;
  const Background& background;
};

class LinkTimes {
 public:
  explicit LinkTimes(const Background& background) : background_(background) {}
  LinkTimes(const LinkTimes&) = delete;
  LinkTimes& operator=(const LinkTimes&) = delete;
  virtual ~LinkTimes() = default;

  /// Looks at the loads of a phase, which stand in `sums`.
  virtual void begin_phase(const Phase& phase, const TrafficSums& sums) = 0;
  /// Of the busiest link of a bundle that carries `bytes` in this phase.
  [[nodiscard]] virtual Seconds busiest(std::uint32_t bundle, std::int64_t bytes) = 0;
  /// Of the busiest link of all.
  [[nodiscard]] virtual HashedSpan slowest() = 0;
  /// Adds to the loads of this phase what flows that have paths of their own carry above domains
  /// that they do not leave, such as from one leaf of a rack to another.
  virtual void add_detours(SparseSums& /*loads*/) const {}
  /// As many equal flows of this phase, whose loads stand in `sums`, as collide alike on a bundle:
  /// those of add_detours() among them.
  [[nodiscard]] virtual double flows(std::size_t bundle, const TrafficSums& sums) const {
    return sums.phase_flows(bundle);
  }
  /// The same for one round of this phase alone, whose loads stand in `sums`.
  [[nodiscard]] virtual HashedSpan slowest_in(const Round& round, const TrafficSums& sums) = 0;
  /// All steps of this phase's pairwise exchanges, one after the other; what stays in servers
  /// passes at `scale_up`. None where flows have paths of their own, so that steps must be asked
  /// for round by round.
  [[nodiscard]] virtual std::optional<HashedSpan> slowest_steps(ExchangeSteps& exchange,
                                                                BytesPerSecond scale_up) = 0;

 protected:
  /// What a bundle that carries `flows` of this phase takes, if others were not there to share it.
  [[nodiscard]] Seconds shared(Seconds alone, std::size_t bundle, double flows) const {
    return background_.empty() ? alone : alone * (1 / background_.left_to(flows, bundle));
  }
  [[nodiscard]] bool is_shared() const { return !background_.empty(); }
  /// The longer of `across` and what a step takes over NVLink, which is asked for only where some
  /// step may take longer.
  [[nodiscard]] static Seconds with_inside(ExchangeSteps& exchange, std::size_t step,
                                           BytesPerSecond scale_up, Seconds across) {
    if (transfer_time({exchange.inside_at_most()}, scale_up) <= across) return across;
    return std::max(transfer_time({exchange.inside(step)}, scale_up), across);
  }

 private:
  const Background& background_;
};

/// Links above one domain, or the NICs of one server, with failures.
[[nodiscard]] BytesPerSecond capacity_of(const Fabric& fabric, const Bundle& bundle);

/// Borrows what `placed` does.
[[nodiscard]] std::unique_ptr<LinkTimes> link_times(const PlacedTraffic& placed);

// One for each way of choosing links; each in a file of its own.
[[nodiscard]] std::unique_ptr<LinkTimes> ideal_times(const PlacedTraffic& placed);
[[nodiscard]] std::unique_ptr<LinkTimes> hashed_times(const PlacedTraffic& placed);
/// Hashed, and pinned with what falls back to hashing: the mean over a fixed set of hash functions
/// where flows are few, and else hashed_times(), or one hash function where pinned.
[[nodiscard]] std::unique_ptr<LinkTimes> expected_times(const PlacedTraffic& placed);
/// Every flow on a path of its own.
[[nodiscard]] std::unique_ptr<LinkTimes> routed_times(const PlacedTraffic& placed);

/// The number (BundleIndex) of the bundle that a cable and direction belong to.
[[nodiscard]] std::size_t bundle_of(const Cables& cables, std::size_t load_index);

/// What flows with paths of their own carry over each bundle: more than is said to leave a domain
/// and to enter it where they turn above it though both of their ends are in it.
class LedLoads {
 public:
  explicit LedLoads(std::size_t bundles) : bytes_(bundles, 0.0), squares_(bundles, 0.0) {}
  void clear();
  void add(std::size_t bundle, double bytes, double squares) {
    bytes_[bundle] += bytes;
    squares_[bundle] += squares;
  }
  void add_detours(SparseSums& loads) const;
  /// See LinkTimes.
  [[nodiscard]] double flows(std::size_t bundle, const TrafficSums& sums) const;

 private:
  /// Bytes that are not among those of a phase.
  [[nodiscard]] double detour(std::size_t bundle, const SparseSums& loads) const;

  std::vector<double> bytes_;
  std::vector<double> squares_;
};

/// Throws PartedFlows where failures part the ends of some flows.
void refuse_parted(const Phase& phase, std::size_t parted);

/// Of both directions of a place of ExchangeSteps, the one inward.
[[nodiscard]] constexpr std::uint32_t inward_bundle(std::uint32_t place) { return 2 * place; }

}  // namespace zonecut
