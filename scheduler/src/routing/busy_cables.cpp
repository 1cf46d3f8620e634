#include "routing/busy_cables.hpp"

#include <algorithm>

namespace zonecut {

BusyCables::BusyCables(const Cables& cables)
    : cables_(&cables),
      seconds_(2 * cables.count(), 0),
      least_(2 * cables.fabric().links().size()) {
  for (std::size_t i = 0; i < cables.fabric().links().size(); ++i) {
    const std::size_t first = cables.first_cable(LinkId{i});
    for (const Way way : {Way::Up, Way::Down}) {
      least_[link_way(LinkId{i}, way)] = {
          0, 1 / cables.capacity(first),
          static_cast<std::uint32_t>(Cables::load_index(first, way))};
    }
  }
}

void BusyCables::add(std::uint32_t load_index, double bytes) {
  const LinkId link = cables_->link_of(load_index / 2);
  const Way way = load_index % 2 == 0 ? Way::Up : Way::Down;
  Least& least = least_[link_way(link, way)];
  seconds_[load_index] += bytes * least.seconds_per_byte;
  const std::size_t first = cables_->first_cable(link);
  const std::size_t past = cables_->first_cable(LinkId{link.index() + 1});
  least.load_index = static_cast<std::uint32_t>(Cables::load_index(first, way));
  for (std::size_t cable = first + 1; cable < past; ++cable) {
    const std::size_t index = Cables::load_index(cable, way);
    if (seconds_[index] < seconds_[least.load_index])
      least.load_index = static_cast<std::uint32_t>(index);
  }
  least.seconds = seconds_[least.load_index];
}

double BusyCables::most(std::span<const std::uint32_t> hops) const {
  double most = 0;
  for (const std::uint32_t hop : hops) most = std::max(most, seconds_[hop]);
  return most;
}

}  // namespace zonecut
