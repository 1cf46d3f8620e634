// Flows get ways by edge colouring where the fabric is regular, and one after the other where it is
// not; then the busiest cables give away what fits better elsewhere.
#include "routing/engineered_routes.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <utility>

#include "routing/coloured_ways.hpp"
#include "routing/engineered_flows.hpp"
#include "routing/least_busy.hpp"
#include "routing/way_exchange.hpp"
#include "routing/way_search.hpp"

namespace zonecut {
namespace {

/// By falling size, equal ones leaf by leaf, for whose sake paths are looked up.
std::vector<std::uint32_t> by_size(const Cables& cables, std::span<const NicFlow> flows) {
  std::vector<std::uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto leaf = [&](std::uint32_t index) {
    const auto ports = cables.ports_of(flows[index].to);
    return ports.empty() ? SwitchId{0} : ports.front().leaf;
  };
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    if (flows[a].bytes != flows[b].bytes) return flows[a].bytes > flows[b].bytes;
    return leaf(a) < leaf(b);
  });
  return order;
}

class Controller {
 public:
  explicit Controller(const Cables& cables)
      : cluster_(cables.fabric().cluster()),
        cables_(cables),
        paths_(cables),
        busy_(cables),
        above_(cables.fabric().switches().size()) {
    for (const Link& link : cables.fabric().links()) {
      if (const auto* lower = std::get_if<SwitchId>(&link.lower))
        above_[lower->index()].capacity += static_cast<double>(link.capacity.count);
    }
  }

  /// The next flow, no larger than the one before. Chooses the plane in which its two NICs have the
  /// least to do, then what is above their leaves.
  void add(std::uint32_t number, const NicFlow& flow) {
    LeafFlow best{number, flow.bytes, nullptr, nullptr, 0};
    constexpr double kUnreached = std::numeric_limits<double>::infinity();
    std::pair<double, double> least{kUnreached, kUnreached};
    const auto from = cables_.ports_of(flow.from);
    const auto to = cables_.ports_of(flow.to);
    for (std::size_t plane = 0; plane < from.size(); ++plane) {
      if (cables_.capacity(from[plane].cable) <= 0 || cables_.capacity(to[plane].cable) <= 0)
        continue;
      const double busy = std::max(busy_.seconds(Cables::load_index(from[plane].cable, Way::Up)),
                                   busy_.seconds(Cables::load_index(to[plane].cable, Way::Down)));
      const std::pair next{busy, busy_above(from[plane].leaf, to[plane].leaf)};
      if (next >= least) continue;
      const std::optional<int> turn = paths_.turn_between(from[plane].leaf, to[plane].leaf);
      if (!turn) continue;
      least = next;
      best.from = &from[plane];
      best.to = &to[plane];
      best.turn = *turn;
    }
    if (best.from == nullptr) {
      ++parted_;
      return;
    }
    for (const std::uint32_t hop : ends_of(best)) busy_.add(hop, best.bytes);
    if (best.from->leaf != best.to->leaf) {
      above_[best.from->leaf.index()].out += best.bytes;
      above_[best.to->leaf.index()].in += best.bytes;
    }
    flows_.push_back(best);
  }

  [[nodiscard]] RoutedLoads finish(Paths paths) && {
    Plan plan = planned(0);
    // Colours count flows, not their bytes: where that leaves more than the least, sizes one after
    // the other may do better.
    const double least = std::max(busiest_port(), least_busy(cables_, flows_));
    if (busiest(plan) > least * (1 + 1e-9)) {
      if (plan.coloured_far > 0) {
        Plan other = planned(cluster_.rack_level() - 1);
        if (busiest(other) < busiest(plan)) plan = std::move(other);
      }
      relieve(plan, least);
      WaySearch search(cables_, paths_, plan.busy);
      WayExchange(cables_, flows_, search, plan.ways, plan.busy).relieve(least);
    }
    return loads(plan, paths);
  }

 private:
  /// Between a leaf and the switches above it.
  struct Above {
    double capacity = 0;
    double out = 0;
    double in = 0;
  };

  /// Seconds, if all links there were one.
  [[nodiscard]] double busy_above(SwitchId from, SwitchId to) const {
    const Above& up = above_[from.index()];
    const Above& down = above_[to.index()];
    return from == to ? 0 : std::max(up.out / up.capacity, down.in / down.capacity);
  }

  struct Plan {
    ChosenWays ways;
    BusyCables busy;
    std::size_t coloured_far = 0;  // flows by colouring across domains next to the racks
  };

  /// Flows that turn at this tier or below by colouring, as far as it goes; the others one after
  /// the other.
  [[nodiscard]] Plan planned(int highest) {
    Plan plan{ChosenWays(flows_.size(), cluster_.rack_level()), busy_};
    const std::vector<bool> coloured = colour_ways(cables_, flows_, highest, plan.busy, plan.ways);
    WaySearch search(cables_, paths_, plan.busy);
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      if (coloured[i]) {
        if (flows_[i].turn + 1 < cluster_.rack_level()) ++plan.coloured_far;
        continue;
      }
      search.find(flows_[i], plan.ways.of(i, flows_[i]));
      plan.busy.add(plan.ways.of(i, flows_[i]), flows_[i].bytes);
    }
    return plan;
  }

  /// Between leaves.
  [[nodiscard]] double busiest(Plan& plan) const {
    double most = 0;
    for (std::size_t i = 0; i < flows_.size(); ++i)
      most = std::max(most, plan.busy.most(plan.ways.of(i, flows_[i])));
    return most;
  }

  /// Between servers and leaves, where nothing is chosen any more.
  [[nodiscard]] double busiest_port() const {
    double most = 0;
    for (const LeafFlow& flow : flows_) most = std::max(most, busy_.most(ends_of(flow)));
    return most;
  }

  /// Takes flows off the busiest cables as long as they fit better elsewhere and one is busier than
  /// it must be.
  void relieve(Plan& plan, double enough) {
    WaySearch search(cables_, paths_, plan.busy);
    std::size_t trials = 0;
    for (double most = busiest(plan); most > enough * (1 + 1e-9);) {
      const double least = most * (1 - 1e-9);
      std::optional<std::uint32_t> first;  // of the busiest cables
      bool first_gave = false;
      for (std::size_t i = 0; i < flows_.size() && trials < kMostTrials; ++i) {
        const auto way = plan.ways.of(i, flows_[i]);
        const auto busiest = std::find_if(way.begin(), way.end(), [&](std::uint32_t hop) {
          return plan.busy.seconds(hop) >= least;
        });
        if (busiest == way.end()) continue;
        if (!first) first = *busiest;
        // As long as one of them has given nothing away, the others need not.
        if (!first_gave && *busiest != *first) continue;
        ++trials;
        first_gave = move(search, plan, i, least) || first_gave;
      }
      if (!first_gave) return;
      most = busiest(plan);
    }
  }

  /// To a way less busy than this, if there is one.
  [[nodiscard]] bool move(WaySearch& search, Plan& plan, std::size_t i, double most) {
    const auto way = plan.ways.of(i, flows_[i]);
    plan.busy.add(way, -flows_[i].bytes);
    other_.resize(way.size());
    search.find(flows_[i], other_);
    plan.busy.add(other_, flows_[i].bytes);
    if (plan.busy.most(other_) < most) {
      std::copy(other_.begin(), other_.end(), way.begin());
      return true;
    }
    plan.busy.add(other_, -flows_[i].bytes);
    plan.busy.add(way, flows_[i].bytes);
    return false;
  }
  static constexpr std::size_t kMostTrials = 2'000;

  [[nodiscard]] static std::array<std::uint32_t, 2> ends_of(const LeafFlow& flow) {
    return {static_cast<std::uint32_t>(Cables::load_index(flow.from->cable, Way::Up)),
            static_cast<std::uint32_t>(Cables::load_index(flow.to->cable, Way::Down))};
  }

  [[nodiscard]] RoutedLoads loads(Plan& plan, Paths paths) const {
    RoutedLoads loads;
    loads.bytes.assign(2 * cables_.count(), 0);
    loads.squares.assign(2 * cables_.count(), 0);
    loads.rules.assign(cables_.fabric().switches().size(), 0);
    loads.parted = parted_;
    std::vector<std::uint32_t> path;
    for (std::size_t i = 0; i < flows_.size(); ++i) {
      const LeafFlow& flow = flows_[i];
      const auto way = plan.ways.of(i, flow);
      const auto ends = ends_of(flow);
      path.assign(1, ends.front());
      path.insert(path.end(), way.begin(), way.end());
      path.push_back(ends.back());
      for (const std::uint32_t hop : path) {
        loads.bytes[hop] += flow.bytes;
        loads.squares[hop] += flow.bytes * flow.bytes;
      }
      count_rules(cables_, path, 1, loads.rules);
      if (paths == Paths::Forget) continue;
      loads.parts.push_back({flow.number, static_cast<std::uint32_t>(loads.hops.size()),
                             static_cast<std::uint32_t>(path.size()), flow.bytes});
      loads.hops.insert(loads.hops.end(), path.begin(), path.end());
    }
    return loads;
  }

  const Cluster& cluster_;
  const Cables& cables_;
  UpDownPaths paths_;
  BusyCables busy_;
  std::vector<Above> above_;  // by switch
  std::size_t parted_ = 0;
  std::vector<LeafFlow> flows_;       // by falling size
  std::vector<std::uint32_t> other_;  // way of the flow at hand
};

/// Whether the two may be under way at a time.
bool meet(const NicFlow& a, const NicFlow& b) {
  return a.stepwise == b.stepwise && (!a.stepwise || a.round == b.round);
}

/// Of flows that may all be under way at a time.
RoutedLoads routes_at_a_time(const Cables& cables, std::span<const NicFlow> flows, Paths paths) {
  Controller controller(cables);
  for (const std::uint32_t index : by_size(cables, flows)) controller.add(index, flows[index]);
  return std::move(controller).finish(paths);
}

/// Step by step; what waits for no step as one.
RoutedLoads routes_apart(const Cables& cables, std::span<const NicFlow> flows, Paths paths) {
  RoutedLoads loads;
  loads.bytes.assign(2 * cables.count(), 0);
  loads.squares.assign(2 * cables.count(), 0);
  loads.rules.assign(cables.fabric().switches().size(), 0);
  std::vector<std::uint32_t> numbers(flows.size());
  std::iota(numbers.begin(), numbers.end(), 0U);
  for (std::size_t first = 0; first < flows.size();) {
    std::size_t last = first;
    while (last < flows.size() && meet(flows[first], flows[last])) ++last;
    loads.add(routes_at_a_time(cables, flows.subspan(first, last - first), paths),
              std::span(numbers).subspan(first));
    first = last;
  }
  return loads;
}

/// Until all steps are done one after the other, and until each cable has passed all it must.
double seconds_of(const Cables& cables, std::span<const NicFlow> flows, const RoutedLoads& loads) {
  std::vector<double> bytes(loads.bytes.size(), 0);  // of the step at hand
  std::vector<std::uint32_t> touched;
  double steps = 0;
  for (std::size_t first = 0; first < loads.parts.size();) {
    double longest = 0;
    std::size_t last = first;
    const NicFlow& flow = flows[loads.parts[first].flow];
    for (; last < loads.parts.size() && meet(flow, flows[loads.parts[last].flow]); ++last) {
      for (const std::uint32_t hop : loads.path(loads.parts[last])) {
        bytes[hop] += loads.parts[last].bytes;
        longest = std::max(longest, bytes[hop] / cables.capacity(hop / 2));
        touched.push_back(hop);
      }
    }
    if (flow.stepwise) steps += longest;
    for (const std::uint32_t hop : touched) bytes[hop] = 0;
    touched.clear();
    first = last;
  }
  return std::max(steps, busiest(cables, loads).time.count);
}

/// Steps beside flows that go on all the time: apart or together, whichever takes less long.
RoutedLoads better_routes(const Cables& cables, std::span<const NicFlow> flows, Paths paths) {
  RoutedLoads apart = routes_apart(cables, flows, Paths::Keep);
  RoutedLoads together = routes_at_a_time(cables, flows, Paths::Keep);
  std::stable_sort(together.parts.begin(), together.parts.end(),
                   [](const RoutedPart& a, const RoutedPart& b) { return a.flow < b.flow; });
  RoutedLoads& better =
      seconds_of(cables, flows, together) < seconds_of(cables, flows, apart) ? together : apart;
  if (paths == Paths::Forget) {
    better.parts.clear();
    better.hops.clear();
  }
  return std::move(better);
}

}  // namespace

RoutedLoads engineered_routes(const Cables& cables, std::span<const NicFlow> flows, Paths paths) {
  const auto steps =
      std::count_if(flows.begin(), flows.end(), [](const NicFlow& flow) { return flow.stepwise; });
  if (steps == 0) return routes_at_a_time(cables, flows, paths);
  return steps == std::ssize(flows) ? routes_apart(cables, flows, paths)
                                    : better_routes(cables, flows, paths);
}

}  // namespace zonecut
