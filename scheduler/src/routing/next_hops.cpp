#include "routing/next_hops.hpp"

#include <algorithm>

namespace zonecut {

NextHops::NextHops(const Cables& cables, bool pinned)
    : cables_(cables),
      links_(cables.fabric().links()),
      paths_(cables),
      pinned_(pinned),
      ways_on_(static_cast<std::size_t>(cables.fabric().cluster().rack_level()) + 1),
      choices_(cables.fabric().switches().size() * ways_on_) {}

void NextHops::set_destination(SwitchId leaf) {
  paths_.set_destination(leaf);
  ++epoch_;
  ports_.clear();
  gather_down();
}

std::optional<int> NextHops::climbs_from(SwitchId leaf) {
  const std::optional<int> turn = paths_.turn_level(leaf);
  return turn ? std::optional(paths_.level(leaf) - *turn) : std::nullopt;
}

std::optional<std::size_t> NextHops::pinned_uplink(const Cables::Port& from, const Cables::Port& to,
                                                   std::size_t left) {
  static_cast<void>(climbing(from.leaf, left));
  const Choices& here = choices_[from.leaf.index() * ways_on_ + left];
  const std::size_t ports = cables_.port_count(from.leaf);
  const std::size_t each = std::max<std::size_t>(1, here.ports / ports);
  const std::size_t slice = to.number * each + from.number * each / ports;
  const std::uint32_t hop = ports_[here.first_port + slice % here.ports];
  return hop == kDown ? std::nullopt : std::optional<std::size_t>(hop);
}

NextHops::Choices NextHops::gather_up(SwitchId at, int turn) {
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
void NextHops::gather_down() {
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

}  // namespace zonecut
