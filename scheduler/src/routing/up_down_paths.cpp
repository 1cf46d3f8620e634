#include "routing/up_down_paths.hpp"

#include <algorithm>

namespace zonecut {

UpDownPaths::UpDownPaths(const Cluster& cluster, const Cables& cables)
    : cluster_(cluster),
      cables_(cables),
      below_(cables.fabric().switches().size(), 0),
      climb_(cables.fabric().switches().size()) {}

int UpDownPaths::level(SwitchId at) const { return cables_.fabric().switches()[at.index()].level; }

void UpDownPaths::set_destination(SwitchId leaf) {
  destination_ = leaf;
  ++epoch_;
  below_[leaf.index()] = epoch_;
  std::vector<SwitchId> tier = {leaf};
  while (!tier.empty()) {
    std::vector<SwitchId> above;
    for (const SwitchId at : tier) {
      for (const LinkId id : cables_.up_links(at)) {
        const Link& link = cables_.fabric().links()[id.index()];
        if (link.capacity.count == 0 || below_[link.upper.index()] == epoch_) continue;
        below_[link.upper.index()] = epoch_;
        above.push_back(link.upper);
      }
    }
    tier = std::move(above);
  }
}

std::optional<int> UpDownPaths::turn_level(SwitchId leaf) {
  if (leaf == destination_) return level(leaf);
  const auto domain_of = [&](SwitchId at) {
    return cables_.fabric().switches()[at.index()].place.domain;
  };
  DomainId from = domain_of(leaf);
  DomainId to = domain_of(destination_);
  int common = level(leaf);
  // Two leaves of one rack meet one tier up in its switches, if anywhere.
  while (from != to || common == level(leaf)) {
    if (common == 0) return std::nullopt;
    from = *cluster_.domain(from).parent;
    to = *cluster_.domain(to).parent;
    --common;
  }
  for (int turn = common; turn >= 0; --turn) {
    if (can_climb(leaf, turn)) return turn;
  }
  return std::nullopt;
}

bool UpDownPaths::can_climb(SwitchId at, int level_of_turn) {
  if (level(at) == level_of_turn) return can_descend(at);
  Memo& memo = climb_[at.index()];
  if (memo.epoch == epoch_ && memo.level == level_of_turn) return memo.can;
  const auto links = cables_.up_links(at);
  const bool can = std::any_of(links.begin(), links.end(), [&](LinkId id) {
    const Link& link = cables_.fabric().links()[id.index()];
    return link.capacity.count > 0 && can_climb(link.upper, level_of_turn);
  });
  climb_[at.index()] = {epoch_, level_of_turn, can};
  return can;
}

}  // namespace zonecut
