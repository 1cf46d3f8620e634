// All links of a bundle share its load evenly.
#include <algorithm>
#include <numeric>

#include "routing/link_times.hpp"

namespace zonecut {
namespace {

class IdealTimes : public LinkTimes {
 public:
  explicit IdealTimes(const PlacedTraffic& placed)
      : LinkTimes(placed.background), fabric_(placed.fabric) {}

  void begin_phase(const Phase& /*phase*/, const TrafficSums& sums) override {
    sums_ = &sums;
    longest_ = {};
  }

  Seconds busiest(std::uint32_t bundle, std::int64_t bytes) override {
    const Seconds time = time_of(bundle, bytes, *sums_);
    longest_ = std::max(longest_, time);
    return time;
  }

  HashedSpan slowest() override { return certain(longest_); }

  HashedSpan slowest_in(const Round& /*round*/, const TrafficSums& sums) override {
    Seconds longest;
    for (const std::uint32_t bundle : sums.phase_loads().touched())
      longest = std::max(longest, time_of(bundle, sums.phase_loads()[bundle], sums));
    return certain(longest);
  }

  std::optional<HashedSpan> slowest_steps(ExchangeSteps& exchange,
                                          BytesPerSecond scale_up) override {
    rank_places(exchange);
    Seconds sum;
    for (std::size_t step = 1; step <= exchange.distinct_steps(); ++step) {
      const Seconds across = slowest_place(exchange, step);
      const auto time = [&](std::size_t s) { return with_inside(exchange, s, scale_up, across); };
      const std::size_t mirrored = exchange.members() - step;
      sum += mirrored == step ? time(step) : time(step) + time(mirrored);
    }
    return certain(sum);
  }

 private:
  static HashedSpan certain(Seconds time) { return {time, time, time}; }

  [[nodiscard]] Seconds time_of(std::uint32_t bundle, std::int64_t bytes,
                                const TrafficSums& sums) const {
    const Seconds alone = transfer_time({bytes}, capacity_of(fabric_, sums.bundle(bundle)));
    return is_shared() ? shared(alone, bundle, sums.phase_flows(bundle)) : alone;
  }

  /// The slower direction of a place that sends `bytes` in one step.
  [[nodiscard]] Seconds time_of(const ExchangeSteps::PlaceLoad& place, std::int64_t bytes) const {
    const std::uint32_t inward = inward_bundle(place.place);
    const Seconds alone = transfer_time({bytes}, capacity_of(fabric_, sums_->bundle(inward)));
    if (!is_shared()) return alone;
    const double flows = static_cast<double>(bytes) * static_cast<double>(place.bytes) /
                         std::max(1.0, place.squares);
    return std::max(shared(alone, inward, flows), shared(alone, inward + 1, flows));
  }

  /// The places whose usual load takes longest come first.
  void rank_places(const ExchangeSteps& exchange) {
    const auto usual = exchange.usual();
    usual_times_.clear();
    for (const auto& place : usual) usual_times_.push_back(time_of(place, place.bytes));
    ranked_.resize(usual.size());
    std::iota(ranked_.begin(), ranked_.end(), 0U);
    std::stable_sort(ranked_.begin(), ranked_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return usual_times_[a] > usual_times_[b];
    });
    met_in_.assign(usual.size(), 0);
  }

  /// O(places that met in this step).
  Seconds slowest_place(const ExchangeSteps& exchange, std::size_t step) {
    Seconds longest;
    for (const auto& [index, less] : exchange.met(step)) {
      const auto& place = exchange.usual()[index];
      longest = std::max(longest, time_of(place, place.bytes - less));
      met_in_[index] = step;
    }
    const auto usual = std::find_if(ranked_.begin(), ranked_.end(),
                                    [&](std::uint32_t i) { return met_in_[i] != step; });
    return usual == ranked_.end() ? longest : std::max(longest, usual_times_[*usual]);
  }

  const Fabric& fabric_;
  const TrafficSums* sums_ = nullptr;
  Seconds longest_;
  std::vector<Seconds> usual_times_;  // by index of ExchangeSteps::usual()
  std::vector<std::uint32_t> ranked_;
  std::vector<std::size_t> met_in_;  // the last step in which two members of the place met
};

}  // namespace

std::unique_ptr<LinkTimes> ideal_times(const PlacedTraffic& placed) {
  return std::make_unique<IdealTimes>(placed);
}

}  // namespace zonecut
