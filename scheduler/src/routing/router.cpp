#include "routing/router.hpp"

#include <algorithm>
#include <numeric>

#include "routing/engineered_routes.hpp"
#include "routing/next_hops.hpp"
#include "routing/stale_routes.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {
namespace {

/// One flow after the other, each queue pair of it on a path of its own choice.
class HashRouter {
 public:
  HashRouter(const Cables& cables, const Routing& routing, std::uint64_t seed, Paths paths)
      : cables_(cables),
        next_(cables, routing.scheme == RoutingScheme::Pinned),
        pinned_(routing.scheme == RoutingScheme::Pinned),
        seed_(seed),
        keep_(paths == Paths::Keep) {
    loads_.bytes.assign(2 * cables.count(), 0);
    loads_.squares.assign(2 * cables.count(), 0);
  }

  void expect(std::size_t parts) {
    if (!keep_) return;
    loads_.parts.reserve(parts);
    loads_.hops.reserve(parts * next_.most_hops());
  }

  void set_destination(SwitchId leaf) { next_.set_destination(leaf); }

  /// Queue pairs of a flow: every `step`-th of `count` from `first` on.
  struct QueuePairs {
    std::uint32_t first;
    std::uint32_t step;
    std::uint32_t count;
  };
  /// Flow `number` of those given, in one plane.
  void add(std::uint32_t number, const NicFlow& flow, const Cables::Port& from,
           const Cables::Port& to, const QueuePairs& pairs) {
    const std::optional<int> climbs =
        cables_.capacity(from.cable) > 0 && cables_.capacity(to.cable) > 0
            ? next_.climbs_from(from.leaf)
            : std::nullopt;
    // What the switches' hash functions see of all its packets.
    const std::uint64_t ends = Random(seed_ ^ (std::uint64_t{flow.from} << 32 | flow.to)).next();
    for (std::uint32_t pair = pairs.first; pair < pairs.count; pair += pairs.step) {
      if (climbs) {
        send(number, from, to, static_cast<std::size_t>(*climbs),
             ends ^ (std::uint64_t{pair} << 40), flow.bytes / pairs.count);
      } else {
        ++loads_.parted;
      }
    }
  }

  [[nodiscard]] RoutedLoads take_loads() && { return std::move(loads_); }

 private:
  /// Up so many tiers and down again.
  void send(std::uint32_t number, const Cables::Port& from, const Cables::Port& to,
            std::size_t climbs, std::uint64_t key, double bytes) {
    if (keep_) {
      loads_.parts.push_back({number, static_cast<std::uint32_t>(loads_.hops.size()),
                              static_cast<std::uint32_t>(2 * climbs + 2), bytes});
    }
    load(Cables::load_index(from.cable, Way::Up), bytes);
    SwitchId at = from.leaf;
    for (std::size_t left = climbs; left > 0; --left) {
      const auto pinned =
          pinned_ && left == climbs ? next_.pinned_uplink(from, to, left) : std::nullopt;
      at = take(next_.climbing(at, left), key ^ at.index(), pinned, bytes);
    }
    for (std::size_t left = climbs; left > 0; --left)
      at = take(next_.descending(at), key ^ at.index(), std::nullopt, bytes);
    load(Cables::load_index(to.cable, Way::Down), bytes);
  }

  void load(std::size_t load_index, double bytes) {
    loads_.bytes[load_index] += bytes;
    loads_.squares[load_index] += bytes * bytes;
    if (keep_) loads_.hops.push_back(static_cast<std::uint32_t>(load_index));
  }

  /// Goes on over the hop that is pinned, or over the one that the hash says.
  [[nodiscard]] SwitchId take(std::span<const NextHop> hops, std::uint64_t key,
                              std::optional<std::size_t> pinned, double bytes) {
    std::size_t choice = 0;
    if (pinned) {
      choice = *pinned;
    } else if (hops.size() > 1) {
      choice = Random(key).next() % hops.size();
    }
    load(hops[choice].load_index, bytes);
    return hops[choice].at;
  }

  const Cables& cables_;
  NextHops next_;
  bool pinned_;
  std::uint64_t seed_;
  bool keep_;
  RoutedLoads loads_;
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

RoutedLoads route_hashed(const Cables& cables, std::span<const NicFlow> flows,
                         const Routing& routing, std::uint64_t seed, Paths paths) {
  HashRouter router(cables, routing, seed, paths);
  const auto planes = static_cast<std::uint32_t>(cables.fabric().spec().planes);
  const auto parts =
      static_cast<std::uint32_t>(flows_of_a_pair(routing, cables.fabric().spec().planes));
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

void RoutedLoads::add(const RoutedLoads& others, std::span<const std::uint32_t> numbers) {
  const auto add_each = [](auto& sums, const auto& more) {
    sums.resize(std::max(sums.size(), more.size()));
    for (std::size_t i = 0; i < more.size(); ++i) sums[i] += more[i];
  };
  add_each(bytes, others.bytes);
  add_each(squares, others.squares);
  add_each(rules, others.rules);
  parted += others.parted;
  const auto before = static_cast<std::uint32_t>(hops.size());
  hops.insert(hops.end(), others.hops.begin(), others.hops.end());
  for (RoutedPart part : others.parts) {
    part.flow = numbers[part.flow];
    part.first_hop += before;
    parts.push_back(part);
  }
}

void count_rules(const Cables& cables, std::span<const std::uint32_t> path, std::int64_t each,
                 std::vector<std::int64_t>& rules) {
  if (path.size() <= 2) return;
  for (const std::uint32_t hop : path.first(path.size() - 1)) {
    const Link& link = cables.fabric().links()[cables.link_of(hop / 2).index()];
    const bool up = hop == Cables::load_index(hop / 2, Way::Up);
    rules[(up ? link.upper : std::get<SwitchId>(link.lower)).index()] += each;
  }
}

RoutedLoads route(const Cables& cables, std::span<const NicFlow> flows, const Routing& routing,
                  std::uint64_t seed, Paths paths) {
  if (routing.scheme == RoutingScheme::Engineered) {
    return routing.stale_rules ? stale_routes(cables, flows, routing, seed, paths)
                               : engineered_routes(cables, flows, paths);
  }
  return route_hashed(cables, flows, routing, seed, paths);
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
