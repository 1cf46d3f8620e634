#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <set>

#include "free_rings.hpp"
#include "parted.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/attribution.hpp"

namespace zonecut {
namespace {

struct CauseText {
  std::string_view name;
  std::string_view summary;
};
constexpr std::array<CauseText, 7> kTexts = {{
    {"least", "the best placement on the empty, healthy cluster"},
    {"room", "the servers of a better one are held, down or drained"},
    {"placement", "its servers and order are not the best it could have"},
    {"routing", "flows collide instead of spreading evenly"},
    {"failures", "links and switches that are broken"},
    {"other-jobs", "what others send over the same links"},
    {"unexplained", "nothing that the files say"},
}};

/// Nobody holds anything, and all is well.
ClusterView empty_view(const Setting& setting) {
  ClusterView view = setting.view;
  view.occupancy = Occupancy(*view.cluster);
  view.health = Health(*view.cluster);
  return view;
}

class Attributing {
 public:
  Attributing(const Setting& setting, const SettledJob& job, std::span<const SettledJob> others,
              const PlacementOptions& options)
      : setting_(setting),
        cluster_(*setting.view.cluster),
        job_(job),
        others_(others),
        options_(options),
        even_{.admission_window = setting.routing.admission_window},
        healthy_(Fabric::build(cluster_, setting.fabric, Health(cluster_))),
        broken_(Fabric::build(cluster_, setting.fabric, setting.view.health)),
        traffic_(
            arranged_on(job.running.traffic, job.running.servers).value_or(job.running.traffic)) {}

  std::variant<Attribution, NoFit> run(Seconds measured) {
    if (auto refusal = parted(broken_, traffic_, job_.running.servers, job_.running.served))
      return *std::move(refusal);
    try {
      return attribution(measured);
    } catch (const PartedFlows& error) {
      return parted_by(error);
    }
  }

 private:
  Attribution attribution(Seconds measured) {
    const Seconds here = predicted(healthy_, even_, {}).communication;
    // Searches may miss what the job itself has found.
    const Seconds in_room = std::min(here, placed_anew(left_to_it()));
    const Seconds least = std::min(in_room, placed_anew(empty_view(setting_)));
    // Routing first: a broken link costs what flows then do on the links that are left.
    const Seconds routed = predicted(healthy_, setting_.routing, {}).communication;
    const Seconds broken = predicted(broken_, setting_.routing, {}).communication;
    const Background others_too(broken_, others(), setting_.routing);
    const Prediction now = predicted(broken_, setting_.routing, others_too);

    Attribution found{measured, now.communication, {}, {}, {}};
    for (const PhasePrediction& phase : now.phases) {
      const double whole = phase.latency.count + phase.transfer.count;
      const double exposed = whole > 0 ? phase.exposed.count / whole : 0;
      found.predicted_low += (phase.latency + phase.transfer_low) * exposed;
      found.predicted_high += (phase.latency + phase.transfer_high) * exposed;
    }
    Seconds before{};
    const auto add = [&](Cause cause, Seconds until) {
      found.shares.push_back({cause, {until.count - before.count}});
      before = until;
    };
    add(Cause::Least, least);
    add(Cause::Room, in_room);
    add(Cause::Placement, here);
    add(Cause::Routing, routed);
    add(Cause::Failures, broken);
    add(Cause::OtherJobs, now.communication);
    add(Cause::Unexplained, measured);
    return found;
  }

  [[nodiscard]] Prediction predicted(const Fabric& fabric, const Routing& routing,
                                     const Background& background) const {
    return predict(fabric, traffic_, job_.running.servers, routing, background);
  }

  /// What others do not hold and what works, its own servers in any case, as it ran there; all
  /// links and switches are well.
  [[nodiscard]] ClusterView left_to_it() const {
    ClusterView view = setting_.view;
    for (const GpuId gpu : view.occupancy.held(job_.id)) view.occupancy.release(gpu);
    Health& health = view.health;
    health.failed_switches.clear();
    health.link_faults.clear();
    const std::set own(job_.running.servers.begin(), job_.running.servers.end());
    for (const ServerId server : own) health.servers[server] = ServerHealth::Up;
    std::erase_if(health.failed_gpus, [&](GpuId gpu) { return own.contains(gpu.server); });
    return view;
  }

  /// What the job would take if it were placed now, over healthy links.
  [[nodiscard]] Seconds placed_anew(const ClusterView& open) const {
    const PlacementProblem problem =
        pose(open, healthy_, job_.job, job_.constraints, {.routing = even_, .proof = Proof::None});
    const PlacementResult result = place(problem, job_.constraints, options_);
    const auto* placement = std::get_if<Placement>(&result);
    return {placement ? placement->prediction.communication.count
                      : std::numeric_limits<double>::infinity()};
  }

  [[nodiscard]] std::vector<RunningTraffic> others() const {
    std::vector<RunningTraffic> running;
    for (const SettledJob& other : others_) running.push_back(other.running);
    return running;
  }

  const Setting& setting_;
  const Cluster& cluster_;
  const SettledJob& job_;
  std::span<const SettledJob> others_;
  const PlacementOptions& options_;
  Routing even_;  ///< senders wait for receivers wherever flows go
  Fabric healthy_;
  Fabric broken_;
  Traffic traffic_;
};

}  // namespace

std::string_view cause_name(Cause cause) { return kTexts[static_cast<std::size_t>(cause)].name; }

std::string_view cause_summary(Cause cause) {
  return kTexts[static_cast<std::size_t>(cause)].summary;
}

std::variant<Attribution, NoFit> attribute(const Setting& setting, const SettledJob& job,
                                           std::span<const SettledJob> others, Seconds measured,
                                           const PlacementOptions& options) {
  ZONECUT_ENSURES(!job.running.servers.empty() && measured.count > 0);
  return Attributing(setting, job, others, options).run(measured);
}

Cause main_cause(const Attribution& attribution) {
  const Seconds least = attribution.shares.front().seconds;
  if (attribution.measured.count - least.count <= attribution.measured.count / 100)
    return Cause::Least;
  const auto beyond = std::span(attribution.shares).subspan(1);
  return std::ranges::max_element(beyond, {}, &CauseShare::seconds)->cause;
}

}  // namespace zonecut
