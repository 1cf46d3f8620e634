#include "what_if/side_by_side.hpp"

#include <algorithm>
#include <utility>

#include "bundle_index.hpp"
#include "free_rings.hpp"
#include "parted.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/scheduler/slowest_phase.hpp"

namespace zonecut {
namespace {

/// What the job sends from these servers, its free rings in the order that suits them.
RunningTraffic running_on(const SettledJob& job, std::span<const ServerId> servers) {
  RunningTraffic running = job.running;
  running.servers.assign(servers.begin(), servers.end());
  if (auto chosen = arranged_on(running.traffic, servers)) running.traffic = *std::move(chosen);
  return running;
}

class Running {
 public:
  Running(std::shared_ptr<const Fabric> fabric, const Routing& routing,
          std::span<const SettledJob> jobs, std::span<const std::vector<ServerId>> servers,
          const SideBySide* before)
      : cluster_(fabric->cluster()),
        jobs_(jobs),
        servers_(servers),
        before_(before),
        changed_above_(cluster_.domain_count(), false),
        now_{std::move(fabric), routing, {}, {}} {
    now_.senders.resize(jobs.size());
    now_.figures.resize(jobs.size());
    if (before_ && (before_->fabric->spec() != now_.fabric->spec() || before_->routing != routing))
      before_ = nullptr;
    if (!before_) return;
    changed_ = changed_bundles(*before_->fabric, *now_.fabric);
    stirred_.resize(changed_.size());
    find_changed_above();
  }

  SideBySide run() {
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (!servers_[i].empty()) send(i);
    }
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (before_ && now_.senders[i] && !is_as_before(i)) stir(*now_.senders[i]);
      if (before_ && before_->senders[i] && !is_as_before(i)) stir(*before_->senders[i]);
    }
    Background all;
    for (const auto& sender : now_.senders) {
      if (sender) all.add(cluster_, sender->running, sender->footprint);
    }
    std::size_t sender = 0;
    for (std::size_t i = 0; i < jobs_.size(); ++i) {
      if (now_.senders[i]) predict_beside(i, all, sender++);
    }
    return std::move(now_);
  }

 private:
  /// Domains come depth first: what is above a parent is known before what is above its children.
  void find_changed_above() {
    const BundleIndex bundles(cluster_);
    for (const DomainId id : cluster_.domain_ids()) {
      const std::optional<DomainId> parent = cluster_.domain(id).parent;
      if (parent) changed_above_[id] = changed_[bundles.of(id, true)] || changed_above_[*parent];
    }
  }

  [[nodiscard]] static bool any_of(const Sender& sender, const std::vector<bool>& bundles) {
    return std::ranges::any_of(sender.footprint->shares, [&](const Footprint::Share& share) {
      return bundles[share.bundle];
    });
  }

  /// No link is otherwise that this job may send over. Ideal routing spreads flows over the links
  /// between their ends. Any other takes paths, which may turn further up, from one leaf of a rack
  /// to the other or around failures, but go up over the ends' own domains and come down so.
  [[nodiscard]] bool has_its_links(const Sender& sender) const {
    if (now_.routing.scheme == RoutingScheme::Ideal) return !any_of(sender, changed_);
    const BundleIndex bundles(cluster_);
    return std::ranges::none_of(sender.running->servers, [&](ServerId server) {
      return changed_[bundles.of(server, true)] || changed_above_[cluster_.server(server).rack];
    });
  }

  /// It sends what it sent, and alone it would take as long.
  [[nodiscard]] bool is_as_before(std::size_t job) const {
    const auto& then = before_->senders[job];
    const auto& now = now_.senders[job];
    return then && now && then->footprint == now->footprint;
  }

  /// Others may find the links of this job otherwise than they were.
  void stir(const Sender& sender) {
    for (const Footprint::Share& share : sender.footprint->shares) stirred_[share.bundle] = true;
  }

  void send(std::size_t job) {
    if (before_) {
      const auto& then = before_->senders[job];
      if (then && then->running->servers == servers_[job] && has_its_links(*then)) {
        now_.senders[job] = then;
        return;
      }
    }
    auto running = std::make_shared<RunningTraffic>(running_on(jobs_[job], servers_[job]));
    if (auto refusal = parted(*now_.fabric, running->traffic, running->servers, running->served)) {
      now_.figures[job] = *std::move(refusal);
      return;
    }
    try {
      auto footprint =
          std::make_shared<const Footprint>(footprint_of(*now_.fabric, *running, now_.routing));
      now_.senders[job] = {std::move(running), std::move(footprint)};
    } catch (const PartedFlows& error) {
      now_.figures[job] = parted_by(error);
    }
  }

  /// A job that can meet nobody is predicted in its own way.
  [[nodiscard]] bool is_known(std::size_t job) const {
    return before_ && is_as_before(job) && !any_of(*now_.senders[job], stirred_) &&
           is_lonely(now_) == is_lonely(*before_);
  }

  [[nodiscard]] static bool is_lonely(const SideBySide& all) {
    return std::ranges::count_if(all.senders,
                                 [](const auto& sender) { return sender.has_value(); }) == 1;
  }

  void predict_beside(std::size_t job, const Background& all, std::size_t sender) {
    if (is_known(job)) {
      now_.figures[job] = before_->figures[job];
      return;
    }
    const RunningTraffic& running = *now_.senders[job]->running;
    const Prediction prediction =
        predict(*now_.fabric, running.traffic, running.servers, now_.routing, all.beside(sender));
    now_.figures[job] = figures_of(*now_.fabric, prediction);
  }

  const Cluster& cluster_;
  std::span<const SettledJob> jobs_;
  std::span<const std::vector<ServerId>> servers_;
  const SideBySide* before_;             // null where nothing can be taken from there
  std::vector<bool> changed_;            // by bundle: a link of it is otherwise
  std::vector<bool> stirred_;            // by bundle: others may send otherwise there
  IdMap<DomainId, bool> changed_above_;  // a link up from it, or from a domain around it
  SideBySide now_;
};

}  // namespace

SideBySide side_by_side(std::shared_ptr<const Fabric> fabric, const Routing& routing,
                        std::span<const SettledJob> jobs,
                        std::span<const std::vector<ServerId>> servers, const SideBySide* before) {
  ZONECUT_ENSURES(servers.size() == jobs.size());
  return Running(std::move(fabric), routing, jobs, servers, before).run();
}

OrderFigures figures_of(const Fabric& fabric, const Prediction& prediction) {
  OrderFigures figures{prediction.communication, prediction.cross_zone, {}, {}};
  if (const PhasePrediction* slowest = slowest_outside(prediction.phases)) {
    if (!waits_for_receivers(*slowest))
      figures.binding = bundle_name(fabric, slowest->binding->bundle);
    figures.binding_phase = slowest->name;
  }
  return figures;
}

std::vector<bool> changed_bundles(const Fabric& before, const Fabric& after) {
  ZONECUT_ENSURES(before.spec() == after.spec());
  const BundleIndex bundles(after.cluster());
  std::vector<bool> changed(bundles.count());
  const auto bundle_of = [&](const Link& link, bool outward) {
    if (const auto* server = std::get_if<ServerId>(&link.lower))
      return bundles.of(*server, outward);
    const Switch& lower = after.switches()[std::get<SwitchId>(link.lower).index()];
    return bundles.of(lower.place.domain, outward);
  };
  const auto works_alike = [&](SwitchId id) {
    return before.switches()[id.index()].up == after.switches()[id.index()].up;
  };
  for (std::size_t i = 0; i < after.links().size(); ++i) {
    const Link& link = after.links()[i];
    const Link& then = before.links()[i];
    const auto* lower = std::get_if<SwitchId>(&link.lower);
    if (link.capacity == then.capacity && link.cables == then.cables && works_alike(link.upper) &&
        (!lower || works_alike(*lower)))
      continue;
    for (const bool outward : {false, true}) changed[bundle_of(link, outward)] = true;
  }
  return changed;
}

}  // namespace zonecut
