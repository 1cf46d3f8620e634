// The mean over hash functions. Where flows are few, over a fixed set of them that lead every flow
// through the whole fabric: what a leaf sends up decides what comes down elsewhere, which makes the
// slowest cable of all up to a tenth faster than if cables were independent. Where flows are many,
// by distribution.
#include <algorithm>

#include "routing/launch_plan.hpp"
#include "routing/link_times.hpp"
#include "routing/sampled_paths.hpp"

namespace zonecut {
namespace {

/// Times of cables under one launch after the other.
class LaunchTimes {
 public:
  struct Cable {
    double capacity;
    std::size_t bundle;
  };
  /// Borrows the paths, of which it takes the cables that are passed.
  explicit LaunchTimes(const SampledPaths& paths)
      : paths_(paths), bytes_(paths.cables().size(), 0.0) {}

  /// `cable` gives that of a load index. To be called before any times are asked for.
  template <class ToCable>
  void describe(const ToCable& cable) {
    cables_.clear();
    for (const std::uint32_t index : paths_.cables()) cables_.push_back(cable(index));
  }

  /// Of the slowest cable in each launch.
  [[nodiscard]] std::vector<double> slowest(std::span<const SampledPart> parts) {
    double nic = 0;
    load_nics(parts);
    take([&](const Cable& /*cable*/, double time) { nic = std::max(nic, time); });
    std::vector<double> times(paths_.launches(), nic);
    for (std::size_t launch = 0; launch < times.size(); ++launch) {
      load_launch(parts, launch);
      take([&](const Cable& /*cable*/, double time) {
        times[launch] = std::max(times[launch], time);
      });
    }
    return times;
  }

  /// The same of all parts; `bundles`, all 0 before, get the mean of each one's slowest cable.
  [[nodiscard]] std::vector<double> slowest_of_all(std::span<Seconds> bundles) {
    double nic = 0;
    load_nics(paths_.parts());
    take([&](const Cable& cable, double time) {
      nic = std::max(nic, time);
      bundles[cable.bundle].count = std::max(bundles[cable.bundle].count, time);
    });
    std::vector<double> times(paths_.launches(), nic);
    const double share = 1 / static_cast<double>(times.size());
    std::vector<double> here(bundles.size(), 0.0);
    std::vector<std::size_t> seen;
    for (std::size_t launch = 0; launch < times.size(); ++launch) {
      load_launch(paths_.parts(), launch);
      take([&](const Cable& cable, double time) {
        if (here[cable.bundle] == 0) seen.push_back(cable.bundle);
        here[cable.bundle] = std::max(here[cable.bundle], time);
      });
      for (const std::size_t bundle : seen) {
        times[launch] = std::max(times[launch], here[bundle]);
        bundles[bundle].count += here[bundle] * share;
        here[bundle] = 0;
      }
      seen.clear();
    }
    return times;
  }

 private:
  void load_launch(std::span<const SampledPart> parts, std::size_t launch) {
    for (const SampledPart& part : parts) {
      for (const std::uint32_t cable : paths_.path(part, launch)) load(cable, part.bytes);
    }
  }

  void load_nics(std::span<const SampledPart> parts) {
    for (const SampledPart& part : parts) {
      for (const std::uint32_t cable : part.nics) load(cable, part.bytes);
    }
  }

  void load(std::uint32_t cable, double bytes) {
    if (bytes_[cable] == 0) touched_.push_back(cable);
    bytes_[cable] += bytes;
  }

  /// Calls `visit` for what is loaded, and unloads it.
  template <class Visit>
  void take(const Visit& visit) {
    for (const std::uint32_t cable : touched_) {
      visit(cables_[cable], bytes_[cable] / cables_[cable].capacity);
      bytes_[cable] = 0;
    }
    touched_.clear();
  }

  const SampledPaths& paths_;
  std::vector<Cable> cables_;
  std::vector<double> bytes_;  // by cable, 0 between launches
  std::vector<std::uint32_t> touched_;
};

class ExpectedTimes : public LinkTimes {
 public:
  explicit ExpectedTimes(const PlacedTraffic& placed)
      : LinkTimes(placed.background),
        placed_(placed),
        launches_(plan_launches(placed.traffic, placed.fabric.spec().nics_per_server,
                                flows_of_a_pair(placed.routing, placed.fabric.spec().planes))),
        led_(BundleIndex(placed.fabric.cluster()).count()) {}

  void begin_phase(const Phase& phase, const TrafficSums& sums) override {
    sampled_ = sample(phase, sums);
    if (!sampled_) many_flows().begin_phase(phase, sums);
  }

  Seconds busiest(std::uint32_t bundle, std::int64_t bytes) override {
    return sampled_ ? bundle_times_[bundle] : many_flows().busiest(bundle, bytes);
  }

  HashedSpan slowest() override { return sampled_ ? whole_ : many_flows().slowest(); }

  void add_detours(SparseSums& loads) const override {
    sampled_ ? led_.add_detours(loads) : many_flows_->add_detours(loads);
  }

  double flows(std::size_t bundle, const TrafficSums& sums) const override {
    return sampled_ ? led_.flows(bundle, sums) : many_flows_->flows(bundle, sums);
  }

  HashedSpan slowest_in(const Round& round, const TrafficSums& sums) override {
    if (!sampled_) return many_flows().slowest_in(round, sums);
    const auto at = std::find(rounds_.begin(), rounds_.end(), round);
    const auto number = static_cast<std::uint32_t>(at - rounds_.begin());
    if (is_shared()) describe_cables([&](std::size_t bundle) { return sums.phase_flows(bundle); });
    std::vector<double> times = times_->slowest(parts_of(number));
    return span_of(times);
  }

  std::optional<HashedSpan> slowest_steps(ExchangeSteps& exchange,
                                          BytesPerSecond scale_up) override {
    return sampled_ ? std::nullopt : many_flows().slowest_steps(exchange, scale_up);
  }

 private:
  /// Looks at a phase of few flows launch by launch. False where it has many.
  [[nodiscard]] bool sample(const Phase& phase, const TrafficSums& sums) {
    const auto launches =
        launches_[static_cast<std::size_t>(&phase - placed_.traffic.phases.data())];
    if (launches == 0) return false;
    prepare();
    const std::vector<NicFlow> flows =
        nic_flows(placed_.fabric, placed_.traffic, phase, placed_.servers);
    paths_->draw(flows, launches);
    refuse_parted(phase, paths_->parted());
    times_.emplace(*paths_);
    find_led_loads();
    describe_cables([&](std::size_t bundle) { return led_.flows(bundle, sums); });
    std::fill(bundle_times_.begin(), bundle_times_.end(), Seconds{});
    std::vector<double> whole = times_->slowest_of_all(bundle_times_);
    whole_ = span_of(whole);
    rounds_ = rounds_of(phase);
    return true;
  }

  /// All launches pass the same bundles: which of their cables is what differs.
  void find_led_loads() {
    led_.clear();
    for (const SampledPart& part : paths_->parts()) {
      for (const std::uint32_t cable : paths_->path(part, 0))
        led_.add(bundle_of(*cables_, paths_->cables()[cable]), part.bytes, part.bytes * part.bytes);
    }
  }

  /// As others leave them to so many flows of ours on each bundle.
  template <class FlowsOf>
  void describe_cables(const FlowsOf& flows_of) {
    times_->describe([&](std::uint32_t index) {
      const std::size_t bundle = bundle_of(*cables_, index);
      const double alone = cables_->capacity(index / 2);
      return LaunchTimes::Cable{
          is_shared() ? alone / shared({1}, bundle, flows_of(bundle)).count : alone, bundle};
    });
  }

  [[nodiscard]] std::span<const SampledPart> parts_of(std::uint32_t round) const {
    const std::span<const SampledPart> parts = paths_->parts();
    const auto of_round = std::ranges::equal_range(parts, round, {}, &SampledPart::round);
    return {of_round.begin(), of_round.end()};
  }

  void prepare() {
    if (cables_) return;
    cables_ = std::make_unique<Cables>(placed_.fabric);
    paths_ = std::make_unique<SampledPaths>(*cables_, placed_.routing);
    bundle_times_.resize(BundleIndex(placed_.fabric.cluster()).count());
  }

  [[nodiscard]] LinkTimes& many_flows() {
    if (!many_flows_) {
      many_flows_ = placed_.routing.scheme == RoutingScheme::Pinned ? routed_times(placed_)
                                                                    : hashed_times(placed_);
    }
    return *many_flows_;
  }

  PlacedTraffic placed_;
  std::vector<std::size_t> launches_;  // by phase

  // Most large jobs need only one of the two.
  std::unique_ptr<LinkTimes> many_flows_;
  std::unique_ptr<Cables> cables_;
  std::unique_ptr<SampledPaths> paths_;

  // Of the phase at hand.
  bool sampled_ = false;
  std::optional<LaunchTimes> times_;
  HashedSpan whole_;
  LedLoads led_;
  std::vector<Seconds> bundle_times_;
  std::vector<Round> rounds_;
};

}  // namespace

std::unique_ptr<LinkTimes> expected_times(const PlacedTraffic& placed) {
  return std::make_unique<ExpectedTimes>(placed);
}

}  // namespace zonecut
