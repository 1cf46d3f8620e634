#include "routing/way_exchange.hpp"

#include <algorithm>

namespace zonecut {
namespace {

/// Chains that begin with one flow, before another one is tried.
constexpr std::size_t kChainsOfFlow = 16;

/// Times that differ by less are the same.
constexpr double kSlack = 1e-9;

}  // namespace

WayExchange::WayExchange(const Cables& cables, std::span<const LeafFlow> flows, WaySearch& search,
                         ChosenWays& ways, BusyCables& busy)
    : cables_(cables),
      flows_(flows),
      search_(search),
      ways_(ways),
      busy_(busy),
      on_hop_(2 * cables.count()),
      moved_in_(flows.size(), 0) {
  for (std::uint32_t i = 0; i < flows_.size(); ++i) {
    for (const std::uint32_t hop : way_of(i)) on_hop_[hop].push_back(i);
  }
}

std::span<std::uint32_t> WayExchange::way_of(std::uint32_t flow) {
  return ways_.of(flow, flows_[flow]);
}

double WayExchange::busiest() {
  double most = 0;
  for (std::uint32_t i = 0; i < flows_.size(); ++i) most = std::max(most, busy_.most(way_of(i)));
  return most;
}

void WayExchange::relieve(double enough) {
  for (double most = busiest(); most > enough * (1 + kSlack) && moves_ < kMostMoves;
       most = busiest()) {
    for (std::uint32_t i = 0; i < flows_.size() && moves_ < kMostMoves; ++i) {
      if (busy_.most(way_of(i)) >= most * (1 - kSlack)) give_away(i, most * (1 - kSlack));
    }
  }
}

/// Moves the flow off a cable that is busy for `most` or longer.
void WayExchange::give_away(std::uint32_t flow, double most) {
  for (std::size_t i = 0; i < kChainsOfFlow && moves_ < kMostMoves; ++i) {
    const auto way = way_of(flow);
    const auto busy = std::find_if(way.begin(), way.end(),
                                   [&](std::uint32_t hop) { return busy_.seconds(hop) >= most; });
    // Sums of which a share was taken and put back may differ in their last digit.
    if (busy == way.end() || chain(flow, *busy, most)) return;
  }
}

/// Nothing is changed where it fails, or where a cable would be busy for `most` or longer.
bool WayExchange::chain(std::uint32_t flow, std::uint32_t off, double most) {
  ++chains_;
  changes_.clear();
  old_hops_.clear();
  crowded_.clear();
  bool fits = move(flow, off, most);
  while (fits && !crowded_.empty()) {
    const std::uint32_t hop = crowded_.back();
    crowded_.pop_back();
    if (busy_.seconds(hop) < most) continue;
    const std::optional<std::uint32_t> next = one_to_move(hop, most);
    fits = next && move(*next, hop, most);
  }
  if (!fits) undo();
  return fits;
}

/// Whose leaving makes the cable less busy than `most`.
std::optional<std::uint32_t> WayExchange::one_to_move(std::uint32_t hop, double most) const {
  const double second = 1 / cables_.capacity(hop / 2);
  for (const std::uint32_t flow : on_hop_[hop]) {
    if (moved_in_[flow] == chains_) continue;
    if (busy_.seconds(hop) - flows_[flow].bytes * second < most) return flow;
  }
  return std::nullopt;
}

/// Once a chain, so that it ends.
bool WayExchange::move(std::uint32_t flow, std::uint32_t off, double most) {
  if (++moves_ >= kMostMoves) return false;
  const auto way = way_of(flow);
  busy_.add(way, -flows_[flow].bytes);
  way_.resize(way.size());
  const bool found = search_.find_around(flows_[flow], {most, off, chains_}, way_);
  busy_.add(way, flows_[flow].bytes);
  if (!found) return false;
  moved_in_[flow] = chains_;
  changes_.push_back({flow, old_hops_.size()});
  old_hops_.insert(old_hops_.end(), way.begin(), way.end());
  put(flow, way_);
  crowded_.insert(crowded_.end(), way.begin(), way.end());
  return true;
}

void WayExchange::undo() {
  for (; !changes_.empty(); changes_.pop_back()) {
    const auto& [flow, first] = changes_.back();
    put(flow, std::span(old_hops_).subspan(first, way_of(flow).size()));
  }
}

void WayExchange::put(std::uint32_t flow, std::span<const std::uint32_t> way) {
  const auto old = way_of(flow);
  for (std::size_t i = 0; i < way.size(); ++i) {
    if (old[i] == way[i]) continue;
    busy_.add(old[i], -flows_[flow].bytes);
    std::erase(on_hop_[old[i]], flow);
    busy_.add(way[i], flows_[flow].bytes);
    on_hop_[way[i]].push_back(flow);
    old[i] = way[i];
  }
}

}  // namespace zonecut
