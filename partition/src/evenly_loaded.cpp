#include "evenly_loaded.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <queue>
#include <tuple>
#include <utility>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// Shares that are filled one vertex at a time, so that the next load is the least there is. Up to
/// half of all vertices loads rise with shares.
class EvenFill {
 public:
  EvenFill(std::span<const std::uint32_t> capacity, std::span<const std::int64_t> uplinks,
           std::size_t vertices)
      : capacity_(capacity), uplinks_(uplinks), vertices_(vertices) {
    for (std::size_t part = 0; part < capacity_.size(); ++part) {
      if (most(part) > 0) order_.push_back(part);
    }
    std::ranges::stable_sort(order_, {}, [&](std::size_t part) { return load(part, 1); });
    // One may be full; more than one for each vertex are never begun.
    if (order_.size() > vertices_ + 1) order_.resize(vertices_ + 1);
  }

  [[nodiscard]] ZoneLoad load(std::size_t part, std::size_t share) const {
    return {static_cast<std::int64_t>(share * (vertices_ - share)), uplinks_[part]};
  }

  /// The largest load where `full` holds as many vertices as it can and the others at most half of
  /// all. None where these do not hold the rest.
  [[nodiscard]] std::optional<ZoneLoad> largest(std::optional<std::size_t> full) const {
    std::size_t left = vertices_;
    ZoneLoad largest;
    if (full) {
      const std::size_t share = std::min<std::size_t>(capacity_[*full], vertices_);
      left -= share;
      largest = load(*full, share);
    }
    using Next = std::tuple<ZoneLoad, std::size_t, std::size_t>;  // load, part, share
    std::priority_queue<Next, std::vector<Next>, std::greater<>> next;
    const auto offer = [&](std::size_t part, std::size_t share) {
      if (share <= most(part)) next.emplace(load(part, share), part, share);
    };
    for (const std::size_t part : order_) {
      if (part != full) offer(part, 1);
    }
    for (; left > 0 && !next.empty(); --left) {
      const auto [load, part, share] = next.top();
      next.pop();
      largest = std::max(largest, load);
      offer(part, share + 1);
    }
    return left == 0 ? std::optional(largest) : std::nullopt;
  }

  /// Parts as full as this load lets them be, the fullest first.
  [[nodiscard]] Shares shares(const ZoneLoad& most_load, std::optional<std::size_t> full) const {
    std::vector<std::pair<std::size_t, std::size_t>> fullest;  // share, part
    for (std::size_t part = 0; part < capacity_.size(); ++part) {
      std::size_t share =
          part == full ? std::min<std::size_t>(capacity_[part], vertices_) : std::size_t{0};
      while (part != full && share < most(part) && load(part, share + 1) <= most_load) ++share;
      fullest.emplace_back(share, part);
    }
    std::ranges::stable_sort(fullest, std::ranges::greater{},
                             [](const auto& x) { return x.first; });
    Shares shares(capacity_.size(), 0);
    std::size_t left = vertices_;
    for (const auto& [share, part] : fullest) {
      shares[part] = static_cast<std::uint32_t>(std::min(share, left));
      left -= shares[part];
    }
    ZONECUT_ENSURES(left == 0);
    return shares;
  }

 private:
  [[nodiscard]] std::size_t most(std::size_t part) const {
    return std::min<std::size_t>(capacity_[part], vertices_ / 2);
  }

  std::span<const std::uint32_t> capacity_;
  std::span<const std::int64_t> uplinks_;
  std::size_t vertices_;
  std::vector<std::size_t> order_;  ///< parts, those first that one vertex loads least
};

}  // namespace

Shares evenly_loaded(std::span<const std::uint32_t> capacity, std::span<const std::int64_t> uplinks,
                     std::size_t vertices) {
  const EvenFill fill(capacity, uplinks, vertices);
  std::optional<std::size_t> full;
  std::optional<ZoneLoad> least = fill.largest(std::nullopt);
  for (std::size_t part = 0; part < capacity.size(); ++part) {
    if (2 * static_cast<std::size_t>(capacity[part]) <= vertices) continue;
    const auto load = fill.largest(part);
    if (!load || (least && *least <= *load)) continue;
    least = load;
    full = part;
  }
  ZONECUT_ENSURES(least.has_value());
  return fill.shares(*least, full);
}

}  // namespace zonecut
