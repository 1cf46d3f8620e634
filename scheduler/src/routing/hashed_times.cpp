// Links above a domain are hashed over; a server's NICs are chosen by the sender. All times are
// taken by distribution.
#include <algorithm>

#include "routing/bundle_cables.hpp"
#include "routing/link_times.hpp"

namespace zonecut {
namespace {

/// Of more steps than this every k-th is taken, and stands for k: their loads change little from
/// one to the next, and all are expected values.
constexpr std::size_t kMostSteps = 256;

class HashedTimes : public LinkTimes {
 public:
  explicit HashedTimes(const PlacedTraffic& placed)
      : LinkTimes(placed.background),
        fabric_(placed.fabric),
        cables_(placed.cluster, placed.fabric),
        parts_(flows_of_a_pair(placed.routing, placed.fabric.spec().planes)) {}

  void begin_phase(const Phase& /*phase*/, const TrafficSums& sums) override {
    sums_ = &sums;
    all_ = {};
  }

  Seconds busiest(std::uint32_t index, std::int64_t bytes) override {
    const Bundle bundle = sums_->bundle(index);
    const BytesPerSecond capacity = capacity_of(fabric_, bundle);
    if (std::holds_alternative<ServerId>(bundle.below) || capacity.count == 0) {
      const double squares = sums_->phase_squares(index);
      if (capacity.count > 0) add(all_, index, bytes, squares, 1);
      return shared(transfer_time({bytes}, capacity), index, sums_->phase_flows(index));
    }
    HashedTime here;
    const double squares = sums_->phase_squares(index);
    add(all_, index, bytes, squares, 1);
    add(here, index, bytes, squares, 1);
    return here.slowest().mean;
  }

  HashedSpan slowest() override { return all_.slowest(); }

  HashedSpan slowest_in(const Round& /*round*/, const TrafficSums& sums) override {
    HashedTime time;
    for (const std::uint32_t index : sums.phase_loads().touched()) {
      const std::int64_t bytes = sums.phase_loads()[index];
      if (bytes > 0) add(time, index, bytes, sums.phase_squares(index), 1);
    }
    return time.slowest();
  }

  std::optional<HashedSpan> slowest_steps(ExchangeSteps& exchange,
                                          BytesPerSecond scale_up) override {
    HashedSum sum;
    const std::size_t stride = 1 + exchange.distinct_steps() / kMostSteps;
    for (std::size_t first = 1; first <= exchange.distinct_steps(); first += stride) {
      const std::size_t last = std::min(first + stride - 1, exchange.distinct_steps());
      const std::size_t step = (first + last) / 2;
      const HashedSpan across = loads_in(exchange, step).slowest();
      if (exchange.hands_over()) {
        add_each(sum, exchange, {first, last}, across, scale_up);
        continue;
      }
      double stands_for = 0;
      for (std::size_t i = first; i <= last; ++i) stands_for += exchange.multiplicity(i);
      const Seconds inside = transfer_time({exchange.inside(step)}, scale_up);
      sum.add(at_least(across, inside), stands_for);
    }
    return sum.total();
  }

 private:
  struct Steps {
    std::size_t first;
    std::size_t last;
  };
  /// Steps that take `across` over the links. What GPUs hand over to each other differs from one to
  /// the next, and recurs after few: every k-th of them may be alike.
  static void add_each(HashedSum& sum, ExchangeSteps& exchange, const Steps& steps,
                       const HashedSpan& across, BytesPerSecond scale_up) {
    const auto add_step = [&](std::size_t step) {
      sum.add(at_least(across, with_inside(exchange, step, scale_up, across.low)), 1);
    };
    for (std::size_t step = steps.first; step <= steps.last; ++step) {
      add_step(step);
      if (exchange.multiplicity(step) > 1) add_step(exchange.members() - step);
    }
  }

  void add(HashedTime& time, std::uint32_t index, std::int64_t bytes, double squares,
           std::int64_t count) const {
    const Bundle bundle = sums_->bundle(index);
    const auto load = static_cast<double>(bytes);
    // A link of which others take a half is one of half the capacity.
    const double flows = squares > 0 ? load * load / squares : 1;
    const double left = 1 / shared({1}, index, flows).count;
    const auto of = [&](BytesPerSecond capacity) {
      if (!is_shared()) return capacity;
      const auto kept = static_cast<std::int64_t>(static_cast<double>(capacity.count) * left);
      return BytesPerSecond{std::max<std::int64_t>(1, kept)};
    };
    if (const auto* domain = std::get_if<DomainId>(&bundle.below)) {
      for (HashedBundle part : cables_.spread(*domain, load, squares)) {
        part.cable = of(part.cable);
        time.add(part, count);
      }
    } else if (const BytesPerSecond capacity = capacity_of(fabric_, bundle); capacity.count > 0) {
      time.add({1, of(capacity), load, load * load}, count);
    }
  }

  /// Outward and inward loads of a place are alike.
  [[nodiscard]] HashedTime loads_in(const ExchangeSteps& exchange, std::size_t step) const {
    HashedTime time;
    std::vector<std::int64_t> less(exchange.usual().size(), 0);
    for (const auto& met : exchange.met(step)) less[met.index] = met.bytes;
    for (std::size_t i = 0; i < less.size(); ++i) {
      const auto& place = exchange.usual()[i];
      const std::int64_t bytes = place.bytes - less[i];
      if (bytes <= 0) continue;
      const double share = static_cast<double>(bytes) / static_cast<double>(place.bytes);
      const double squares = place.squares * share / parts_;
      add(time, inward_bundle(place.place), bytes, squares, is_shared() ? 1 : 2);
      if (is_shared()) add(time, inward_bundle(place.place) + 1, bytes, squares, 1);
    }
    return time;
  }

  const Fabric& fabric_;
  BundleCables cables_;
  int parts_;
  const TrafficSums* sums_ = nullptr;
  HashedTime all_;
};

}  // namespace

std::unique_ptr<LinkTimes> hashed_times(const PlacedTraffic& placed) {
  return std::make_unique<HashedTimes>(placed);
}

}  // namespace zonecut
