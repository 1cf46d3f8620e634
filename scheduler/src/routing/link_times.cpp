#include "routing/link_times.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "routing/bundle_cables.hpp"
#include "routing/router.hpp"
#include "zonecut/base/counts.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// All links of a bundle share its load evenly.
class IdealTimes : public LinkTimes {
 public:
  explicit IdealTimes(const Fabric& fabric) : fabric_(fabric) {}

  void begin_phase(const Phase& /*phase*/, const TrafficSums& sums) override {
    sums_ = &sums;
    longest_ = {};
  }
  Seconds busiest(std::uint32_t bundle, std::int64_t bytes) override {
    const Seconds time = transfer_time({bytes}, capacity_of(fabric_, sums_->bundle(bundle)));
    longest_ = std::max(longest_, time);
    return time;
  }
  HashedSpan slowest() override { return {longest_, longest_, longest_}; }

 private:
  const Fabric& fabric_;
  const TrafficSums* sums_ = nullptr;
  Seconds longest_;
};

/// Links above a domain are hashed over; a server's NICs are chosen by the sender.
class HashedTimes : public LinkTimes {
 public:
  HashedTimes(const Cluster& cluster, const Fabric& fabric)
      : fabric_(fabric), cables_(cluster, fabric) {}

  void begin_phase(const Phase& /*phase*/, const TrafficSums& sums) override {
    sums_ = &sums;
    all_ = {};
  }

  Seconds busiest(std::uint32_t index, std::int64_t bytes) override {
    const Bundle bundle = sums_->bundle(index);
    const auto* domain = std::get_if<DomainId>(&bundle.below);
    const BytesPerSecond capacity = capacity_of(fabric_, bundle);
    if (domain == nullptr || capacity.count == 0) {
      const double load = static_cast<double>(bytes);
      if (capacity.count > 0) all_.add({1, capacity, load, load * load});
      return transfer_time({bytes}, capacity);
    }
    HashedTime here;
    for (const HashedBundle& part :
         cables_.spread(*domain, static_cast<double>(bytes), sums_->phase_squares(index))) {
      all_.add(part);
      here.add(part);
    }
    return here.slowest().mean;
  }
  HashedSpan slowest() override { return all_.slowest(); }

 private:
  const Fabric& fabric_;
  BundleCables cables_;
  const TrafficSums* sums_ = nullptr;
  HashedTime all_;
};

/// Every flow on a path of its own.
class RoutedTimes : public LinkTimes {
 public:
  RoutedTimes(const Cluster& cluster, const Fabric& fabric, const Traffic& traffic,
              std::span<const ServerId> servers, const Routing& routing)
      : cluster_(cluster),
        fabric_(fabric),
        traffic_(traffic),
        servers_(servers),
        routing_(routing),
        cables_(cluster, fabric),
        times_(2 * (cluster.server_count() + cluster.domain_count())) {}

  void begin_phase(const Phase& phase, const TrafficSums& /*sums*/) override {
    std::fill(times_.begin(), times_.end(), Seconds{});
    longest_ = {};
    const std::vector<NicFlow> flows =
        nic_flows(cluster_, fabric_.spec(), traffic_, phase, servers_);
    const RoutedLoads loads =
        route(cluster_, cables_, flows, routing_, routing_.hash_seed.value_or(0));
    refuse_parted(phase, loads);
    for (std::size_t index = 0; index < loads.bytes.size(); ++index) {
      if (loads.bytes[index] <= 0) continue;
      const Seconds time{loads.bytes[index] / cables_.capacity(index / 2)};
      Seconds& bundle = times_[bundle_of(index)];
      bundle = std::max(bundle, time);
      longest_ = std::max(longest_, time);
    }
  }
  Seconds busiest(std::uint32_t bundle, std::int64_t /*bytes*/) override { return times_[bundle]; }
  HashedSpan slowest() override { return {longest_, longest_, longest_}; }

 private:
  static void refuse_parted(const Phase& phase, const RoutedLoads& loads) {
    if (loads.parted == 0) return;
    throw InputError("routing",
                     fmt::format("no working path joins the ends of {} of phase {}",
                                 counted(loads.parted, "flow"), phase.name),
                     "place the job elsewhere, or repair the links");
  }

  /// Bundles are numbered as TrafficSums numbers them.
  [[nodiscard]] std::size_t bundle_of(std::size_t load_index) const {
    const Link& link = fabric_.links()[cables_.link_of(load_index / 2).index()];
    const std::size_t outward = load_index % 2 == 0 ? 1 : 0;
    if (const auto* server = std::get_if<ServerId>(&link.lower))
      return 2 * server->index() + outward;
    const SwitchId lower = std::get<SwitchId>(link.lower);
    const DomainId domain = fabric_.switches()[lower.index()].place.domain;
    return 2 * (cluster_.server_count() + domain.index()) + outward;
  }

  const Cluster& cluster_;
  const Fabric& fabric_;
  const Traffic& traffic_;
  std::span<const ServerId> servers_;
  Routing routing_;
  Cables cables_;
  std::vector<Seconds> times_;  // by bundle, of the phase at hand
  Seconds longest_;
};

}  // namespace

BytesPerSecond capacity_of(const Fabric& fabric, const Bundle& bundle) {
  if (const auto* server = std::get_if<ServerId>(&bundle.below))
    return fabric.injection_capacity(*server);
  return fabric.uplink_capacity(std::get<DomainId>(bundle.below));
}

std::unique_ptr<LinkTimes> link_times(const Cluster& cluster, const Fabric& fabric,
                                      const Traffic& traffic, std::span<const ServerId> servers,
                                      const Routing& routing) {
  const bool hashed =
      routing.scheme == RoutingScheme::Ecmp || routing.scheme == RoutingScheme::EnhancedEcmp;
  if (routing.scheme == RoutingScheme::Ideal) return std::make_unique<IdealTimes>(fabric);
  if (hashed && !routing.hash_seed) return std::make_unique<HashedTimes>(cluster, fabric);
  return std::make_unique<RoutedTimes>(cluster, fabric, traffic, servers, routing);
}

}  // namespace zonecut
