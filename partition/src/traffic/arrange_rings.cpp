#include <algorithm>

#include "zonecut/base/error.hpp"
#include "zonecut/partition/traffic.hpp"

namespace zonecut {

bool has_free_rings(const Traffic& traffic) {
  return std::ranges::any_of(traffic.phases, [](const Phase& phase) {
    return std::ranges::any_of(phase.groups, &Group::any_order);
  });
}

Traffic arranged(const Traffic& traffic, std::span<const std::size_t> place) {
  ZONECUT_ENSURES(place.size() == traffic.vertices());
  Traffic result = traffic;
  const auto place_of = [&](RankId rank) { return place[rank.index() / traffic.ranks_per_server]; };
  for (const Phase& phase : result.phases) {
    for (const Group& group : phase.groups) {
      if (!group.any_order) continue;
      std::ranges::stable_sort(std::span(result.members).subspan(group.first_member, group.size),
                               {}, place_of);
    }
  }
  return result;
}

}  // namespace zonecut
