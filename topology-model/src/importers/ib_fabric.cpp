#include "importers/ib_fabric.hpp"

#include <algorithm>
#include <map>
#include <queue>
#include <unordered_map>

#include "zonecut/base/disjoint_sets.hpp"

namespace zonecut::importers {
namespace {

/// Joins two sets for which the least member stands, so that it does for both.
void join_to_least(DisjointSets& sets, std::size_t a, std::size_t b) {
  const auto [least, other] = std::minmax({sets.find(a), sets.find(b)});
  sets.join(other, least);
}

/// The known group that owns most of these leaves, when it owns at least half or none is left for a
/// group of their own.
std::optional<std::size_t> owner_of_most(const std::vector<std::size_t>& leaves,
                                         const std::vector<std::optional<std::size_t>>& owner) {
  std::map<std::size_t, std::size_t> votes;
  std::size_t owned = 0;
  for (const std::size_t leaf : leaves) {
    if (!owner[leaf]) continue;
    ++owned;
    ++votes[*owner[leaf]];
  }
  const auto most = std::max_element(
      votes.begin(), votes.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  if (most == votes.end()) return std::nullopt;
  const bool has_most = 2 * most->second >= leaves.size() || owned == leaves.size();
  return has_most ? std::optional(most->first) : std::nullopt;
}

}  // namespace

std::vector<IbServer> servers_of(const IbDump& dump) {
  std::vector<IbServer> servers;
  std::unordered_map<std::string_view, std::size_t> by_name;
  for (std::size_t leaf = 0; leaf < dump.switches.size(); ++leaf) {
    for (const IbCable& cable : dump.switches[leaf].cables) {
      if (cable.to_switch) continue;
      const IbAdapter& adapter = dump.adapters[cable.peer];
      if (!adapter.is_server || adapter.host.empty()) continue;
      const auto [entry, is_new] = by_name.try_emplace(adapter.host, servers.size());
      if (is_new) servers.push_back({adapter.host, adapter.where, 0, {}});
      IbServer& server = servers[entry->second];
      ++server.nics;
      if (server.leaves.empty() || server.leaves.back() != leaf) server.leaves.push_back(leaf);
    }
  }
  return servers;
}

std::vector<std::optional<int>> tiers_of(const IbDump& dump) {
  std::vector<std::optional<int>> tiers(dump.switches.size());
  std::queue<std::size_t> reached;
  for (std::size_t i = 0; i < dump.switches.size(); ++i) {
    const auto& cables = dump.switches[i].cables;
    const bool is_leaf = std::any_of(cables.begin(), cables.end(), [&](const IbCable& cable) {
      return !cable.to_switch && dump.adapters[cable.peer].is_server;
    });
    if (!is_leaf) continue;
    tiers[i] = 1;
    reached.push(i);
  }
  for (; !reached.empty(); reached.pop()) {
    const std::size_t at = reached.front();
    for (const IbCable& cable : dump.switches[at].cables) {
      if (!cable.to_switch || tiers[cable.peer]) continue;
      tiers[cable.peer] = *tiers[at] + 1;
      reached.push(cable.peer);
    }
  }
  return tiers;
}

LeafGroups leaf_groups(const std::vector<IbServer>& servers, std::size_t switch_count) {
  std::map<std::vector<std::size_t>, std::vector<std::size_t>> with_leaves;
  for (std::size_t i = 0; i < servers.size(); ++i) with_leaves[servers[i].leaves].push_back(i);
  std::vector<const decltype(with_leaves)::value_type*> sets;
  for (const auto& set : with_leaves) sets.push_back(&set);
  // What most servers have is the plan of the cabling; the rest deviates from it.
  std::stable_sort(sets.begin(), sets.end(), [](const auto* a, const auto* b) {
    return a->second.size() > b->second.size();
  });

  LeafGroups groups;
  groups.of_server.resize(servers.size());
  groups.of_switch.resize(switch_count);
  for (const auto* set : sets) {
    const std::size_t group = owner_of_most(set->first, groups.of_switch).value_or(groups.count);
    if (group == groups.count) ++groups.count;
    for (const std::size_t leaf : set->first) {
      if (!groups.of_switch[leaf]) groups.of_switch[leaf] = group;
    }
    for (const std::size_t server : set->second) groups.of_server[server] = group;
  }
  return groups;
}

std::vector<std::size_t> joined_up_to(int tier, const IbDump& dump,
                                      const std::vector<std::optional<int>>& tiers,
                                      const std::vector<IbServer>& servers,
                                      const LeafGroups& groups) {
  const auto is_there = [&](std::size_t index) { return tiers[index] && *tiers[index] <= tier; };
  // Groups first, then switches, so that the least member of a domain is a group.
  DisjointSets sets(groups.count + dump.switches.size());
  for (std::size_t i = 0; i < servers.size(); ++i) {
    for (const std::size_t leaf : servers[i].leaves)
      join_to_least(sets, groups.of_server[i], groups.count + leaf);
  }
  for (std::size_t i = 0; i < dump.switches.size(); ++i) {
    if (!is_there(i)) continue;
    for (const IbCable& cable : dump.switches[i].cables) {
      if (cable.to_switch && is_there(cable.peer))
        join_to_least(sets, groups.count + i, groups.count + cable.peer);
    }
  }
  std::vector<std::size_t> domain_of(groups.count);
  for (std::size_t group = 0; group < groups.count; ++group) domain_of[group] = sets.find(group);
  return domain_of;
}

}  // namespace zonecut::importers
