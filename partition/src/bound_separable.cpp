#include "bound_separable.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kUnreached = std::numeric_limits<std::int64_t>::max() / 4;
constexpr std::size_t kMostPieceWork = 20'000'000;
constexpr std::size_t kMostShareWork = 20'000'000;

/// Least half of the inner cuts of k pieces (rows held in part) with v vertices together. With
/// `counted` false, k is not kept: any number of pieces, and the caller bounds k itself.
class Pieces {
 public:
  Pieces(const RowModel& model, std::size_t most) : model_(model), columns_(most + 1) {
    const std::size_t kinds = std::min(model.length, most + 1);
    const std::size_t pieces = std::min(model.rows, most);
    counted_ = pieces * columns_ <= kMostPieceWork / std::max<std::size_t>(1, kinds);
    pieces_ = counted_ ? pieces : 1;
    least_.assign((pieces_ + 1) * columns_, kUnreached);
    least_[0] = 0;
    some_.assign(columns_, kUnreached);
    for (std::size_t x = 1; x < model.length; ++x) {
      smallest_ = std::min(smallest_, model.inside[x] / 2);
    }
  }

  /// Allows pieces of x vertices from now on, as many as one likes.
  void allow(std::size_t x) {
    const std::int64_t cost = model_.inside[x] / 2;
    for (std::size_t k = 1; k <= pieces_; ++k) {
      // Counted: from the row of one piece less. Not counted: from the same row or none at all.
      const std::size_t from = counted_ ? k - 1 : 1;
      for (std::size_t v = x; v < columns_; ++v) {
        const std::int64_t before = !counted_ && v == x ? 0 : least_[from * columns_ + v - x];
        std::int64_t& entry = least_[k * columns_ + v];
        if (before < kUnreached) entry = std::min(entry, before + cost);
      }
      if (k >= model_.rows) continue;
      for (std::size_t v = x; v < columns_; ++v) {
        some_[v] = std::min(some_[v], least_[k * columns_ + v]);
      }
    }
  }

  /// At least one piece, and a row left empty.
  [[nodiscard]] std::int64_t not_in_all_rows(std::size_t v) const { return some_[v]; }

  /// All pieces are allowed by now.
  void end_allowing() {
    up_to_ = least_;
    std::fill_n(up_to_.begin(), columns_, kUnreached);
    for (std::size_t i = columns_; i < up_to_.size(); ++i) {
      up_to_[i] = std::min(up_to_[i], up_to_[i - columns_]);
    }
  }

  /// At most k pieces, at least one. After end_allowing.
  [[nodiscard]] std::int64_t up_to(std::size_t k, std::size_t v) const {
    return up_to_[std::min(k, pieces_) * columns_ + v];
  }
  [[nodiscard]] std::int64_t exactly(std::size_t k, std::size_t v) const {
    if (k > v || v > k * (model_.length - 1)) return kUnreached;
    if (counted_) return k <= pieces_ ? least_[k * columns_ + v] : kUnreached;
    return std::max(least_[columns_ + v], static_cast<std::int64_t>(k) * smallest_);
  }

 private:
  const RowModel& model_;
  std::size_t columns_;
  bool counted_ = true;
  std::size_t pieces_ = 0;
  std::int64_t smallest_ = kUnreached;
  std::vector<std::int64_t> least_;
  std::vector<std::int64_t> up_to_;
  std::vector<std::int64_t> some_;  // of fewer pieces than rows
};

/// Shapes with at least one full row.
std::int64_t with_full_rows(const RowModel& model, const Pieces& pieces, std::size_t s) {
  const std::int64_t end = model.across[model.length];
  std::int64_t least = kUnreached;
  for (std::size_t full = 1; full * model.length <= s && full <= model.rows; ++full) {
    const std::size_t rest = s - full * model.length;
    const std::size_t open = model.rows - full;
    if (rest == 0) least = std::min(least, open == 0 ? 0 : end);
    if (rest == 0 || open == 0) continue;
    if (open > 1) least = std::min(least, pieces.up_to(open - 1, rest) + end);
    const std::size_t shortest = std::min(model.length - 1, rest / open);
    least = std::min(least, pieces.exactly(open, rest) + end - model.across[shortest]);
  }
  return least;
}

/// Some vertices of every row, all of no row: the longest row is tried, the mean of the others
/// stands for the shortest.
std::int64_t all_rows_in_part(const RowModel& model, const Pieces& pieces, std::size_t s) {
  if (s < model.rows || s > model.rows * (model.length - 1)) return kUnreached;
  if (model.rows == 1) return model.inside[s] / 2;
  const std::size_t others = model.rows - 1;
  const std::int64_t all = pieces.exactly(model.rows, s);
  std::int64_t least = kUnreached;
  for (std::size_t x = (s + others) / model.rows; x < model.length && x + others <= s; ++x) {
    const std::int64_t ends = model.across[x] - model.across[(s - x) / others];
    if (all + ends >= least) break;
    const std::int64_t sum = model.inside[x] / 2 + pieces.exactly(others, s - x);
    least = std::min(least, std::max(all, sum) + ends);
  }
  return least;
}

}  // namespace

std::vector<std::int64_t> zone_half_borders(const RowModel& model, std::size_t most) {
  most = std::min(most, model.rows * model.length);
  Pieces pieces(model, most);
  std::vector<std::int64_t> least{0};
  least.resize(most + 1, kUnreached);
  for (std::size_t x = 1; x < model.length && x <= most; ++x) {
    pieces.allow(x);
    if (model.rows < 2) {
      continue;
    }
    for (std::size_t s = x; s <= most; ++s) {
      least[s] = std::min(least[s], pieces.not_in_all_rows(s) + model.across[x]);
    }
  }
  pieces.end_allowing();
  for (std::size_t s = 1; s <= most; ++s) {
    least[s] =
        std::min({least[s], with_full_rows(model, pieces, s), all_rows_in_part(model, pieces, s)});
  }
  return least;
}

SharedBound cheapest_shares(std::span<const std::int64_t> half_border,
                            std::span<const std::uint32_t> capacity, std::size_t vertices) {
  const std::size_t zones = capacity.size();
  const std::size_t room = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0});
  ZONECUT_ENSURES(room >= vertices);
  if (room == vertices) {
    SharedBound sum{0, {capacity.begin(), capacity.end()}};
    for (const std::uint32_t c : capacity) sum.quarters += half_border[c];
    return sum;
  }
  std::size_t largest = 0;
  for (const std::uint32_t c : capacity) largest = std::max<std::size_t>(largest, c);
  std::size_t width = 1;
  while (zones * (vertices / width + 1) > kMostShareWork / (largest / width + 1)) ++width;

  // least[u]: zones so far hold at least u·width vertices (exactly, when width is 1).
  const std::size_t units = (vertices + width - 1) / width;
  std::vector<std::int64_t> least{0};
  least.resize(units + 1, kUnreached);
  std::vector<std::vector<std::uint32_t>> taken(zones);
  for (std::size_t z = 0; z < zones; ++z) {
    std::vector<std::int64_t> next(units + 1, kUnreached);
    taken[z].assign(units + 1, 0);
    for (std::size_t u = 0; u * width < capacity[z] + width; ++u) {
      const std::size_t low = u == 0 ? 0 : (u - 1) * width + 1;
      const std::size_t high = std::min<std::size_t>({u * width, capacity[z], vertices});
      if (low > high) break;
      const std::int64_t cost =
          *std::min_element(half_border.begin() + static_cast<std::ptrdiff_t>(low),
                            half_border.begin() + static_cast<std::ptrdiff_t>(high) + 1);
      for (std::size_t before = 0; before <= units; ++before) {
        if (least[before] >= kUnreached) continue;
        if (width == 1 && before + u > units) break;
        const std::size_t now = std::min(units, before + u);
        if (least[before] + cost < next[now]) {
          next[now] = least[before] + cost;
          // How far back: with a cap on `now`, u alone would not say.
          taken[z][now] = static_cast<std::uint32_t>(before);
        }
      }
    }
    least = std::move(next);
  }

  SharedBound best{least[units], Shares(zones, 0)};
  std::size_t u = units;
  std::size_t given = 0;
  for (std::size_t z = zones; z-- > 0;) {
    const std::size_t before = taken[z][u];
    const std::size_t share =
        std::min<std::size_t>({(u - before) * width, capacity[z], vertices - given});
    best.shares[z] = static_cast<std::uint32_t>(share);
    given += share;
    u = before;
  }
  // Steps of several vertices may leave a few unplaced: they go where there is room.
  for (std::size_t z = 0; z < zones; ++z) {
    const std::size_t more = std::min<std::size_t>(capacity[z] - best.shares[z], vertices - given);
    best.shares[z] += static_cast<std::uint32_t>(more);
    given += more;
  }
  return best;
}

}  // namespace zonecut
