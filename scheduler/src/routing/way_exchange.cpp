#include "routing/way_exchange.hpp"

#include <algorithm>

namespace zonecut {
namespace {

/// Rounds over the busiest cables that do not help.
constexpr std::size_t kMostInVain = 8;

/// Times that differ by less are the same.
constexpr double kSlack = 1e-9;

}  // namespace

WayExchange::WayExchange(const Cluster& cluster, const Cables& cables,
                         std::span<const LeafFlow> flows, ChosenWays& ways, BusyCables& busy)
    : cables_(cables),
      flows_(flows),
      ways_(ways),
      busy_(busy),
      turn_(cluster.rack_level() - 1),
      on_hop_(2 * cables.count()),
      changed_in_(flows.size(), 0) {
  for (std::uint32_t i = 0; i < flows_.size(); ++i) {
    if (!turns_next_to_leaves(i)) continue;
    for (const std::uint32_t hop : way_of(i)) on_hop_[hop].push_back(i);
  }
}

bool WayExchange::turns_next_to_leaves(std::uint32_t flow) const {
  return flows_[flow].turn == turn_;
}

std::span<std::uint32_t> WayExchange::way_of(std::uint32_t flow) {
  return ways_.of(flow, flows_[flow]);
}

SwitchId WayExchange::switch_of(std::uint32_t flow) {
  const LinkId link = cables_.link_of(way_of(flow).front() / 2);
  return cables_.fabric().links()[link.index()].upper;
}

double WayExchange::busiest() {
  double most = 0;
  for (std::uint32_t i = 0; i < flows_.size(); ++i) most = std::max(most, busy_.most(way_of(i)));
  return most;
}

void WayExchange::relieve(double enough) {
  std::size_t in_vain = 0;
  for (double most = busiest(); most > enough * (1 + kSlack); most = busiest()) {
    bool helped = false;
    for (std::uint32_t i = 0; i < flows_.size() && moves_ < kMostMoves; ++i) {
      if (!turns_next_to_leaves(i) || busy_.most(way_of(i)) < most * (1 - kSlack)) continue;
      helped = give_away(i, most * (1 - kSlack)) || helped;
    }
    in_vain = helped ? 0 : in_vain + 1;
    if (in_vain == kMostInVain || moves_ >= kMostMoves) return;
  }
}

/// Moves the flow to another switch, and what is in its way there elsewhere.
bool WayExchange::give_away(std::uint32_t flow, double most) {
  const SwitchId at = switch_of(flow);
  for (const LinkId link : cables_.up_links(flows_[flow].from->leaf)) {
    const SwitchId other = cables_.fabric().links()[link.index()].upper;
    if (other != at && exchange(flow, other, most)) return true;
  }
  return false;
}

/// Nothing is changed where it fails, or where a cable would be busy for `most` or longer.
bool WayExchange::exchange(std::uint32_t flow, SwitchId to, double most) {
  ++exchanges_;
  changes_.clear();
  crowded_.clear();
  const SwitchId left = switch_of(flow);
  bool fits = move(flow, to);
  while (fits && !crowded_.empty()) {
    const std::uint32_t hop = crowded_.back();
    crowded_.pop_back();
    if (busy_.seconds(hop) < most) continue;
    const std::optional<std::uint32_t> next = one_to_move(hop, most);
    const auto where =
        next ? best_switch(*next, switch_of(*next) == left ? to : left, most) : std::nullopt;
    fits = where && move(*next, *where);
  }
  if (fits) return true;
  for (; !changes_.empty(); changes_.pop_back())
    put(changes_.back().flow, changes_.back().up, changes_.back().down);
  return false;
}

/// Where it is least in the way of others, the preferred one first.
std::optional<SwitchId> WayExchange::best_switch(std::uint32_t flow, SwitchId preferred,
                                                 double most) {
  const LeafFlow& moved = flows_[flow];
  const SwitchId at = switch_of(flow);
  std::optional<SwitchId> best;
  int least = 3;
  const auto look_at = [&](SwitchId above) {
    const auto up = working_link(moved.from->leaf, above);
    const auto down = working_link(moved.to->leaf, above);
    if (above == at || !up || !down) return;
    const int crowded = (busy_.seconds_with(*up, Way::Up, moved.bytes) >= most) +
                        (busy_.seconds_with(*down, Way::Down, moved.bytes) >= most);
    if (crowded >= least) return;
    least = crowded;
    best = above;
  };
  look_at(preferred);
  // Not always the same first: what one exchange does not find, another one may.
  const auto links = cables_.up_links(moved.from->leaf);
  for (std::size_t i = 0; i < links.size(); ++i) {
    const LinkId link = links[(i + exchanges_) % links.size()];
    look_at(cables_.fabric().links()[link.index()].upper);
  }
  return best;
}

/// Whose leaving makes the cable less busy than `most`.
std::optional<std::uint32_t> WayExchange::one_to_move(std::uint32_t hop, double most) {
  const double second = 1 / cables_.capacity(hop / 2);
  for (const std::uint32_t flow : on_hop_[hop]) {
    if (changed_in_[flow] == exchanges_) continue;
    if (busy_.seconds(hop) - flows_[flow].bytes * second < most) return flow;
  }
  return std::nullopt;
}

bool WayExchange::move(std::uint32_t flow, SwitchId to) {
  const auto up = working_link(flows_[flow].from->leaf, to);
  const auto down = working_link(flows_[flow].to->leaf, to);
  if (!up || !down || ++moves_ >= kMostMoves) return false;
  const auto way = way_of(flow);
  changes_.push_back({flow, way.front(), way.back()});
  changed_in_[flow] = exchanges_;
  put(flow, busy_.least(*up, Way::Up), busy_.least(*down, Way::Down));
  crowded_.insert(crowded_.end(), way.begin(), way.end());
  return true;
}

void WayExchange::put(std::uint32_t flow, std::uint32_t up, std::uint32_t down) {
  const auto way = way_of(flow);
  busy_.add(way, -flows_[flow].bytes);
  for (const std::uint32_t hop : way) std::erase(on_hop_[hop], flow);
  way.front() = up;
  way.back() = down;
  busy_.add(way, flows_[flow].bytes);
  for (const std::uint32_t hop : way) on_hop_[hop].push_back(flow);
}

std::optional<LinkId> WayExchange::working_link(SwitchId leaf, SwitchId above) const {
  for (const LinkId link : cables_.up_links(leaf)) {
    if (cables_.fabric().links()[link.index()].upper != above) continue;
    if (cables_.capacity(cables_.first_cable(link)) > 0) return link;
  }
  return std::nullopt;
}

}  // namespace zonecut
