// Every flow on a path of its own, the same in every round in which it is under way.
#include <algorithm>

#include "bundle_index.hpp"
#include "routing/link_times.hpp"
#include "routing/router.hpp"

namespace zonecut {
namespace {

class RoutedTimes : public LinkTimes {
 public:
  explicit RoutedTimes(const PlacedTraffic& placed)
      : LinkTimes(placed.background),
        placed_(placed),
        cables_(placed.fabric),
        times_(BundleIndex(placed.fabric.cluster()).count()),
        led_(times_.size()),
        round_bytes_(2 * cables_.count(), 0.0) {}

  void begin_phase(const Phase& phase, const TrafficSums& sums) override {
    std::fill(times_.begin(), times_.end(), Seconds{});
    led_.clear();
    longest_ = {};
    rounds_ = rounds_of(phase);
    const std::vector<NicFlow> flows =
        nic_flows(placed_.fabric, placed_.traffic, phase, placed_.servers);
    loads_ = route(cables_, flows, placed_.routing, placed_.routing.hash_seed.value_or(0),
                   rounds_.empty() ? Paths::Forget : Paths::Keep);
    refuse_parted(phase, loads_.parted);
    for (std::size_t index = 0; index < loads_.bytes.size(); ++index) {
      if (loads_.bytes[index] <= 0) continue;
      led_.add(bundle_of(cables_, index), loads_.bytes[index], loads_.squares[index]);
    }
    for (std::size_t index = 0; index < loads_.bytes.size(); ++index) {
      if (loads_.bytes[index] <= 0) continue;
      const std::size_t bundle = bundle_of(cables_, index);
      const Seconds time = time_of(index, loads_.bytes[index], bundle, led_.flows(bundle, sums));
      times_[bundle] = std::max(times_[bundle], time);
      longest_ = std::max(longest_, time);
    }
    list_rounds(flows);
  }

  Seconds busiest(std::uint32_t bundle, std::int64_t /*bytes*/) override { return times_[bundle]; }
  HashedSpan slowest() override { return {longest_, longest_, longest_}; }
  void add_detours(SparseSums& loads) const override { led_.add_detours(loads); }
  double flows(std::size_t bundle, const TrafficSums& sums) const override {
    return led_.flows(bundle, sums);
  }

  HashedSpan slowest_in(const Round& round, const TrafficSums& sums) override {
    const auto at = std::find(rounds_.begin(), rounds_.end(), round);
    const Seconds time = busiest_of(parts_[static_cast<std::size_t>(at - rounds_.begin())], sums);
    return {time, time, time};
  }

  std::optional<HashedSpan> slowest_steps(ExchangeSteps& /*exchange*/,
                                          BytesPerSecond /*scale_up*/) override {
    return std::nullopt;
  }

 private:
  /// Others share the cables of a bundle alike: that of each one of theirs is not asked for.
  [[nodiscard]] Seconds time_of(std::size_t load_index, double bytes, std::size_t bundle,
                                double flows) const {
    const Seconds alone{bytes / cables_.capacity(load_index / 2)};
    return is_shared() ? shared(alone, bundle, flows) : alone;
  }

  void list_rounds(std::span<const NicFlow> flows) {
    parts_.assign(rounds_.size(), {});
    for (const RoutedPart& part : loads_.parts) {
      const std::uint32_t round = flows[part.flow].round;
      if (round != NicFlow::kNoRound) parts_[round].push_back(&part);
    }
  }

  [[nodiscard]] Seconds busiest_of(std::span<const RoutedPart* const> parts,
                                   const TrafficSums& sums) {
    for (const RoutedPart* part : parts) {
      for (const std::uint32_t index : loads_.path(*part)) {
        if (round_bytes_[index] == 0) touched_.push_back(index);
        round_bytes_[index] += part->bytes;
      }
    }
    Seconds longest;
    for (const std::uint32_t index : touched_) {
      const std::size_t bundle = bundle_of(cables_, index);
      longest =
          std::max(longest, time_of(index, round_bytes_[index], bundle, sums.phase_flows(bundle)));
      round_bytes_[index] = 0;
    }
    touched_.clear();
    return longest;
  }

  PlacedTraffic placed_;
  Cables cables_;
  // Of the phase at hand.
  RoutedLoads loads_;
  std::vector<Seconds> times_;  // by bundle
  LedLoads led_;
  Seconds longest_;
  std::vector<Round> rounds_;
  std::vector<std::vector<const RoutedPart*>> parts_;  // by round
  std::vector<double> round_bytes_;                    // by load index, 0 between rounds
  std::vector<std::uint32_t> touched_;
};

}  // namespace

std::unique_ptr<LinkTimes> routed_times(const PlacedTraffic& placed) {
  return std::make_unique<RoutedTimes>(placed);
}

}  // namespace zonecut
