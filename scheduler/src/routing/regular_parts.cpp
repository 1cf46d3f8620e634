#include "routing/regular_parts.hpp"

#include <algorithm>
#include <cmath>

namespace zonecut {
namespace {

/// A capacity split to the last byte per second leaves cables that differ by one.
bool same_capacity(double a, double b) { return std::abs(a - b) <= 1; }

}  // namespace

RegularParts::RegularParts(const Cables& cables)
    : cluster_(cables.fabric().cluster()),
      cables_(cables),
      planes_(static_cast<std::size_t>(cables.fabric().spec().planes)),
      known_(cluster_.domain_count() * planes_),
      samples_(known_.size()),
      unlike_(known_.size(), false),
      seen_(cables.fabric().switches().size(), false) {}

DomainId RegularParts::parent_of(SwitchId at) const {
  const DomainId domain = cables_.fabric().switches()[at.index()].place.domain;
  return cluster_.domain(domain).parent.value_or(Cluster::root());
}

std::size_t RegularParts::place_of(SwitchId at) const {
  const SwitchRef& place = cables_.fabric().switches()[at.index()].place;
  return place.domain.index() * planes_ + static_cast<std::size_t>(place.plane);
}

std::size_t RegularParts::place_of_parent(SwitchId at) const {
  const SwitchRef& place = cables_.fabric().switches()[at.index()].place;
  return parent_of(at).index() * planes_ + static_cast<std::size_t>(place.plane);
}

bool RegularParts::equal_capacities(SwitchId at) const {
  const auto links = cables_.up_links(at);
  return std::all_of(links.begin(), links.end(), [&](LinkId id) {
    const double capacity = cables_.capacity(cables_.first_cable(id));
    return capacity > 0 &&
           same_capacity(capacity, cables_.capacity(cables_.first_cable(links.front())));
  });
}

bool RegularParts::same_cables(SwitchId a, SwitchId b) const {
  const auto links = cables_.fabric().links();
  const auto of_a = cables_.up_links(a);
  const auto of_b = cables_.up_links(b);
  return std::equal(of_a.begin(), of_a.end(), of_b.begin(), of_b.end(), [&](LinkId x, LinkId y) {
    return links[x.index()].upper == links[y.index()].upper &&
           links[x.index()].cables == links[y.index()].cables &&
           same_capacity(cables_.capacity(cables_.first_cable(x)),
                         cables_.capacity(cables_.first_cable(y)));
  });
}

void RegularParts::take_part(SwitchId leaf) {
  if (seen_[leaf.index()]) return;
  seen_[leaf.index()] = true;
  const std::size_t place = place_of_parent(leaf);
  if (!samples_[place]) {
    samples_[place] = leaf;
    unlike_[place] = cables_.up_links(leaf).empty() || !equal_capacities(leaf);
  } else if (!same_cables(*samples_[place], leaf)) {
    unlike_[place] = true;
  }
}

bool RegularParts::even(SwitchId leaf) const {
  const auto links = cables_.up_links(leaf);
  return std::all_of(links.begin(), links.end(), [&](LinkId id) {
    return cables_.fabric().links()[id.index()].cables ==
           cables_.fabric().links()[links.front().index()].cables;
  });
}

std::optional<std::uint32_t> RegularParts::cables_up(SwitchId at) {
  Known& known = known_[place_of(at)];
  if (!known.looked) known = {true, look_up(at)};
  return known.cables;
}

std::optional<std::uint32_t> RegularParts::look_up(SwitchId at) const {
  const Fabric& fabric = cables_.fabric();
  const auto position = static_cast<std::size_t>(fabric.switches()[at.index()].place.index);
  const std::size_t first = at.index() - position;
  const std::size_t place = place_of(at);
  const auto sample = cables_.up_links(SwitchId{first});
  if (sample.empty() || !even(SwitchId{first}) || !equal_capacities(SwitchId{first}))
    return std::nullopt;
  for (std::size_t i = first; i < fabric.switches().size() && place_of(SwitchId{i}) == place; ++i) {
    if (!same_cables(SwitchId{first}, SwitchId{i})) return std::nullopt;
  }
  return static_cast<std::uint32_t>(fabric.links()[sample.front().index()].cables);
}

}  // namespace zonecut
