#include "bound/bound_separable.hpp"

#include <algorithm>
#include <limits>
#include <numeric>

#include "grid/min_plus.hpp"
#include "grid/relaxation_sums.hpp"
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
    least_.resize((pieces_ + 1) * columns_, kNotReached);
    some_.assign(columns_, kNotReached);
    for (std::size_t x = 1; x < model.length; ++x) smallest_ = std::min(smallest_, half_of(x));
    const std::size_t others = std::max<std::size_t>(1, model.rows - 1);
    for (std::size_t v = 0; v < columns_; ++v) {
      not_cut_.push_back(-in_quarters(model.around[std::min(model.length, v / others)]));
    }
  }

  /// Allows pieces of x vertices from now on, as many as one likes. In rising order, each once.
  void allow(std::size_t x) {
    if (counted_) {
      allow_counted(x);
    } else {
      allow_any_number(x);
    }
  }

  /// At least one piece, and a row left empty: by their vertices.
  [[nodiscard]] std::span<const double> not_in_all_rows() const { return some_; }

  /// A piece in every row, the last one allowed among them and no longer one, less what a zone
  /// that is in every row does not cut, the mean of the others standing for the shortest: lowers
  /// the least cost by their vertices. Only where they are counted, of two rows and more.
  void lower_in_all_rows(std::size_t last, std::span<double> least) {
    const std::size_t others = model_.rows - 1;
    if (others >= pieces_ || last >= columns_) return;
    const std::size_t end = std::min(columns_ - last, others * last + 1);
    if (others >= end) return;
    in_all_.resize(columns_);
    set_sums(std::span(in_all_).subspan(others, end - others), row(others).subspan(others),
             std::span(not_cut_).subspan(others));
    lower(least.subspan(others + last, end - others), std::span(in_all_).subspan(others),
          half_of(last) + in_quarters(model_.across[last]));
  }
  [[nodiscard]] bool are_counted() const { return counted_; }

  /// All pieces are allowed by now.
  void end_allowing() {
    up_to_ = least_;
    std::fill_n(up_to_.begin(), columns_, kNotReached);
    for (std::size_t i = columns_; i < up_to_.size(); ++i) {
      up_to_[i] = std::min(up_to_[i], up_to_[i - columns_]);
    }
  }

  /// At most k pieces, at least one. After end_allowing.
  [[nodiscard]] double up_to(std::size_t k, std::size_t v) const {
    return up_to_[std::min(k, pieces_) * columns_ + v];
  }
  [[nodiscard]] double exactly(std::size_t k, std::size_t v) const {
    if (k > v || v > k * (model_.length - 1)) return kNotReached;
    if (counted_) return k <= pieces_ ? least_[k * columns_ + v] : kNotReached;
    return std::max(least_[columns_ + v], number(k) * smallest_);
  }
  /// Half of what a piece of x vertices cuts.
  [[nodiscard]] double half_of(std::size_t x) const {
    return in_quarters(half_down(model_.inside[x]));
  }

 private:
  [[nodiscard]] std::span<double> row(std::size_t k) { return row_of(least_, k, columns_); }

  void allow_counted(std::size_t x) {
    for (std::size_t k = 1; k <= pieces_; ++k) {
      // The others have one vertex at least, and none has more than x.
      const std::size_t low = x + k - 1;
      const std::size_t end = std::min(columns_, k * x + 1);
      if (low >= end) break;
      const std::span<double> entries = row(k).subspan(low, end - low);
      lower(entries, row(k - 1).subspan(low - x), half_of(x));
      if (k < model_.rows) lower(std::span(some_).subspan(low, entries.size()), entries, 0);
    }
  }

  void allow_any_number(std::size_t x) {
    for (std::size_t v = x; v < columns_; ++v) {
      const double before = v == x ? 0 : row(1)[v - x];
      row(1)[v] = std::min(row(1)[v], before + half_of(x));
    }
    if (model_.rows > 1) lower(std::span(some_).subspan(x), row(1).subspan(x), 0);
  }

  const RowModel& model_;
  std::size_t columns_;
  bool counted_ = true;
  std::size_t pieces_ = 0;
  double smallest_ = kNotReached;
  std::vector<double> least_{0};  // by pieces and vertices
  std::vector<double> up_to_;
  std::vector<double> some_;     // of fewer pieces than rows
  std::vector<double> not_cut_;  // in every row, by the vertices of all pieces but the longest
  std::vector<double> in_all_;   // scratch
};

/// Shapes with at least one full row.
double with_full_rows(const RowModel& model, const Pieces& pieces, std::size_t s) {
  const double end = in_quarters(model.across[model.length]);
  double least = kNotReached;
  for (std::size_t full = 1; full * model.length <= s && full <= model.rows; ++full) {
    const std::size_t rest = s - full * model.length;
    const std::size_t open = model.rows - full;
    if (rest == 0) least = std::min(least, open == 0 ? 0 : end);
    if (rest == 0 || open == 0) continue;
    if (open > 1) least = std::min(least, pieces.up_to(open - 1, rest) + end);
    const std::size_t shortest = std::min(model.length - 1, rest / open);
    const double around = in_quarters(model.around[shortest]);
    least = std::min(least, pieces.exactly(open, rest) + end - around);
  }
  return least;
}

/// Some vertices of every row, two or more, all of no row, where pieces are not counted: the
/// longest row is tried, and others may be longer.
double all_rows_in_part(const RowModel& model, const Pieces& pieces, std::size_t s) {
  if (s < model.rows || s > model.rows * (model.length - 1)) return kNotReached;
  const std::size_t others = model.rows - 1;
  const double all = pieces.exactly(model.rows, s);
  double least = kNotReached;
  for (std::size_t x = (s + others) / model.rows; x < model.length && x + others <= s; ++x) {
    const double ends = in_quarters(model.across[x] - model.around[(s - x) / others]);
    if (all + ends >= least) continue;
    const double sum = pieces.half_of(x) + pieces.exactly(others, s - x);
    least = std::min(least, std::max(all, sum) + ends);
  }
  return least;
}

}  // namespace

std::vector<std::int64_t> zone_half_borders(const RowModel& model, std::size_t most) {
  most = std::min(most, model.rows * model.length);
  Pieces pieces(model, most);
  std::vector<double> least{0};
  least.resize(most + 1, kNotReached);
  for (std::size_t x = 1; x < model.length && x <= most; ++x) {
    if (model.rows == 1) {
      least[x] = pieces.half_of(x);
      continue;
    }
    pieces.allow(x);
    if (pieces.are_counted()) pieces.lower_in_all_rows(x, least);
    lower(std::span(least).subspan(x), pieces.not_in_all_rows().subspan(x),
          in_quarters(model.across[x]));
  }
  pieces.end_allowing();
  std::vector<std::int64_t> borders{0};
  for (std::size_t s = 1; s <= most; ++s) {
    double border = std::min(least[s], with_full_rows(model, pieces, s));
    if (!pieces.are_counted() && model.rows > 1)
      border = std::min(border, all_rows_in_part(model, pieces, s));
    borders.push_back(border == kNotReached ? kUnreached : static_cast<std::int64_t>(border));
  }
  return borders;
}

namespace {

/// What the zones so far cost that hold at least u steps of `width` vertices (exactly, when the
/// width is 1), zone after zone.
class ShareTable {
 public:
  ShareTable(std::span<const std::int64_t> half_border, std::span<const std::uint32_t> capacity,
             std::size_t vertices)
      : half_border_(half_border), capacity_(capacity), vertices_(vertices) {
    const std::size_t largest = std::ranges::max(capacity);
    while (capacity.size() * (vertices / width_ + 1) > kMostShareWork / (largest / width_ + 1)) {
      ++width_;
    }
    units_ = steps_of(vertices);
    least_.assign(units_ + 1, kNotReached);
    least_[0] = 0;
  }

  /// Once all zones are there, no less than `least_held` steps were held by those so far.
  void add(std::size_t zone, std::size_t least_held = 0) {
    const std::vector<double> cost = costs(capacity_[zone]);
    std::vector<double> next(units_ + 1, kNotReached);
    for (std::size_t u = 0; u < std::min(cost.size(), units_ + 1); ++u) {
      const std::size_t low = std::max(least_reached_, least_held - std::min(u, least_held));
      const std::size_t end = std::min(most_reached_, units_ - u) + 1;
      if (low >= end) continue;
      lower(std::span(next).subspan(low + u, end - low), std::span(least_).subspan(low), cost[u]);
    }
    for (std::size_t u = 1; width_ > 1 && u < cost.size(); ++u) {
      for (std::size_t before = first_beyond(u); before <= units_; ++before) {
        next[units_] = std::min(next[units_], least_[before] + cost[u]);
      }
    }
    least_reached_ = std::max(least_reached_, least_held);
    most_reached_ = std::min(units_, most_reached_ + cost.size() - 1);
    steps_.push_back({zone, std::move(least_)});
    least_ = std::move(next);
  }

  /// Zone after zone.
  void add_all(std::span<const std::size_t> zones) {
    std::size_t to_come = 0;
    for (const std::size_t zone : zones) to_come += steps_of(capacity_[zone]);
    for (const std::size_t zone : zones) {
      to_come -= steps_of(capacity_[zone]);
      add(zone, units_ - std::min(units_, to_come));
    }
  }

  /// Whether no number of zones of this capacity beside those so far would be cheaper.
  [[nodiscard]] bool is_settled(std::size_t capacity) const {
    if (least_[units_] == kNotReached) return false;
    const std::vector<double> cost = costs(capacity);
    // Where more vertices may be held than there are, a zone of less than no cost always pays.
    if (width_ > 1 && std::ranges::min(cost) < 0) return false;
    std::vector<double> rest{0};  // the least cost of so many steps
    for (std::size_t r = 1; r <= units_; ++r) {
      double least = kNotReached;
      for (std::size_t u = 1; u < cost.size() && (width_ > 1 || u <= r); ++u)
        least = std::min(least, rest[r - std::min(r, u)] + cost[u]);
      rest.push_back(least);
      if (least_[units_ - r] + least < least_[units_]) return false;
    }
    return true;
  }

  [[nodiscard]] SharedBound cheapest() const {
    ZONECUT_ENSURES(least_[units_] != kNotReached);
    SharedBound best{static_cast<std::int64_t>(least_[units_]), Shares(capacity_.size(), 0)};
    std::size_t now = units_;
    double left = least_[units_];
    std::size_t given = 0;
    for (std::size_t i = steps_.size(); i-- > 0;) {
      const std::size_t zone = steps_[i].zone;
      const std::size_t before = came_from(steps_[i], now, left);
      const std::size_t share =
          std::min<std::size_t>({(now - before) * width_, capacity_[zone], vertices_ - given});
      best.shares[zone] = static_cast<std::uint32_t>(share);
      given += share;
      now = before;
      left = steps_[i].least_before[before];
    }
    // Steps of several vertices may leave a few unplaced: they go where there is room.
    for (std::size_t z = 0; z < capacity_.size(); ++z) {
      const std::size_t more =
          std::min<std::size_t>(capacity_[z] - best.shares[z], vertices_ - given);
      best.shares[z] += static_cast<std::uint32_t>(more);
      given += more;
    }
    return best;
  }

 private:
  struct Step {
    std::size_t zone = 0;
    std::vector<double> least_before;  ///< the table without the zone
  };

  [[nodiscard]] std::size_t steps_of(std::size_t vertices) const {
    return (vertices + width_ - 1) / width_;
  }

  /// From where on the zones before hold too much for u steps more to fit.
  [[nodiscard]] std::size_t first_beyond(std::size_t u) const {
    return units_ - std::min(u, units_) + 1;
  }

  /// How many steps the zones before it held where with it they hold `now` and cost `least`.
  [[nodiscard]] std::size_t came_from(const Step& step, std::size_t now, double least) const {
    const std::vector<double> cost = costs(capacity_[step.zone]);
    for (std::size_t u = 0; u < cost.size(); ++u) {
      const auto leads = [&](std::size_t before) {
        return step.least_before[before] + cost[u] == least;
      };
      if (u <= now && leads(now - u)) return now - u;
      if (width_ == 1 || now < units_) continue;
      for (std::size_t before = first_beyond(u); before <= units_; ++before) {
        if (leads(before)) return before;
      }
    }
    ZONECUT_ENSURES(false);
    return 0;
  }

  /// What u steps cost a zone of this capacity, by u.
  [[nodiscard]] std::vector<double> costs(std::size_t capacity) const {
    std::vector<double> costs;
    for (std::size_t u = 0; u * width_ < capacity + width_; ++u) {
      const std::size_t low = u == 0 ? 0 : (u - 1) * width_ + 1;
      const std::size_t high = std::min<std::size_t>({u * width_, capacity, vertices_});
      if (low > high) break;
      const std::int64_t least =
          *std::min_element(half_border_.begin() + static_cast<std::ptrdiff_t>(low),
                            half_border_.begin() + static_cast<std::ptrdiff_t>(high) + 1);
      costs.push_back(least >= kUnreached ? kNotReached : static_cast<double>(least));
    }
    return costs;
  }

  std::span<const std::int64_t> half_border_;
  std::span<const std::uint32_t> capacity_;
  std::size_t vertices_;
  std::size_t width_ = 1;
  std::size_t units_ = 0;
  std::size_t least_reached_ = 0;  // steps, by the zones so far
  std::size_t most_reached_ = 0;   // the same
  std::vector<double> least_;
  std::vector<Step> steps_;
};

/// Zones among which the cheapest shares lie, in order. Whatever a zone holds a larger one holds at
/// the same cost, so the largest are enough as soon as zones like the next one, as many as one
/// likes, make nothing cheaper. Where more than half of the zones are needed: all.
std::vector<std::size_t> zones_enough(ShareTable table, std::span<const std::uint32_t> capacity,
                                      std::size_t vertices) {
  std::vector<std::size_t> zones(capacity.size());
  std::iota(zones.begin(), zones.end(), std::size_t{0});
  std::vector<std::size_t> falling = zones;
  std::ranges::stable_sort(falling, std::ranges::greater{}, [&](auto z) { return capacity[z]; });
  std::size_t room = 0;
  for (const std::size_t z : std::span(falling).first(falling.size() / 2)) room += capacity[z];
  if (room < vertices) return zones;
  std::size_t count = 0;
  for (std::size_t look = 1; 2 * look <= zones.size(); look += (look + 1) / 2) {
    while (count < look) table.add(falling[count++]);
    if (!table.is_settled(capacity[falling[count]])) continue;
    falling.resize(count);
    std::ranges::sort(falling);
    return falling;
  }
  return zones;
}

}  // namespace

SharedBound cheapest_shares(std::span<const std::int64_t> half_border,
                            std::span<const std::uint32_t> capacity, std::size_t vertices) {
  const std::size_t room = std::accumulate(capacity.begin(), capacity.end(), std::size_t{0});
  ZONECUT_ENSURES(room >= vertices);
  if (room == vertices) {
    SharedBound sum{0, {capacity.begin(), capacity.end()}};
    for (const std::uint32_t c : capacity) sum.quarters += half_border[c];
    return sum;
  }
  ShareTable table(half_border, capacity, vertices);
  table.add_all(zones_enough(table, capacity, vertices));
  return table.cheapest();
}

}  // namespace zonecut
