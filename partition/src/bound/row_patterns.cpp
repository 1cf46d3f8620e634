#include "bound/row_patterns.hpp"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "grid/relaxation_sums.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kNoZone = std::numeric_limits<std::size_t>::max();

/// Calls visit(sizes) for every two sizes and three, none of 0, that add up to a row.
template <class Visit>
void for_few_pieces(std::size_t length, std::size_t kinds, const Visit& visit) {
  const auto number = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  for (std::size_t x = 1; 2 * x <= length; ++x) {
    if (length - x < kinds) visit(std::array{number(x), number(length - x)});
  }
  for (std::size_t x = 1; 3 * x <= length; ++x) {
    for (std::size_t y = x; x + 2 * y <= length; ++y) {
      const std::size_t z = length - x - y;
      if (z < kinds) visit(std::array{number(x), number(y), number(z)});
    }
  }
}

/// Steps in which rows are ranked.
constexpr std::int64_t kMostRanked = 2'000'000;

std::size_t few_steps(std::size_t length) { return length * length / 4; }

}  // namespace

std::size_t RowPatterns::steps(bool with_excess) const {
  return kinds_ * length_ + (with_excess ? length_ * length_ / 4 + few_steps(length_) : 0);
}

/// any_, the empty row included, and several_.
void RowPatterns::fill(std::span<const double> price) {
  any_.assign(length_ + 1, {kNotReached, 0});
  several_ = any_;
  any_.front().cost = 0;
  for (std::size_t sum = 1; sum <= length_; ++sum) {
    Cell best{kNotReached, 0};
    for (std::size_t x = 1; x < std::min(sum, kinds_); ++x) {
      const double cost = any_[sum - x].cost + price[x];
      if (cost < best.cost) best = {cost, static_cast<std::uint32_t>(x)};
    }
    several_[sum] = best;
    if (sum < kinds_ && price[sum] < best.cost)
      best = {price[sum], static_cast<std::uint32_t>(sum)};
    any_[sum] = best;
  }
}

/// Appends the cheapest of any pieces with that sum.
void RowPatterns::take(std::size_t sum, std::vector<std::uint32_t>& pieces) const {
  for (; sum > 0; sum -= any_[sum].last) pieces.push_back(any_[sum].last);
}

/// Two pieces, and two or more.
double RowPatterns::choose_many(std::span<const double> price) {
  double least = kNotReached;
  std::size_t first = 0;
  std::size_t both = 0;
  for (std::size_t sum = 2; sum + 2 <= length_; ++sum) {
    const double others = several_[length_ - sum].cost;
    for (std::size_t x = sum - std::min(sum - 1, kinds_ - 1); 2 * x <= sum; ++x) {
      const double cost = price[x] + price[sum - x] + others;
      if (cost < least) std::tie(least, first, both) = std::tuple(cost, x, sum);
    }
  }
  if (least == kNotReached) return least;
  const std::uint32_t third = several_[length_ - both].last;
  pieces_ = {static_cast<std::uint32_t>(first), static_cast<std::uint32_t>(both - first), third};
  take(length_ - both - third, pieces_);
  return least;
}

/// What the cheapest of few pieces costs, where that is less than `most`.
double RowPatterns::choose_few(std::span<const double> price, std::span<const RowExcess> excess,
                               double most) {
  for_few_pieces(length_, kinds_, [&](const auto& sizes) {
    double cost = 0;
    for (const std::uint32_t x : sizes) cost += price[x];
    if (cost >= most) return;
    const MostExcess besides = most_excess(excess, sizes);
    if (cost + besides.value >= most) return;
    most = cost + besides.value;
    pieces_.assign(sizes.begin(), sizes.end());
    excess_ = besides.which;
  });
  return most;
}

double RowPatterns::choose(std::span<const double> price, std::span<const RowExcess> excess) {
  excess = without_groups(excess);
  pieces_.clear();
  excess_.reset();
  fill(price);
  if (!excess.empty()) return choose_few(price, excess, choose_many(price));
  if (any_.back().cost < kNotReached) take(length_, pieces_);
  return any_.back().cost;
}

std::vector<RowPatterns::Row> RowPatterns::others(std::span<const double> price,
                                                  std::span<const RowExcess> excess,
                                                  std::size_t most) const {
  excess = without_groups(excess);
  std::vector<std::pair<double, std::size_t>> with;
  for (std::size_t x = 1; x < std::min(kinds_, length_); ++x) {
    with.emplace_back(price[x] + any_[length_ - x].cost, x);
  }
  std::ranges::sort(with);
  std::vector<Row> rows;
  for (const auto& [cost, x] : with) {
    if (rows.size() == most || cost >= kNotReached) break;
    Row row{0, {static_cast<std::uint32_t>(x)}, std::nullopt};
    take(length_ - x, row.pieces);
    std::ranges::sort(row.pieces);
    if (std::ranges::find(rows, row.pieces, &Row::pieces) != rows.end()) continue;
    for (const std::uint32_t piece : row.pieces) row.cost += price[piece];
    if (row.pieces.size() <= kFewPieces) {
      const MostExcess besides = most_excess(excess, row.pieces);
      row.cost += besides.value;
      row.excess = besides.which;
    }
    rows.push_back(std::move(row));
  }
  return rows;
}

double RowPatterns::excess_by(std::span<const RowExcess> others) const {
  return excess_ ? sum_of(others[*excess_], pieces_) : 0;
}

std::size_t ZonePatterns::steps(bool with_excess) const {
  // Half of the sums, two at a time.
  const std::size_t layers = layer_steps();
  if (!with_excess) return layers;
  if (ranked_) return layers + static_cast<std::size_t>(rank_work_);
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

/// A row with these pieces, which cost so much without excess.
void ZonePatterns::see(std::span<const Piece> pieces, std::span<const RowExcess> excess,
                       double cost) {
  sizes_.clear();
  for (const Piece& piece : pieces) sizes_.push_back(piece.size);
  const MostExcess besides = most_excess(excess, sizes_);
  if (cost + besides.value >= least_ranked_) return;
  least_ranked_ = cost + besides.value;
  pieces_.assign(pieces.begin(), pieces.end());
  excess_ = besides.which;
}

/// All rows that begin with assigned_, go on with pieces of the first so many zones, and cost less
/// without excess than the best with it. Whether there was time for it.
bool ZonePatterns::look(std::span<const std::span<const double>> price,
                        std::span<const RowExcess> excess, std::size_t zones, std::size_t sum,
                        double cost) {
  constexpr std::int64_t kStepsOfARow = 200;
  if (sum == 0) {
    see(assigned_, excess, cost);
    rank_work_ += kStepsOfARow;
    return true;
  }
  if (zones == 0) return true;
  const std::size_t zone = in_turn(zones - 1);
  const std::span<const double> before = least(zones - 1, 0);
  const std::size_t most = std::min(sum, price[zone].size() - 1);
  rank_work_ += static_cast<std::int64_t>(most / 2) + 1;
  if (rank_work_ > kMostRanked) return false;
  if (cost + before[sum] < least_ranked_ && !look(price, excess, zones - 1, sum, cost)) {
    return false;
  }
  for (std::size_t x = 1; x <= most; ++x) {
    const double with = cost + price[zone][x];
    if (with + before[sum - x] >= least_ranked_) continue;
    assigned_.push_back({zone, static_cast<std::uint32_t>(x)});
    const bool done = look(price, excess, zones - 1, sum - x, with);
    assigned_.pop_back();
    if (!done) return false;
  }
  return true;
}

/// What the cheapest row costs with its excess; none where it took too long to find.
std::optional<double> ZonePatterns::rank(std::span<const std::span<const double>> price,
                                         std::span<const RowExcess> excess) {
  layers_ = 1;
  rank_work_ = 0;
  least_ranked_ = kNotReached;
  const double filled = fill(price);
  if (filled >= kNotReached) return filled;
  std::vector<Piece> cheapest;
  take_filled(price, zones_, 0, length_, cheapest);
  see(cheapest, excess, filled);
  assigned_.clear();
  if (look(price, excess, zones_, length_, 0)) return least_ranked_;
  return std::nullopt;
}

double ZonePatterns::choose(std::span<const std::span<const double>> price,
                            std::span<const RowExcess> excess) {
  pieces_.clear();
  excess_.reset();
  const std::span<const RowExcess> without = without_groups(excess);
  ranked_ = !takes_too_long_ && without.size() < excess.size();
  if (ranked_) {
    if (const std::optional<double> least = rank(price, excess)) return *least;
    takes_too_long_ = true;
    ranked_ = false;
    pieces_.clear();
    excess_.reset();
  }
  excess = without;
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

std::vector<ZonePatterns::Row> ZonePatterns::others(std::span<const std::span<const double>> price,
                                                    std::span<const RowExcess> excess,
                                                    std::size_t most) {
  struct With {
    double cost = 0;
    std::size_t piece = 0;
    std::size_t layer = 0;  // of what is beside it
  };
  if (!ranked_) excess = without_groups(excess);
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
      row.cost += besides.value;
      row.excess = besides.which;
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
