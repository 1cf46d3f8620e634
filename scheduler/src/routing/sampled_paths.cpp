#include "routing/sampled_paths.hpp"

#include <algorithm>
#include <numeric>

#include "zonecut/base/random.hpp"

namespace zonecut {
SampledPaths::SampledPaths(const Cables& cables, const Routing& routing)
    : cables_(cables),
      next_(cables, routing.scheme == RoutingScheme::Pinned),
      pinned_(routing.scheme == RoutingScheme::Pinned),
      planes_(static_cast<std::uint32_t>(cables.fabric().spec().planes)),
      pairs_(static_cast<std::uint32_t>(flows_of_a_pair(routing, cables.fabric().spec().planes))),
      position_(2 * cables.count(), kNotPassed) {}

void SampledPaths::draw(std::span<const NicFlow> flows, std::size_t launches) {
  for (const std::uint32_t index : passed_) position_[index] = kNotPassed;
  passed_.clear();
  parts_.clear();
  hops_.clear();
  parted_ = 0;
  chosen_ = false;
  Random random(1);
  seeds_.resize(launches);
  for (std::uint64_t& seed : seeds_) seed = random.next();
  for (std::uint32_t plane = 0; plane < planes_; ++plane) {
    const auto leaf_of = [&](std::uint32_t index) {
      return cables_.ports_of(flows[index].to)[plane].leaf;
    };
    std::vector<std::uint32_t> order(flows.size());
    std::iota(order.begin(), order.end(), 0U);
    std::stable_sort(order.begin(), order.end(),
                     [&](std::uint32_t a, std::uint32_t b) { return leaf_of(a) < leaf_of(b); });
    std::optional<SwitchId> destination;
    for (const std::uint32_t index : order) {
      if (destination != leaf_of(index)) next_.set_destination(leaf_of(index));
      destination = leaf_of(index);
      add(flows[index], plane);
    }
  }
  std::stable_sort(parts_.begin(), parts_.end(),
                   [](const SampledPart& a, const SampledPart& b) { return a.round < b.round; });
}

/// The queue pairs of a flow that are in this plane: they take the planes in turn.
void SampledPaths::add(const NicFlow& flow, std::uint32_t plane) {
  const Cables::Port& from = cables_.ports_of(flow.from)[plane];
  const Cables::Port& to = cables_.ports_of(flow.to)[plane];
  const bool works = cables_.capacity(from.cable) > 0 && cables_.capacity(to.cable) > 0;
  const std::optional<int> climbs = works ? next_.climbs_from(from.leaf) : std::nullopt;
  if (!climbs) {
    ++parted_;
    return;
  }
  const std::uint64_t ends = Random(flow.connection).next();
  for (std::uint32_t pair = plane; pair < pairs_; pair += planes_) {
    SampledPart part{flow.bytes / pairs_, flow.round};
    part.nics[0] = position_of(Cables::load_index(from.cable, Way::Up));
    part.nics[1] = position_of(Cables::load_index(to.cable, Way::Down));
    part.hops = static_cast<std::uint32_t>(2 * *climbs);
    part.first = hops_.size();
    parts_.push_back(part);
    send(from, to, static_cast<std::size_t>(*climbs), Random(ends ^ pair).next());
  }
}

/// Up so many tiers and down again, in every launch.
void SampledPaths::send(const Cables::Port& from, const Cables::Port& to, std::size_t climbs,
                        std::uint64_t key) {
  if (climbs == 0) return;
  const auto pinned = pinned_ ? next_.pinned_uplink(from, to, climbs) : std::nullopt;
  const std::size_t first = hops_.size();
  hops_.resize(first + 2 * climbs * seeds_.size());
  std::uint32_t* hop = &hops_[first];
  for (const std::uint64_t seed : seeds_) {
    Random random(key ^ seed);
    SwitchId at = from.leaf;
    const auto take = [&](std::span<const NextHop> hops, std::optional<std::size_t> choice) {
      chosen_ = chosen_ || (!choice && hops.size() > 1);
      const NextHop& next = hops[choice ? *choice : random.below(hops.size())];
      *hop++ = position_of(next.load_index);
      at = next.at;
    };
    for (std::size_t left = climbs; left > 0; --left)
      take(next_.climbing(at, left), left == climbs ? pinned : std::nullopt);
    for (std::size_t left = climbs; left > 0; --left) take(next_.descending(at), std::nullopt);
  }
}

}  // namespace zonecut
