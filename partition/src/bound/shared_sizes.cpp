#include "bound/shared_sizes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kStepsPerSize = 8;  // its place on the hull, and among those in order

using Costs = std::span<const std::span<const double>>;

std::span<const double> cost_of(Costs costs, std::size_t whose) {
  return costs[costs.size() == 1 ? 0 : whose];
}

}  // namespace

SharedSizes::SharedSizes(std::span<const std::uint32_t> capacity, std::size_t vertices)
    : vertices_(vertices), least_(vertices + 1), last_(vertices + 1) {
  ZONECUT_ENSURES(std::accumulate(capacity.begin(), capacity.end(), std::size_t{0}) >= vertices);
  std::vector<SizeRange> all;
  for (const std::uint32_t room : capacity) {
    capacity_.push_back(std::min<std::size_t>(room, vertices));
    all.push_back({0, capacity_.back()});
    if (room > 0) order_.push_back(all.size() - 1);
  }
  std::ranges::stable_sort(order_, std::ranges::greater{}, [&](auto z) { return capacity[z]; });
  allow(all);
  choice_.size.resize(order_.size());
}

void SharedSizes::allow(std::span<const SizeRange> ranges) {
  ZONECUT_ENSURES(ranges.size() == capacity_.size());
  kinds_.clear();
  kind_of_.clear();
  capacities_ = 0;
  steps_ = 0;
  std::size_t before = 0;
  for (const std::size_t zone : order_) {
    const SizeRange& range = ranges[zone];
    ZONECUT_ENSURES(range.least <= range.most && range.most <= capacity_[zone]);
    if (kinds_.empty() || capacity_[zone] != before) ++capacities_;
    const bool same = !kinds_.empty() && capacity_[zone] == before && kinds_.back().range == range;
    if (!same) kinds_.push_back({capacities_ - 1, range, 0, {}, 0, {}});
    before = capacity_[zone];
    ++kinds_.back().zones;
    kind_of_.push_back(kinds_.size() - 1);
  }
  for (const Kind& kind : kinds_) steps_ += kStepsPerSize * kind.range.most;
}

std::optional<Shares> SharedSizes::shares() const {
  const std::vector<std::size_t>& size = choice_.size;
  if (std::reduce(size.begin(), size.end(), std::size_t{0}) != vertices_) return std::nullopt;
  Shares shares(capacity_.size(), 0);
  for (std::size_t i = 0; i < size.size(); ++i) {
    shares[order_[i]] = static_cast<std::uint32_t>(size[i]);
  }
  return shares;
}

/// Of what the sizes cost that zones of each kind may have.
void SharedSizes::find_hulls(Costs costs) {
  std::vector<Corner> hull;
  std::size_t size = 0;
  // Zones of less room are begun with; where all may be empty, and cost the same, larger ones go
  // on.
  for (std::size_t k = kinds_.size(); k-- > 0;) {
    const SizeRange& range = kinds_[k].range;
    const std::span<const double> cost = cost_of(costs, kinds_[k].costs);
    const bool goes_on = costs.size() == 1 && range.least == 0 && k + 1 < kinds_.size() &&
                         kinds_[k + 1].range.least == 0 && kinds_[k + 1].range.most <= range.most;
    if (!goes_on) {
      hull.clear();
      size = range.least;
    }
    for (; size <= range.most; ++size) {
      if (cost[size] == kNotReached) continue;
      const Corner next{size, cost[size]};
      const auto slope = [](const Corner& low, const Corner& high) {
        return (high.cost - low.cost) / number(high.size - low.size);
      };
      while (hull.size() > 1 &&
             slope(hull[hull.size() - 2], hull.back()) >= slope(hull.back(), next)) {
        hull.pop_back();
      }
      hull.push_back(next);
    }
    kinds_[k].hull = hull;
  }
}

/// That of the vertex that is the last to find its place where zones grow along their hulls.
void SharedSizes::find_price() {
  struct Rise {
    double slope = 0;
    std::size_t vertices = 0;
  };
  std::vector<Rise> rises;
  for (const Kind& kind : kinds_) {
    for (std::size_t i = 1; i < kind.hull.size(); ++i) {
      const Corner& low = kind.hull[i - 1];
      const Corner& high = kind.hull[i];
      const std::size_t more = high.size - low.size;
      rises.push_back({(high.cost - low.cost) / number(more), more * kind.zones});
    }
  }
  std::ranges::sort(rises, {}, &Rise::slope);
  std::size_t least = 0;
  for (const Kind& kind : kinds_) least += kind.zones * kind.hull.front().size;
  std::size_t left = vertices_ - std::min(least, vertices_);
  price_ = 0;
  for (const Rise& rise : rises) {
    price_ = rise.slope;
    if (rise.vertices >= left) return;
    left -= rise.vertices;
  }
}

/// Sizes that are best at that price, as near to adding up as one after the other comes.
void SharedSizes::take_at_price() {
  std::vector<std::size_t> low(kinds_.size(), 0);
  std::vector<std::size_t> high(kinds_.size(), 0);
  std::size_t all = 0;
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const auto worth = [&](const Corner& c) { return c.cost - price_ * number(c.size); };
    const auto least = std::ranges::min_element(kinds_[k].hull, {}, worth);
    kinds_[k].best = worth(*least);
    const double near =
        kinds_[k].best + kRounding * (std::abs(least->cost) + std::abs(price_) * number(vertices_));
    low[k] = high[k] = least->size;
    for (const Corner& corner : kinds_[k].hull) {
      if (worth(corner) > near) continue;
      low[k] = std::min(low[k], corner.size);
      high[k] = std::max(high[k], corner.size);
    }
    all += kinds_[k].zones * low[k];
  }
  for (std::size_t i = 0; i < order_.size(); ++i) {
    const std::size_t kind = kind_of_[i];
    const bool more = all + high[kind] - low[kind] <= vertices_;
    choice_.size[i] = more ? high[kind] : low[kind];
    if (more) all += high[kind] - low[kind];
  }
}

void SharedSizes::find_reduced(Costs costs) {
  for (Kind& kind : kinds_) {
    const std::span<const double> cost = cost_of(costs, kind.costs);
    kind.sizes.clear();
    for (std::size_t size = kind.range.least; size <= kind.range.most; ++size) {
      if (cost[size] == kNotReached) continue;
      const double over = cost[size] - price_ * number(size) - kind.best;
      kind.sizes.push_back({size, std::max(0.0, over)});
    }
    std::ranges::sort(kind.sizes, {}, &Sized::over);
  }
}

/// One zone more. False where work ran out.
bool SharedSizes::add_zone(const Kind& kind, double most_over, std::size_t room_after,
                           std::size_t& work) {
  std::vector<std::uint32_t> reached;
  for (const Held& before : held_.back()) {
    for (const Sized& sized : kind.sizes) {
      const double over = before.over + sized.over;
      if (over > most_over) break;
      if (work == 0) return false;
      --work;
      const std::size_t all = before.all + sized.size;
      if (all > vertices_ || all + room_after < vertices_) continue;
      if (least_[all] == kNotReached) reached.push_back(static_cast<std::uint32_t>(all));
      if (over >= least_[all]) continue;
      least_[all] = over;
      last_[all] = static_cast<std::uint32_t>(sized.size);
    }
  }
  std::vector<Held>& after = held_.emplace_back();
  for (const std::uint32_t all : reached) {
    after.push_back({all, last_[all], least_[all]});
    least_[all] = kNotReached;
  }
  return true;
}

/// Whether there are sizes that add up and cost no more than that over their mixture.
bool SharedSizes::share(double most_over, std::size_t& work) {
  held_.assign(1, {Held{}});
  std::ranges::fill(least_, kNotReached);
  std::size_t room = 0;
  for (const std::size_t kind : kind_of_) room += kinds_[kind].range.most;
  for (const std::size_t kind : kind_of_) {
    room -= kinds_[kind].range.most;
    if (!add_zone(kinds_[kind], most_over, room, work)) return false;
  }
  return !held_.back().empty();
}

void SharedSizes::trace_back() {
  std::size_t all = vertices_;
  for (std::size_t i = order_.size(); i-- > 0;) {
    const auto here = std::ranges::find(held_[i + 1], all, &Held::all);
    ZONECUT_ENSURES(here != held_[i + 1].end());
    choice_.size[i] = here->last;
    all -= here->last;
  }
}

const SharedSizes::Choice& SharedSizes::choose(std::span<const double> cost,
                                               std::size_t most_work) {
  return choose(std::span(&cost, 1), most_work);
}

const SharedSizes::Choice& SharedSizes::choose(Costs costs, std::size_t most_work) {
  ZONECUT_ENSURES(costs.size() == 1 || costs.size() == capacities_);
  find_hulls(costs);
  const auto has_none = [](const Kind& kind) { return kind.hull.empty(); };
  adds_up_ = std::ranges::none_of(kinds_, has_none);
  if (adds_up_) find_price();
  if (!adds_up_ || !std::isfinite(price_)) {
    // A zone may have none of the sizes, or some size costs less than anything: nothing is known.
    choice_.least = -std::numeric_limits<double>::infinity();
    std::ranges::fill(choice_.size, std::size_t{0});
    return choice_;
  }
  take_at_price();
  find_reduced(costs);
  RoundedSum sum;
  sum.add(price_ * number(vertices_));
  for (const Kind& kind : kinds_) sum.add(number(kind.zones) * kind.best);
  // Far enough for what the last choice needed; else farther and farther.
  const double least_step = 1e-4 * std::abs(price_) * number(vertices_) + 1;
  double none_below = 0;
  std::size_t work = most_work;
  std::size_t least = 0;
  std::size_t room = 0;
  for (const Kind& kind : kinds_) {
    least += kind.zones * kind.hull.front().size;
    room += kind.zones * kind.hull.back().size;
  }
  adds_up_ = least <= vertices_ && vertices_ <= room;
  for (double most_over = std::max(least_step, 1.25 * over_); std::isfinite(most_over) && adds_up_;
       most_over *= 2) {
    if (share(most_over, work)) {
      over_ = held_.back().front().over;
      none_below = over_;
      trace_back();
      break;
    }
    if (work == 0) {
      over_ /= 2;
      break;
    }
    none_below = most_over;
  }
  sum.add(none_below);
  choice_.least = sum.least();
  return choice_;
}

}  // namespace zonecut
