#include "routing/router.hpp"

#include <algorithm>
#include <numeric>

#include "routing/engineered_routes.hpp"
#include "routing/up_down_paths.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

/// One flow after the other, each queue pair of it on a path of its own choice. The cables that
/// lead on from a switch are gathered once for each destination.
class HashRouter {
 public:
  HashRouter(const Cluster& cluster, const Cables& cables, const Routing& routing,
             std::uint64_t seed, Paths paths)
      : cables_(cables),
        links_(cables.fabric().links()),
        paths_(cluster, cables),
        pinned_(routing.scheme == RoutingScheme::Pinned),
        seed_(seed),
        keep_(paths == Paths::Keep),
        ways_on_(static_cast<std::size_t>(cluster.rack_level()) + 1),
        choices_(cables.fabric().switches().size() * ways_on_) {
    loads_.bytes.assign(2 * cables.count(), 0);
  }

  void expect(std::size_t parts) {
    if (!keep_) return;
    loads_.parts.reserve(parts);
    loads_.hops.reserve(parts * 2 * ways_on_);
  }

  void set_destination(SwitchId leaf) {
    paths_.set_destination(leaf);
    ++epoch_;
    ports_.clear();
    gather_down();
  }

  /// Queue pairs of a flow: every `step`-th of `count` from `first` on.
  struct QueuePairs {
    std::uint32_t first;
    std::uint32_t step;
    std::uint32_t count;
  };
  /// Flow `number` of those given, in one plane.
  void add(std::uint32_t number, const NicFlow& flow, const Cables::Port& from,
           const Cables::Port& to, const QueuePairs& pairs) {
    const std::optional<int> turn =
        cables_.capacity(from.cable) > 0 && cables_.capacity(to.cable) > 0
            ? paths_.turn_level(from.leaf)
            : std::nullopt;
    const int climbs = turn ? paths_.level(from.leaf) - *turn : 0;
    // What the switches' hash functions see of all its packets.
    const std::uint64_t ends = Random(seed_ ^ (std::uint64_t{flow.from} << 32 | flow.to)).next();
    for (std::uint32_t pair = pairs.first; pair < pairs.count; pair += pairs.step) {
      if (turn) {
        send(number, from, to, climbs, ends ^ (std::uint64_t{pair} << 40),
             flow.bytes / pairs.count);
      } else {
        ++loads_.parted;
      }
    }
  }

  [[nodiscard]] RoutedLoads take_loads() && { return std::move(loads_); }

 private:
  struct NextHop {
    std::uint32_t load_index;
    SwitchId at;
  };
  /// Where a switch may send towards the destination at hand: hops_, and for pinning all its cables
  /// as if none were down: ports_, indices among these hops.
  struct Choices {
    std::uint32_t epoch = 0;
    std::uint32_t first_hop = 0;
    std::uint32_t hops = 0;
    std::uint32_t first_port = 0;
    std::uint32_t ports = 0;
  };

  /// Up so many tiers and down again.
  void send(std::uint32_t number, const Cables::Port& from, const Cables::Port& to, int climbs,
            std::uint64_t key, double bytes) {
    if (keep_) {
      loads_.parts.push_back({number, static_cast<std::uint32_t>(loads_.hops.size()),
                              static_cast<std::uint32_t>(2 * climbs + 2), bytes});
    }
    load(Cables::load_index(from.cable, Way::Up), bytes);
    SwitchId at = from.leaf;
    for (int left = climbs; left > 0; --left) {
      const Choices& here = climbing(at, static_cast<std::size_t>(left));
      const std::uint32_t pinned =
          pinned_ && left == climbs ? pinned_uplink(here, from, to) : kDown;
      at = take(here, key ^ at.index(), pinned, bytes);
    }
    for (int left = climbs; left > 0; --left)
      at = take(descending(at), key ^ at.index(), kDown, bytes);
    load(Cables::load_index(to.cable, Way::Down), bytes);
  }

  void load(std::size_t load_index, double bytes) {
    loads_.bytes[load_index] += bytes;
    if (keep_) loads_.hops.push_back(static_cast<std::uint32_t>(load_index));
  }

  /// With so many tiers left to climb.
  [[nodiscard]] const Choices& climbing(SwitchId at, std::size_t left) {
    Choices& here = choices_[at.index() * ways_on_ + left];
    if (here.epoch != epoch_) here = gather_up(at, paths_.level(at) - static_cast<int>(left));
    return here;
  }

  [[nodiscard]] const Choices& descending(SwitchId at) const {
    return choices_[at.index() * ways_on_];
  }

  [[nodiscard]] Choices gather_up(SwitchId at, int turn) {
    Choices found{epoch_, static_cast<std::uint32_t>(hops_.size()), 0,
                  static_cast<std::uint32_t>(ports_.size()), 0};
    for (const LinkId id : cables_.up_links(at)) {
      const Link& link = links_[id.index()];
      const bool leads = link.capacity.count > 0 && paths_.can_climb(link.upper, turn);
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(link.cables); ++i) {
        if (pinned_) ports_.push_back(leads ? found.hops : kDown);
        if (!leads) continue;
        hops_.push_back({load_index(id, i, Way::Up), link.upper});
        ++found.hops;
      }
      if (pinned_) found.ports += static_cast<std::uint32_t>(link.cables);
    }
    return found;
  }

  /// For all switches above the destination: how many there are of each, where they begin, and they
  /// themselves.
  void gather_down() {
    const auto at = [&](const Link& link) -> Choices& {
      return choices_[link.upper.index() * ways_on_];
    };
    for (const LinkId id : paths_.links_down()) {
      Choices& here = at(links_[id.index()]);
      if (here.epoch != epoch_) here = {epoch_, kDown, 0, 0, 0};
      here.hops += static_cast<std::uint32_t>(links_[id.index()].cables);
    }
    std::uint32_t next = 0;
    for (const LinkId id : paths_.links_down()) {
      Choices& here = at(links_[id.index()]);
      if (here.first_hop != kDown) continue;
      here.first_hop = next;
      next += here.hops;
      here.hops = 0;
    }
    hops_.assign(next, {0, SwitchId{0}});
    for (const LinkId id : paths_.links_down()) {
      const Link& link = links_[id.index()];
      const auto* lower = std::get_if<SwitchId>(&link.lower);
      Choices& here = at(link);
      for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(link.cables); ++i)
        hops_[here.first_hop + here.hops++] = {load_index(id, i, Way::Down), *lower};
    }
  }

  [[nodiscard]] std::uint32_t load_index(LinkId link, std::uint32_t cable, Way way) const {
    return static_cast<std::uint32_t>(Cables::load_index(cables_.first_cable(link) + cable, way));
  }

  /// Only leaves pin: at a spine all flows of one slice would meet on one uplink again. Where a
  /// leaf has m uplinks for each port, m flows to one slice from different parts of the rack each
  /// have their own.
  [[nodiscard]] std::uint32_t pinned_uplink(const Choices& here, const Cables::Port& from,
                                            const Cables::Port& to) const {
    const std::size_t ports = cables_.port_count(from.leaf);
    const std::size_t each = std::max<std::size_t>(1, here.ports / ports);
    const std::size_t slice = to.number * each + from.number * each / ports;
    return ports_[here.first_port + slice % here.ports];
  }

  /// Goes on over the hop that is pinned, or over the one that the hash says.
  [[nodiscard]] SwitchId take(const Choices& here, std::uint64_t key, std::uint32_t pinned,
                              double bytes) {
    std::uint64_t choice = pinned;
    if (pinned == kDown) choice = here.hops == 1 ? 0 : Random(key).next() % here.hops;
    const NextHop& hop = hops_[here.first_hop + choice];
    load(hop.load_index, bytes);
    return hop.at;
  }

  static constexpr std::uint32_t kDown = ~std::uint32_t{0};

  const Cables& cables_;
  std::span<const Link> links_;
  UpDownPaths paths_;
  bool pinned_;
  std::uint64_t seed_;
  bool keep_;
  RoutedLoads loads_;
  std::uint32_t epoch_ = 0;
  std::size_t ways_on_;           // by tiers left to climb; 0: down
  std::vector<Choices> choices_;  // by switch and way on
  std::vector<NextHop> hops_;
  std::vector<std::uint32_t> ports_;
};

/// By destination leaf, then as given.
std::vector<std::uint32_t> by_leaf(const Cables& cables, std::span<const NicFlow> flows) {
  std::vector<std::uint32_t> order(flows.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    return cables.ports_of(flows[a].to).front().leaf < cables.ports_of(flows[b].to).front().leaf;
  });
  return order;
}

RoutedLoads route_hashed(const Cluster& cluster, const Cables& cables,
                         std::span<const NicFlow> flows, const Routing& routing, std::uint64_t seed,
                         Paths paths) {
  HashRouter router(cluster, cables, routing, seed, paths);
  const auto planes = static_cast<std::uint32_t>(cables.fabric().spec().planes);
  const auto queue_pairs = routing.scheme == RoutingScheme::EnhancedEcmp
                               ? static_cast<std::uint32_t>(routing.queue_pairs)
                               : 1U;
  const std::uint32_t parts = std::max(queue_pairs, planes);
  const std::vector<std::uint32_t> order = by_leaf(cables, flows);
  router.expect(flows.size() * parts);
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    std::optional<SwitchId> destination;
    for (const std::uint32_t index : order) {
      const NicFlow& flow = flows[index];
      const Cables::Port& from = cables.ports_of(flow.from)[plane];
      const Cables::Port& to = cables.ports_of(flow.to)[plane];
      if (destination != to.leaf) router.set_destination(to.leaf);
      destination = to.leaf;
      router.add(index, flow, from, to, {plane, planes, parts});
    }
  }
  return std::move(router).take_loads();
}

}  // namespace

RoutedLoads route(const Cluster& cluster, const Cables& cables, std::span<const NicFlow> flows,
                  const Routing& routing, std::uint64_t seed, Paths paths) {
  if (routing.scheme == RoutingScheme::Engineered)
    return engineered_routes(cluster, cables, flows, paths);
  return route_hashed(cluster, cables, flows, routing, seed, paths);
}

BusiestCable busiest(const Cables& cables, const RoutedLoads& loads) {
  BusiestCable found;
  for (std::size_t index = 0; index < loads.bytes.size(); ++index) {
    if (loads.bytes[index] <= 0) continue;
    const Seconds time{loads.bytes[index] / cables.capacity(index / 2)};
    if (time > found.time) found = {index, time};
  }
  return found;
}

}  // namespace zonecut
