#include "routing/way_search.hpp"

#include <algorithm>

#include "zonecut/base/random.hpp"

namespace zonecut {

WaySearch::WaySearch(const Cables& cables, UpDownPaths& paths, const BusyCables& busy)
    : cables_(cables),
      links_(cables.fabric().links()),
      paths_(paths),
      busy_(busy),
      burdens_(cables.fabric().switches().size()),
      last_(burdens_.size(), nullptr),
      seen_(burdens_.size(), false) {}

void WaySearch::list_steps(const LeafFlow& flow) {
  const SwitchId from = flow.from->leaf;
  const SwitchId to = flow.to->leaf;
  paths_.set_destination(to);
  const bool same_half = to_ == to && turn_ == flow.turn;
  if (!same_half || from_ != from) follow_up(from, flow.turn);
  if (!same_half) follow_down(to, flow.turn);
  from_ = from;
  to_ = to;
  turn_ = flow.turn;
  burdens_[from.index()] = {0, 0};
}

/// Gives each switch the best step that leads to it.
template <class BurdenOf>
void WaySearch::pass(std::span<const Step> steps, const BurdenOf& burden_of) {
  for (std::size_t i = 0; i < steps.size();) {
    const std::uint32_t to = steps[i].to;
    Burden best;
    const Step* last = nullptr;
    for (; i < steps.size() && steps[i].to == to; ++i) {
      const Burden& before = burdens_[steps[i].from];
      if (before.busiest > best.busiest) continue;  // further on it only gets worse
      const Burden burden = burden_of(before, steps[i]);
      if (burden < best) {
        best = burden;
        last = &steps[i];
      }
    }
    burdens_[to] = best;
    last_[to] = last;
  }
}

void WaySearch::find(const LeafFlow& flow, std::span<std::uint32_t> way) {
  list_steps(flow);
  const auto over = [&](Way direction) {
    return [this, &flow, direction](const Burden& before, const Step& step) {
      const double busy = busy_.seconds_with(step.link, direction, flow.bytes);
      return Burden{std::max(before.busiest, busy), before.sum + busy};
    };
  };
  pass(up_, over(Way::Up));
  pass(down_, over(Way::Down));
  write(flow, way);
}

bool WaySearch::find_around(const LeafFlow& flow, const Crowd& crowd,
                            std::span<std::uint32_t> way) {
  list_steps(flow);
  const LinkId avoided = cables_.link_of(crowd.avoided / 2);
  const Way avoided_way = crowd.avoided % 2 == 0 ? Way::Up : Way::Down;
  const auto over = [&](Way direction) {
    return [&, direction](const Burden& before, const Step& step) {
      if (step.link == avoided && direction == avoided_way) return Burden{};
      const bool crowded = busy_.seconds_with(step.link, direction, flow.bytes) >= crowd.limit;
      const double drawn = Random(crowd.draw << 32 ^ step.link.index()).unit();
      return Burden{before.busiest + (crowded ? 1 : 0), before.sum + drawn};
    };
  };
  pass(up_, over(Way::Up));
  pass(down_, over(Way::Down));
  if (last_[flow.to->leaf.index()] == nullptr) return false;
  write(flow, way);
  return true;
}

void WaySearch::write(const LeafFlow& flow, std::span<std::uint32_t> way) const {
  std::size_t at = flow.to->leaf.index();
  for (std::size_t hop = way.size(); hop > 0; --hop) {
    const Step& step = *last_[at];
    way[hop - 1] = busy_.least(step.link, 2 * hop > way.size() ? Way::Down : Way::Up);
    at = step.from;
  }
}

void WaySearch::follow_up(SwitchId from, int turn) {
  for (const Step& step : up_) burdens_[step.to] = {};
  up_.clear();
  tier_.assign(1, from);
  while (paths_.level(tier_.front()) > turn) {
    const auto first = static_cast<std::ptrdiff_t>(up_.size());
    next_.clear();
    for (const SwitchId at : tier_) {
      for (const LinkId id : cables_.up_links(at)) {
        const Link& link = links_[id.index()];
        if (link.capacity.count == 0 || !paths_.can_climb(link.upper, turn)) continue;
        up_.push_back({static_cast<std::uint32_t>(at.index()),
                       static_cast<std::uint32_t>(link.upper.index()), id});
        if (!seen_[link.upper.index()]) next_.push_back(link.upper);
        seen_[link.upper.index()] = true;
      }
    }
    for (const SwitchId at : next_) seen_[at.index()] = false;
    std::stable_sort(up_.begin() + first, up_.end(),
                     [](const Step& a, const Step& b) { return a.to < b.to; });
    std::swap(tier_, next_);
  }
}

/// From the end upwards; the tier next to the turn then comes first.
void WaySearch::follow_down(SwitchId to, int turn) {
  for (const Step& step : down_) burdens_[step.to] = {};
  down_.clear();
  tier_.assign(1, to);
  while (paths_.level(tier_.front()) > turn) {
    std::vector<Step> steps;
    next_.clear();
    for (const SwitchId at : tier_) {
      for (const LinkId id : cables_.up_links(at)) {
        const Link& link = links_[id.index()];
        if (link.capacity.count == 0) continue;
        steps.push_back({static_cast<std::uint32_t>(link.upper.index()),
                         static_cast<std::uint32_t>(at.index()), id});
        if (!seen_[link.upper.index()]) next_.push_back(link.upper);
        seen_[link.upper.index()] = true;
      }
    }
    for (const SwitchId at : next_) seen_[at.index()] = false;
    down_.insert(down_.begin(), steps.begin(), steps.end());
    std::swap(tier_, next_);
  }
}

}  // namespace zonecut
