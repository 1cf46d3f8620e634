// Links above a domain are hashed over; a server's NICs are chosen by the sender, so that it takes
// as long as its busiest one. All times are taken by distribution.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "nic_pairs.hpp"
#include "routing/bundle_cables.hpp"
#include "routing/link_times.hpp"
#include "routing/nic_loads.hpp"

namespace zonecut {
namespace {

/// Of more steps than this every k-th is taken, and stands for k: their loads change little from
/// one to the next, and all are expected values.
constexpr std::size_t kMostSteps = 256;

class HashedTimes : public LinkTimes {
 public:
  explicit HashedTimes(const PlacedTraffic& placed)
      : LinkTimes(placed.background),
        cluster_(placed.fabric.cluster()),
        fabric_(placed.fabric),
        cables_(placed.fabric),
        parts_(flows_of_a_pair(placed.routing, placed.fabric.spec().planes)),
        pairs_(cluster_, placed.fabric.spec(), placed.traffic, placed.servers),
        nic_loads_(cluster_, placed.fabric.spec(), placed.traffic, placed.servers),
        busiest_nics_(2 * cluster_.server_count()),
        nic_times_(cluster_.server_count() * nics_per_server(), -1) {}

  void begin_phase(const Phase& phase, const TrafficSums& sums) override {
    phase_ = &phase;
    sums_ = &sums;
    all_ = {};
    nic_loads_.clear();
    for (const Group& group : phase.groups) nic_loads_.add(group);
    find_busiest_nics();
    refuse_dead_nics();
  }

  Seconds busiest(std::uint32_t index, std::int64_t bytes) override {
    const Bundle bundle = sums_->bundle(index);
    const BytesPerSecond capacity = capacity_of(fabric_, bundle);
    if (capacity.count == 0) return transfer_time({bytes}, capacity);
    const double squares = sums_->phase_squares(index);
    add(all_, index, bytes, squares, 1);
    if (std::holds_alternative<ServerId>(bundle.below)) {
      const double load = as_spread(index, bytes, capacity);
      return shared({load / static_cast<double>(capacity.count)}, index, sums_->phase_flows(index));
    }
    HashedTime here;
    add(here, index, bytes, squares, 1);
    return here.slowest().mean;
  }

  HashedSpan slowest() override { return all_.slowest(); }

  HashedSpan slowest_in(const Round& round, const TrafficSums& sums) override {
    nic_loads_.clear();
    for (const Group& group : phase_->groups) nic_loads_.add(group, round);
    find_busiest_nics();
    HashedTime time;
    for (const std::uint32_t index : sums.phase_loads().touched()) {
      const std::int64_t bytes = sums.phase_loads()[index];
      if (bytes > 0) add(time, index, bytes, sums.phase_squares(index), 1);
    }
    return time.slowest();
  }

  std::optional<HashedSpan> slowest_steps(ExchangeSteps& exchange,
                                          BytesPerSecond scale_up) override {
    nic_loads_.clear();
    for (const Group& group : phase_->groups) {
      if (group.stepwise && group.size >= 2) nic_loads_.add_step(group);
    }
    find_busiest_nics();
    crowding_ = pairs_.shared() ? pairs_.crowding_of_steps(*phase_) : 1;
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
      const double spread = as_spread(index, bytes, capacity);
      time.add({1, of(capacity), spread, spread * spread}, count);
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
      const double squares = place.squares * share * crowding_ / parts_;
      add(time, inward_bundle(place.place), bytes, squares, is_shared() ? 1 : 2);
      if (is_shared()) add(time, inward_bundle(place.place) + 1, bytes, squares, 1);
    }
    return time;
  }

  struct BusiestNic {
    double bytes = 0;
    Seconds time;
  };
  void find_busiest_nics() {
    for (const std::size_t index : busy_servers_) busiest_nics_[index] = {};
    busy_servers_.clear();
    nic_loads_.for_each([this](const NicLoads::Load& load) {
      const std::size_t index = 2 * load.server.index() + (load.outward ? 1 : 0);
      BusiestNic& busiest = busiest_nics_[index];
      if (busiest.bytes == 0) busy_servers_.push_back(index);
      double& of_a_byte = nic_times_[load.server.index() * nics_per_server() + load.nic];
      if (of_a_byte < 0) of_a_byte = nic_time(load.server, load.nic);
      const Seconds time{load.bytes * of_a_byte};
      if (busiest.bytes == 0 || time > busiest.time) busiest = {load.bytes, time};
    });
  }

  void refuse_dead_nics() const {
    nic_loads_.for_each([this](const NicLoads::Load& load) {
      if (std::isfinite(nic_times_[load.server.index() * nics_per_server() + load.nic])) return;
      throw PartedFlows("routing",
                        fmt::format("NIC {} of {} has a port that does not work, and phase {} "
                                    "uses it",
                                    load.nic, cluster_.server(load.server).name, phase_->name),
                        "repair the links, or leave out servers that have lost some");
    });
  }

  /// Of one byte. Flows of a NIC take the planes in turn, and have no way where one of its ports
  /// fails. A server without any working NIC is refused by name once all is added up.
  [[nodiscard]] double nic_time(ServerId server, std::size_t nic) const {
    const FabricSpec& spec = fabric_.spec();
    const auto all = static_cast<double>(fabric_.injection_capacity(server).count);
    if (all == 0) return 0;
    if (spec.tiers.back().switches == 0) return spec.nics_per_server / all;
    double longest = 0;
    for (int plane = 0; plane < spec.planes; ++plane) {
      const LinkId at = nic_link(fabric_, server, nic, static_cast<std::size_t>(plane));
      const Link& link = fabric_.links()[at.index()];
      const int parts = (parts_ - plane + spec.planes - 1) / spec.planes;
      const double cables = static_cast<double>(link.cables) * parts / parts_;
      longest = std::max(longest, cables / static_cast<double>(link.capacity.count));
    }
    return longest;
  }

  [[nodiscard]] std::size_t nics_per_server() const {
    return static_cast<std::size_t>(fabric_.spec().nics_per_server);
  }

  /// What would take as long, spread over all NICs of a server. In a step of an exchange, what all
  /// of them have may be less than what the busiest one has in others.
  [[nodiscard]] double as_spread(std::uint32_t index, std::int64_t bytes,
                                 BytesPerSecond capacity) const {
    const auto all = static_cast<double>(bytes);
    const BusiestNic& nic = busiest_nics_[index];
    if (nic.bytes <= 0) return all;
    const double share = std::min(1.0, all / nic.bytes);
    return std::max(all, nic.time.count * share * static_cast<double>(capacity.count));
  }

  const Cluster& cluster_;
  const Fabric& fabric_;
  BundleCables cables_;
  int parts_;
  NicPairs pairs_;
  double crowding_ = 1;                    // of the steps at hand
  NicLoads nic_loads_;                     // of the phase, its round or a step
  std::vector<BusiestNic> busiest_nics_;   // likewise, by bundle of a server
  std::vector<double> nic_times_;          // of one byte, by NIC; -1: not asked for yet
  std::vector<std::size_t> busy_servers_;  // those of which some NIC has a load
  const Phase* phase_ = nullptr;
  const TrafficSums* sums_ = nullptr;
  HashedTime all_;
};

}  // namespace

std::unique_ptr<LinkTimes> hashed_times(const PlacedTraffic& placed) {
  return std::make_unique<HashedTimes>(placed);
}

}  // namespace zonecut
