#include "bound/zone_patterns.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kNoZone = std::numeric_limits<std::size_t>::max();

}  // namespace

std::size_t ZonePatterns::steps(bool with_excess) const {
  // Half of the sums, two at a time.
  const std::size_t layers = layer_steps();
  if (!with_excess) return layers;
  if (rank_work_ > 0) return layers + rank_work_;
  return (kFewPieces + 1) * layers + few_steps(length_);
}

std::span<double> ZonePatterns::least(std::size_t zones, std::size_t layer) {
  return row_of(least_, zones * layers_ + layer, length_ + 1);
}

/// Zone after zone: none of a row or a piece of it. What the last layer's rows cost.
double ZonePatterns::fill(std::span<const std::span<const double>> price) {
  least_.assign((zones_ + 1) * layers_ * (length_ + 1), kNotReached);
  const std::size_t last = layers_ - 1;
  if (last == 0) least_.front() = 0;
  for (std::size_t zone = 0; zone < zones_; ++zone) {
    for (std::size_t layer = 0; layer < layers_; ++layer) {
      std::ranges::copy(least(zone, layer), least(zone + 1, layer).begin());
    }
    const std::span<const double> prices = price[in_turn(zone)];
    for (std::size_t x = 1; x < prices.size(); ++x) {
      const double each = prices[x];
      if (last > 0) least(zone + 1, 0)[x] = std::min(least(zone + 1, 0)[x], each);
      for (std::size_t layer = 0; layer < last; ++layer) {
        lower(least(zone + 1, layer + 1).subspan(x), least(zone, layer), each);
      }
      lower(least(zone + 1, last).subspan(x), least(zone, last), each);
    }
  }
  return least(zones_, last).back();
}

/// Of the first so many zones those pieces that a cell of the table stands for.
void ZonePatterns::take_filled(std::span<const std::span<const double>> price, std::size_t zones,
                               std::size_t layer, std::size_t sum, std::vector<Piece>& pieces) {
  const std::size_t last = layers_ - 1;
  // Where a zone takes this piece of what is left; the layer it is added to.
  const auto before = [&](std::size_t zone, std::size_t x) -> std::optional<std::size_t> {
    const double each = price[in_turn(zone)][x];
    const double cost = least(zone + 1, layer)[sum];
    if (last > 0 && layer == 0) {
      return x == sum && each == cost ? std::optional<std::size_t>(0) : std::nullopt;
    }
    if (least(zone, layer)[sum - x] + each == cost && layer == last) return layer;
    if (last > 0 && least(zone, layer - 1)[sum - x] + each == cost) return layer - 1;
    return std::nullopt;
  };
  for (std::size_t zone = zones; zone-- > 0 && sum > 0;) {
    if (least(zone + 1, layer)[sum] == least(zone, layer)[sum]) continue;
    std::optional<std::size_t> from;
    std::size_t x = 0;
    while (!from && ++x <= std::min(sum, price[in_turn(zone)].size() - 1)) from = before(zone, x);
    ZONECUT_ENSURES(from.has_value());
    pieces.push_back({in_turn(zone), static_cast<std::uint32_t>(x)});
    sum -= x;
    layer = *from;
  }
}

void ZonePatterns::see_cheapest(std::span<const std::span<const double>> price) {
  Cheapest none{};
  none.price.fill(kNotReached);
  none.zone.fill(kNoZone);
  cheapest_.assign(length_ + 1, none);
  for (std::size_t zone = 0; zone < zones_; ++zone) {
    for (std::size_t x = 1; x < price[zone].size(); ++x) {
      double each = price[zone][x];
      std::size_t who = zone;
      for (std::size_t i = 0; i < kFewPieces; ++i) {
        if (each >= cheapest_[x].price[i]) continue;
        std::swap(each, cheapest_[x].price[i]);
        std::swap(who, cheapest_[x].zone[i]);
      }
    }
  }
}

/// The least price of pieces of these sizes, each of a zone of its own, where it is less than
/// `most`; assigned_ are then those. One zone of so many is free whatever the others take.
double ZonePatterns::assign(std::span<const std::uint32_t> sizes, double most) {
  std::array<std::size_t, kFewPieces> rank{};
  const auto rest = [&](const auto& self, std::size_t i, double cost) -> void {
    if (i == sizes.size()) {
      if (cost >= most) return;
      most = cost;
      assigned_.clear();
      for (std::size_t k = 0; k < sizes.size(); ++k) {
        assigned_.push_back({cheapest_[sizes[k]].zone[rank[k]], sizes[k]});
      }
      return;
    }
    const Cheapest& of = cheapest_[sizes[i]];
    for (std::size_t r = 0; r < sizes.size() && of.zone[r] != kNoZone; ++r) {
      bool taken = false;
      for (std::size_t k = 0; k < i; ++k) taken |= cheapest_[sizes[k]].zone[rank[k]] == of.zone[r];
      if (taken) continue;
      rank[i] = r;
      self(self, i + 1, cost + of.price[r]);
    }
  };
  rest(rest, 0, 0);
  return most;
}

double ZonePatterns::choose_few(std::span<const RowExcess> excess, double most) {
  for_few_pieces(length_, length_, [&](const auto& sizes) {
    double alone = 0;
    for (const std::uint32_t x : sizes) alone += cheapest_[x].price.front();
    if (alone >= most) return;
    const MostExcess besides = most_excess(excess, sizes);
    if (alone + besides.value >= most) return;
    const double cost = assign(sizes, most - besides.value) + besides.value;
    if (cost >= most) return;
    most = cost;
    pieces_ = assigned_;
    excess_ = besides.which;
  });
  return most;
}

/// What the cheapest row costs with its excess, or no more than that.
double ZonePatterns::rank(std::span<const std::span<const double>> price,
                          std::span<const RowExcess> excess) {
  pieces_.clear();
  excess_.reset();
  layers_ = 1;
  const double filled = fill(price);
  if (filled >= kNotReached) return filled;
  std::vector<Piece> cheapest;
  take_filled(price, zones_, 0, length_, cheapest);
  PiecePrices prices{{}, least_, length_};
  for (std::size_t place = 0; place < zones_; ++place)
    prices.price.push_back(price[in_turn(place)]);
  const auto in_place = [&](std::vector<Piece> pieces, std::size_t turn) {
    for (Piece& piece : pieces) piece.zone = (piece.zone + turn) % zones_;
    return pieces;
  };
  ranks_.rank(std::move(prices), excess, in_place(cheapest, zones_ - turn_));
  rank_work_ = ranks_.work();
  const RankedRows::Row& best = ranks_.best();
  if (best.cost <= ranks_.others()) {
    pieces_ = in_place(best.pieces, turn_);
    excess_ = best.excess;
    return best.cost;
  }
  const double few = choose_sums(price, sums_over_pieces(excess));
  rank_work_ += (kFewPieces + 1) * layer_steps() + few_steps(length_);
  ranked_ = few < ranks_.others();
  if (!ranked_) return few;
  most_excess_ = ranks_.others() - filled;
  pieces_ = cheapest;
  excess_.reset();
  return ranks_.others();
}

/// With excess that is a sum over pieces.
double ZonePatterns::choose_sums(std::span<const std::span<const double>> price,
                                 std::span<const RowExcess> excess) {
  pieces_.clear();
  excess_.reset();
  layers_ = excess.empty() ? 1 : kFewPieces + 1;
  const double filled = fill(price);
  double cost = filled;
  if (!excess.empty()) {
    see_cheapest(price);
    cost = choose_few(excess, filled);
  }
  if (pieces_.empty() && filled < kNotReached) {
    take_filled(price, zones_, layers_ - 1, length_, pieces_);
  }
  return cost;
}

double ZonePatterns::choose(std::span<const std::span<const double>> price,
                            std::span<const RowExcess> excess) {
  rank_work_ = 0;
  most_excess_ = kNotReached;
  ranked_ = !ranks_.gave_up() && std::ranges::any_of(excess, &RowExcess::is_of_all_pieces);
  return ranked_ ? rank(price, excess) : choose_sums(price, sums_over_pieces(excess));
}

std::vector<ZonePatterns::Row> ZonePatterns::others(std::span<const std::span<const double>> price,
                                                    std::span<const RowExcess> excess,
                                                    std::size_t most) {
  struct With {
    double cost = 0;
    std::size_t piece = 0;
    std::size_t layer = 0;  // of what is beside it
  };
  if (!ranked_) excess = sums_over_pieces(excess);
  const std::size_t before = zones_ - 1;
  const std::size_t zone = in_turn(before);
  const std::size_t last = layers_ - 1;
  std::vector<With> with;
  for (std::size_t x = 1; x < std::min(price[zone].size(), length_); ++x) {
    for (std::size_t layer = last - std::min<std::size_t>(last, 1); layer <= last; ++layer) {
      const double cost = least(before, layer)[length_ - x] + price[zone][x];
      if (cost < kNotReached) with.push_back({cost, x, layer});
    }
  }
  const std::size_t count = std::min(most, with.size());
  std::ranges::partial_sort(with, with.begin() + static_cast<std::ptrdiff_t>(count), {},
                            &With::cost);
  with.resize(count);
  std::vector<Row> rows;
  for (const With& w : with) {
    Row row{0, {{zone, static_cast<std::uint32_t>(w.piece)}}, std::nullopt};
    take_filled(price, before, w.layer, length_ - w.piece, row.pieces);
    std::vector<std::uint32_t> sizes;
    for (const Piece& piece : row.pieces) {
      row.cost += price[piece.zone][piece.size];
      sizes.push_back(piece.size);
    }
    if (ranked_ || sizes.size() <= kFewPieces) {
      const MostExcess besides = most_excess(excess, sizes);
      // Of rows that were not looked at no more is known.
      const bool counts = besides.value <= most_excess_;
      row.cost += counts ? besides.value : most_excess_;
      if (counts) row.excess = besides.which;
    }
    rows.push_back(std::move(row));
  }
  turn_ = (turn_ + 1) % zones_;
  return rows;
}

double ZonePatterns::excess_by(std::span<const RowExcess> others) const {
  if (!excess_) return 0;
  std::vector<std::uint32_t> sizes;
  for (const Piece& piece : pieces_) sizes.push_back(piece.size);
  return sum_of(others[*excess_], sizes);
}

}  // namespace zonecut
