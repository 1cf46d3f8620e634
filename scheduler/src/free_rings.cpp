#include "free_rings.hpp"

#include <algorithm>
#include <numeric>

#include "mapping_units.hpp"

namespace zonecut {
namespace {

/// The traffic with those groups alone that `wanted` accepts.
template <class Wanted>
Traffic only(const Traffic& traffic, Wanted wanted) {
  Traffic part = traffic;
  for (Phase& phase : part.phases)
    std::erase_if(phase.groups, [&](const Group& group) { return !wanted(phase, group); });
  return part;
}

std::vector<std::size_t> servers_of(const Traffic& traffic, const Group& group) {
  std::vector<std::size_t> servers;
  for (const RankId rank : traffic.members_of(group))
    servers.push_back(rank.index() / traffic.ranks_per_server);
  std::ranges::sort(servers);
  servers.erase(std::ranges::unique(servers).begin(), servers.end());
  return servers;
}

/// Whether any two free rings of the phase have the same servers or none in common.
bool are_apart(const Traffic& traffic, const Phase& phase) {
  std::vector<const Group*> owner(traffic.vertices(), nullptr);
  for (const Group& group : phase.groups) {
    if (!group.any_order) continue;
    const std::vector<std::size_t> servers = servers_of(traffic, group);
    const Group* const first = owner[servers.front()];
    for (const std::size_t server : servers) {
      if (owner[server] != first) return false;
      if (first == nullptr) owner[server] = &group;
    }
    if (first != nullptr && servers != servers_of(traffic, *first)) return false;
  }
  return true;
}

}  // namespace

std::vector<ChosenRing> chosen_rings(const Traffic& traffic) {
  std::vector<ChosenRing> rings;
  for (const Phase& phase : traffic.phases) {
    for (const Group& group : phase.groups) {
      if (!group.any_order) continue;
      const auto members = traffic.members_of(group);
      rings.push_back({phase.name, {members.begin(), members.end()}});
    }
  }
  return rings;
}

std::optional<CutBound> free_ring_bound(const Traffic& traffic, const SlotTree& tree,
                                        std::span<const Coordinates> coordinates, Effort effort) {
  std::optional<CutBound> sum;
  const auto add = [&](const Traffic& part) {
    const CommunicationGraph graph = contract(part);
    const ScaledGraph scaled = scale_for(graph, tree);
    const auto bound = cut_lower_bound(scaled.graph(), tree, coordinates, effort);
    if (!bound) return;
    if (!sum) sum = CutBound{0, "rings of any order and all else, bounded apart"};
    sum->value += bound->value * scaled.unit();
  };
  // By vertex, so that rings over the same servers go through them in the same order.
  std::vector<std::size_t> place(traffic.vertices());
  std::iota(place.begin(), place.end(), std::size_t{0});
  const Traffic in_order = arranged(traffic, place);
  for (const Phase& phase : in_order.phases) {
    const bool has_free = std::ranges::any_of(phase.groups, &Group::any_order);
    if (!has_free || !are_apart(in_order, phase)) continue;
    add(only(in_order, [&](const Phase& other, const Group& group) {
      return other.name == phase.name && group.any_order;
    }));
  }
  add(only(in_order, [](const Phase&, const Group& group) { return !group.any_order; }));
  return sum;
}

}  // namespace zonecut
