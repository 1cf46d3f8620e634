#include "bound/stage_shapes.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kNarrow = 8;  // one part of a row in so many

}  // namespace

StageShapes::StageShapes(const RowLine& line, std::span<const std::uint32_t> sizes, Filling filling,
                         std::size_t most_taken, std::size_t most_entries)
    : line_(line), filling_(filling) {
  std::map<std::uint32_t, std::size_t> counts;
  for (const std::uint32_t size : sizes) {
    if (size > 0) ++counts[size];
  }
  for (const auto& [size, count] : counts) zones_.push_back({size, number(count), 0, {}});
  sums_ = zones_.back().size + 1;
  if (filling == Filling::Open) sharing_.emplace(sizes, line.rows * line.length);
  options_ = std::min({line.length, sums_ - 1, most_taken}) + 1;
  const std::size_t most = options_ - 1;
  filled_ = is_ring() || sharing_ ? line.rows : line.rows / 2;
  every_ = std::max<std::size_t>(1, filled_);
  std::size_t entries = 0;
  for (std::size_t row = 0; row < filled_; ++row) entries += options_ * reach(row + 1);
  if (entries > most_entries) {
    every_ = static_cast<std::size_t>(std::ceil(std::sqrt(number(filled_))));
  }
  if (line.wrap == 0 || is_ring()) {
    ends_ = {{{0, most}, {0, most}}};
    return;
  }
  // Prices are the same from the other side, so the first row is that of which a zone takes less.
  // Most take nothing of it.
  ends_ = {{{0, 0}, {0, most}, 0, true}};
  const std::size_t narrow = std::min(most, std::max<std::size_t>(1, line.length / kNarrow));
  const Range few{1, narrow};
  const Range many{narrow + 1, most};
  if (narrow > 0) ends_.push_back({few, few});
  if (most > narrow) {
    ends_.push_back({few, many, narrow, true});
    ends_.push_back({many, many});
  }
}

std::size_t StageShapes::class_of(std::size_t row) const {
  return is_ring() ? 0 : std::min(row, line_.rows - 1 - row);
}

double StageShapes::rows_in(std::size_t row_class) const {
  if (is_ring()) return number(line_.rows);
  return 2 * row_class + 1 == line_.rows ? 1 : 2;
}

std::size_t StageShapes::steps() const {
  const std::size_t table = options_ * sums_;
  const std::size_t of_row = table * (shares_tables() ? 3 : 2);
  if (is_ring()) return line_.rows * of_row;
  // Tables of other ends than the last are filled again now and then.
  const std::size_t again = ends_.size() > 1 ? 1 : 0;
  if (sharing_) return (ends_.size() + again) * line_.rows * of_row + sharing_->steps();
  const std::size_t half = line_.rows / 2 * of_row + table;
  std::size_t halves = 0;
  for (const Ends& ends : ends_) halves += ends.alike() ? 1u : 2u;
  return halves * half + ends_.size() * zones_.size() * table / 4;
}

/// A ring is crossed upwards once, and down once.
double StageShapes::each_apart() const {
  return is_ring() ? in_quarters(line_.step) : in_quarters(line_.step) / 2;
}

/// What a zone pays for a vertex between what it takes of the first row and of the last.
double StageShapes::each_closing(const Ends& ends) const {
  return ends.paid ? in_quarters(line_.wrap) / 2 : 0;
}

/// Over a border, as far as sums reach: [y] becomes the least over x of [x] and what |x − y| edges
/// cost each of their ends; in a ring no x is above y. Each goes to `use` as soon as it is known.
template <class Use>
void StageShapes::spread(const Table& from, Table& to, std::size_t reached, const Use& use) const {
  const double each = each_apart();
  const auto before = [&](std::size_t x) { return from.with(x).first(reached); };
  const auto sums_with = [&](std::size_t x) { return to.with(x).first(reached); };
  std::ranges::copy(before(0), sums_with(0).begin());
  if (is_ring()) use(0);
  for (std::size_t x = 1; x < options_; ++x) {
    set_least(sums_with(x), {{before(x)}, {sums_with(x - 1), each}});
    if (is_ring()) use(x);
  }
  if (is_ring()) return;
  use(options_ - 1);
  for (std::size_t x = options_ - 1; x-- > 0;) {
    lower(sums_with(x), sums_with(x + 1), each);
    use(x);
  }
}

/// From an end of which a zone takes as much as the range says.
void StageShapes::fill(Half& half, const Range& end, const Ends& ends, const Costs& cost) const {
  if (half.least.empty()) {
    for (std::size_t row = 0; row < filled_; row += every_) {
      half.least.push_back(unreached(reach(row + 1)));
    }
    // Where they are shared, each serves several rows, of which the last reaches furthest.
    for (std::size_t i = 1; i < std::min(every_, filled_); ++i) {
      half.least.push_back(unreached(reach(shares_tables() ? filled_ : i + 1)));
    }
    half.spread = unreached(sums_);
  }
  Table& first = half.least.front();
  std::ranges::fill(first.entries, kNotReached);
  for (std::size_t x = end.low; x <= end.high; ++x) {
    const std::size_t apart = x < ends.between ? ends.between - x : x - ends.between;
    first.with(x)[x] = cost[0][x] + each_closing(ends) * number(apart);
  }
  for (std::size_t row = 1; row < filled_; ++row) fill_row(half, row, cost);
  half.held = (filled_ - 1) / every_ * every_;
  spread(half.least[slot(filled_ - 1)], half.spread, reach(filled_), [](std::size_t) {});
}

/// From the row before it.
void StageShapes::fill_row(Half& half, std::size_t row, const Costs& cost) const {
  const std::size_t before = reach(row);
  const std::vector<double>& costs = cost[class_of(row)];
  Table& least = half.least[slot(row)];
  if (shares_tables()) {
    least.sums = reach(row + 1);
    std::fill_n(least.entries.begin(), options_ * least.sums, kNotReached);
  }
  spread(half.least[slot(row - 1)], half.spread, before, [&](std::size_t x) {
    const std::span<double> to = least.with(x).subspan(x);
    set(to.first(std::min(before, to.size())), half.spread.with(x), costs[x]);
  });
}

/// Until the table of a row is that of the row.
void StageShapes::hold(Half& half, std::size_t row, const Costs& cost) const {
  const std::size_t first = row / every_ * every_;
  if (row == first || half.held == first) return;
  for (std::size_t r = first + 1; r <= row; ++r) fill_row(half, r, cost);
  half.held = first;
}

/// For the other half to be joined with.
void StageShapes::turn(Half& half) const {
  const Table& least = line_.rows % 2 == 1 ? half.spread : half.least[slot(filled_ - 1)];
  if (half.backwards.empty()) half.backwards = unreached(sums_);
  for (std::size_t x = 0; x < options_; ++x) {
    std::ranges::reverse_copy(least.with(x), half.backwards.with(x).last(least.sums).begin());
  }
}

/// The rows of a half that come before another, from there to the end.
void StageShapes::trace(Half& half, std::size_t before, const Costs& costs,
                        std::span<Way* const> ways) const {
  const double each = each_apart();
  for (std::size_t row = before; row-- > 0;) {
    hold(half, row, costs);
    const Table& table = half.least[slot(row)];
    for (Way* way : ways) {
      const std::size_t most = std::min(way->sum, is_ring() ? way->taken : options_ - 1);
      std::size_t best = 0;
      double least = kNotReached;
      for (std::size_t x = 0; x <= most; ++x) {
        const double apart = number(x < way->taken ? way->taken - x : x - way->taken);
        const double cost = table.at(x, way->sum) + each * apart;
        if (cost >= least) continue;
        least = cost;
        best = x;
      }
      way->rows.push_back(best);
      way->sum -= best;
      way->taken = best;
    }
  }
}

/// Both halves spread to the border between them or to the row in the middle. None where that costs
/// as much as what is known.
std::optional<StageShapes::Joined> StageShapes::join(const Half& left, const Half& right,
                                                     std::span<const double> middle,
                                                     Zones& zones) const {
  const bool odd = line_.rows % 2 == 1;
  std::size_t best_taken = 0;
  std::size_t best_sum = 0;
  double least = zones.cost;
  for (std::size_t x = 0; x < options_ && x <= zones.size; ++x) {
    const std::size_t rest = odd ? zones.size - x : zones.size;
    const double here = odd ? middle[x] : 0;
    const std::span<const double> from = left.spread.with(x).first(rest + 1);
    const std::span<const double> to = right.backwards.with(x).last(rest + 1);
    const double sum = least_sum(from, to);
    if (sum + here >= least) continue;
    least = sum + here;
    best_taken = x;
    best_sum = 0;
    while (from[best_sum] + to[best_sum] > sum) ++best_sum;
  }
  if (least >= zones.cost) return std::nullopt;
  zones.cost = least;
  const std::size_t rest = zones.size - best_sum - (odd ? best_taken : 0);
  return Joined{{&zones, best_taken, best_sum}, {&zones, best_taken, rest}};
}

/// For what a zone takes of the last row.
void StageShapes::pay_at_the_end(Table& last, const Ends& ends) const {
  for (std::size_t x = 0; x < options_; ++x) {
    const bool allowed = x >= ends.last.low && x <= ends.last.high;
    const double more =
        allowed ? each_closing(ends) * number(x - std::min(x, ends.between)) : kNotReached;
    for (double& sum : last.with(x)) sum += more;
  }
}

/// What zones of a size take of the last row.
StageShapes::Way StageShapes::way_to(Zones& zones) const {
  const Table& last = left_.least[slot(filled_ - 1)];
  std::size_t best = 0;
  for (std::size_t x = 1; x < options_; ++x) {
    if (last.at(x, zones.size) < last.at(best, zones.size)) best = x;
  }
  return {&zones, best, zones.size};
}

/// What they take of each row, by the tables of all rows.
void StageShapes::take_sizes(std::vector<Way> ways, const Costs& cost) {
  std::vector<Way*> all;
  for (Way& way : ways) {
    way.rows.push_back(way.taken);
    way.sum -= way.taken;
    all.push_back(&way);
  }
  trace(left_, filled_ - 1, cost, all);
  for (const Way& way : ways) way.zones->taken.assign(way.rows.rbegin(), way.rows.rend());
}

void StageShapes::fill_all(const Ends& ends, const Costs& cost) {
  fill(left_, ends.first, ends, cost);
  pay_at_the_end(left_.least[slot(filled_ - 1)], ends);
}

/// The sizes that add up and cost least together.
void StageShapes::choose_sizes(const Costs& cost) {
  by_size_.assign(sums_, kNotReached);
  std::vector<std::size_t> end_of(sums_, 0);
  for (std::size_t end = 0; end < ends_.size(); ++end) {
    fill_all(ends_[end], cost);
    const Table& last = left_.least[slot(filled_ - 1)];
    std::vector<double> here(sums_, kNotReached);
    for (std::size_t x = 0; x < options_; ++x) {
      const std::span<const double> sums = last.with(x);
      lower(std::span(here).first(sums.size()), sums, 0);
    }
    for (std::size_t size = 0; size < sums_; ++size) {
      if (here[size] >= by_size_[size]) continue;
      by_size_[size] = here[size];
      end_of[size] = end;
    }
  }
  const SharedSizes::Choice& shared = sharing_->choose(by_size_, steps() / kSharingPart);
  together_ = shared.least;
  std::map<std::size_t, double> counts;
  for (const std::size_t size : shared.size) ++counts[size];
  zones_.clear();
  for (const auto& [size, count] : counts) zones_.push_back({size, count, by_size_[size], {}});
  // The tables are those of the last end.
  for (std::size_t end = ends_.size(); end-- > 0;) {
    const auto is_here = [&](const Zones& zones) { return end_of[zones.size] == end; };
    if (end + 1 < ends_.size() && std::ranges::any_of(zones_, is_here)) fill_all(ends_[end], cost);
    std::vector<Way> ways;
    for (Zones& zones : zones_) {
      if (is_here(zones)) ways.push_back(way_to(zones));
    }
    take_sizes(std::move(ways), cost);
  }
}

/// By what zones take of their fullest row.
void StageShapes::choose_in_ring(const Costs& cost) {
  fill(left_, ends_.front().first, ends_.front(), cost);
  std::vector<Way> ways;
  for (Zones& zones : zones_) {
    ways.push_back(way_to(zones));
    zones.cost = left_.least[slot(filled_ - 1)].at(ways.back().taken, zones.size);
  }
  take_sizes(std::move(ways), cost);
}

void StageShapes::choose(const Costs& cost) {
  if (filling_ == Filling::Open) {
    choose_sizes(cost);
    return;
  }
  together_ = 0;
  for (Zones& zones : zones_) zones.cost = kNotReached;
  choose_known(cost);
  for (const Zones& zones : zones_) together_ += zones.count * zones.cost;
}

/// What zones take of each row of the left half, of the one in the middle and of the right half.
void StageShapes::take_halves(std::span<Joined> joined, Half& right, const Costs& cost) {
  if (joined.empty()) return;
  std::vector<Way*> lefts;
  std::vector<Way*> rights;
  for (Joined& both : joined) {
    both.left.zones->taken.clear();
    if (line_.rows % 2 == 1) both.left.zones->taken.push_back(both.left.taken);
    lefts.push_back(&both.left);
    rights.push_back(&both.right);
  }
  trace(left_, filled_, cost, lefts);
  trace(right, filled_, cost, rights);
  for (Joined& both : joined) {
    std::vector<std::size_t>& taken = both.left.zones->taken;
    taken.insert(taken.begin(), both.left.rows.rbegin(), both.left.rows.rend());
    taken.insert(taken.end(), both.right.rows.begin(), both.right.rows.end());
  }
}

void StageShapes::choose_known(const Costs& cost) {
  if (is_ring()) {
    choose_in_ring(cost);
    return;
  }
  for (const Ends& ends : ends_) {
    fill(left_, ends.first, ends, cost);
    if (!ends.alike()) fill(right_, ends.last, ends, cost);
    Half& right = ends.alike() ? left_ : right_;
    turn(right);
    std::vector<Joined> joined;
    for (Zones& zones : zones_) {
      if (auto both = join(left_, right, cost.back(), zones)) joined.push_back(*std::move(both));
    }
    take_halves(joined, right, cost);
  }
}

}  // namespace zonecut
