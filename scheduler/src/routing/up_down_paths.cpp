#include "routing/up_down_paths.hpp"

#include <algorithm>

namespace zonecut {

UpDownPaths::UpDownPaths(const Cables& cables)
    : cluster_(cables.fabric().cluster()),
      cables_(cables),
      whole_(is_whole()),
      below_(cables.fabric().switches().size(), 0),
      climb_(cables.fabric().switches().size()) {}

int UpDownPaths::level(SwitchId at) const { return cables_.fabric().switches()[at.index()].level; }

/// Every link works, and every switch below the top has one to the first switch above it: then any
/// two leaves meet there.
bool UpDownPaths::is_whole() const {
  const std::span<const Switch> switches = cables_.fabric().switches();
  const std::span<const Link> links = cables_.fabric().links();
  for (std::size_t i = 0; i < switches.size(); ++i) {
    if (switches[i].level == 0) continue;
    const auto up = cables_.up_links(SwitchId{i});
    if (up.empty() || switches[links[up.front().index()].upper.index()].place.index != 0)
      return false;
  }
  return std::all_of(links.begin(), links.end(),
                     [](const Link& link) { return link.capacity.count > 0; });
}

/// Two leaves of one rack meet one tier up in its switches, if anywhere.
int UpDownPaths::common_level(SwitchId from, SwitchId to) const {
  const auto domain_of = [&](SwitchId at) {
    return cables_.fabric().switches()[at.index()].place.domain;
  };
  const int level_of_leaf = level(from);
  int common = level_of_leaf;
  for (DomainId a = domain_of(from), b = domain_of(to); a != b || common == level_of_leaf;) {
    if (common == 0) return -1;
    a = *cluster_.domain(a).parent;
    b = *cluster_.domain(b).parent;
    --common;
  }
  return common;
}

std::optional<int> UpDownPaths::turn_between(SwitchId from, SwitchId to) {
  if (whole_) return from == to ? level(from) : common_level(from, to);
  set_destination(to);
  return turn_level(from);
}

void UpDownPaths::set_destination(SwitchId leaf) {
  if (destination_ == leaf) return;
  destination_ = leaf;
  ++epoch_;
  below_[leaf.index()] = epoch_;
  links_down_.clear();
  std::vector<SwitchId> tier = {leaf};
  while (!tier.empty()) {
    std::vector<SwitchId> above;
    for (const SwitchId at : tier) {
      for (const LinkId id : cables_.up_links(at)) {
        const Link& link = cables_.fabric().links()[id.index()];
        if (link.capacity.count == 0) continue;
        links_down_.push_back(id);
        if (below_[link.upper.index()] == epoch_) continue;
        below_[link.upper.index()] = epoch_;
        above.push_back(link.upper);
      }
    }
    std::sort(above.begin(), above.end());
    tier = std::move(above);
  }
}

std::optional<int> UpDownPaths::turn_level(SwitchId leaf) {
  if (leaf == destination_) return level(leaf);
  for (int turn = common_level(leaf, *destination_); turn >= 0; --turn) {
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
