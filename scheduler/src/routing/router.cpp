#include "routing/router.hpp"

#include <algorithm>
#include <numeric>

#include "routing/engineered_routes.hpp"
#include "routing/up_down_paths.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

/// What the switches' hash functions see of a packet.
struct HashKey {
  std::uint32_t from;
  std::uint32_t to;
  std::uint32_t queue_pair;
};

std::uint64_t hash(const HashKey& key, SwitchId at, std::uint64_t seed) {
  Random mix(seed ^ (std::uint64_t{key.from} << 32 | key.to));
  return Random(mix.next() ^ (std::uint64_t{key.queue_pair} << 40) ^ at.index()).next();
}

/// One flow after the other, each on a path of its own choice.
class HashRouter {
 public:
  HashRouter(const Cluster& cluster, const Cables& cables, const Routing& routing,
             std::uint64_t seed, Paths paths)
      : cables_(cables),
        paths_(cluster, cables),
        routing_(routing),
        seed_(seed),
        keep_(paths == Paths::Keep) {
    loads_.bytes.assign(2 * cables.count(), 0);
  }

  void set_destination(SwitchId leaf) { paths_.set_destination(leaf); }

  /// Flow `number` of those given, or the part of it that one queue pair sends.
  void add(std::uint32_t number, const NicFlow& flow, const Cables::Port& from,
           const Cables::Port& to, std::uint32_t queue_pair, double bytes) {
    const std::optional<int> turn =
        cables_.capacity(from.cable) > 0 && cables_.capacity(to.cable) > 0
            ? paths_.turn_level(from.leaf)
            : std::nullopt;
    if (!turn) {
      ++loads_.parted;
      return;
    }
    if (keep_) {
      const auto first_hop = static_cast<std::uint32_t>(loads_.hops.size());
      loads_.parts.push_back({number, first_hop, 0, bytes});
    }
    load(from.cable, Way::Up, bytes);
    const HashKey key{flow.from, flow.to, queue_pair};
    SwitchId at = from.leaf;
    while (paths_.level(at) > *turn) {
      gather(cables_.up_links(at), [&](const Link& link) {
        return paths_.can_climb(link.upper, *turn) ? std::optional(link.upper) : std::nullopt;
      });
      const std::size_t pinned = paths_.is_leaf(at) ? pinned_uplink(from, to) : kDown;
      at = take(key, at, pinned, Way::Up, bytes);
    }
    while (at != to.leaf) {
      gather(cables_.down_links(at), [&](const Link& link) -> std::optional<SwitchId> {
        const auto* lower = std::get_if<SwitchId>(&link.lower);
        if (lower == nullptr || !paths_.can_descend(*lower)) return std::nullopt;
        return *lower;
      });
      at = take(key, at, kDown, Way::Down, bytes);
    }
    load(to.cable, Way::Down, bytes);
  }

  [[nodiscard]] RoutedLoads take_loads() && { return std::move(loads_); }

 private:
  struct NextHop {
    std::size_t cable;
    SwitchId at;
  };

  void load(std::size_t cable, Way way, double bytes) {
    const std::size_t index = Cables::load_index(cable, way);
    loads_.bytes[index] += bytes;
    if (!keep_) return;
    loads_.hops.push_back(static_cast<std::uint32_t>(index));
    ++loads_.parts.back().hops;
  }

  /// The cables that lead on, and how many there would be if none of these links were down.
  template <class Leads>
  void gather(std::span<const LinkId> links, const Leads& leads) {
    hops_.clear();
    ports_.clear();
    for (const LinkId id : links) {
      const Link& link = cables_.fabric().links()[id.index()];
      const std::size_t first = cables_.first_cable(id);
      const auto cables = static_cast<std::size_t>(link.cables);
      const std::optional<SwitchId> next = link.capacity.count > 0 ? leads(link) : std::nullopt;
      for (std::size_t i = 0; i < cables; ++i) {
        ports_.push_back(next ? hops_.size() : kDown);
        if (next) hops_.push_back({first + i, *next});
      }
    }
  }

  /// Only leaves pin: at a spine all flows of one slice would meet on one uplink again. Where a
  /// leaf has m uplinks for each port, m flows to one slice from different parts of the rack each
  /// have their own.
  [[nodiscard]] std::size_t pinned_uplink(const Cables::Port& from, const Cables::Port& to) const {
    if (routing_.scheme != RoutingScheme::Pinned) return kDown;
    const std::size_t ports = cables_.port_count(from.leaf);
    const std::size_t each = std::max<std::size_t>(1, ports_.size() / ports);
    return ports_[(to.number * each + from.number * each / ports) % ports_.size()];
  }

  /// Goes on over hops_[pinned], or over the one that the hash says.
  [[nodiscard]] SwitchId take(const HashKey& key, SwitchId at, std::size_t pinned, Way way,
                              double bytes) {
    const std::size_t choice = pinned != kDown ? pinned : hash(key, at, seed_) % hops_.size();
    load(hops_[choice].cable, way, bytes);
    return hops_[choice].at;
  }

  static constexpr std::size_t kDown = ~std::size_t{0};

  const Cables& cables_;
  UpDownPaths paths_;
  Routing routing_;
  std::uint64_t seed_;
  bool keep_;
  RoutedLoads loads_;
  std::vector<NextHop> hops_;       // of the switch at hand: those that lead on
  std::vector<std::size_t> ports_;  // of the switch at hand, with failed ones: index into hops_
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
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    std::optional<SwitchId> destination;
    for (const std::uint32_t index : order) {
      const NicFlow& flow = flows[index];
      const Cables::Port& from = cables.ports_of(flow.from)[plane];
      const Cables::Port& to = cables.ports_of(flow.to)[plane];
      if (destination != to.leaf) router.set_destination(to.leaf);
      destination = to.leaf;
      for (std::uint32_t part = plane; part < parts; part += planes)
        router.add(index, flow, from, to, part, flow.bytes / parts);
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
