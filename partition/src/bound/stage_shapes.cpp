#include "bound/stage_shapes.hpp"

#include <algorithm>
#include <map>

#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kNarrow = 8;  // one part of a row in so many

}  // namespace

StageShapes::StageShapes(const RowLine& line, std::span<const std::uint32_t> sizes, Filling filling,
                         std::size_t most_taken)
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
  if (is_ring()) return line_.rows * table * 2;
  // Tables of other ends than the last are filled again now and then.
  const std::size_t again = ends_.size() > 1 ? 1 : 0;
  if (sharing_) return (ends_.size() + again) * line_.rows * table * 2 + sharing_->steps();
  const std::size_t half = line_.rows / 2 * table * 2 + table;
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
  const auto before = [&](std::size_t x) { return row_of(from, x, sums_).first(reached); };
  const auto sums_with = [&](std::size_t x) { return row_of(to, x, sums_).first(reached); };
  std::ranges::copy(before(0), to.begin());
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

/// From an end of which a zone takes as much as the range says, to so many rows.
void StageShapes::fill(Half& half, const Range& end, const Ends& ends, const Costs& cost,
                       std::size_t rows) const {
  if (half.least.empty()) {
    half.least.assign(rows, unreached());
    half.spread = unreached();
  }
  Table& first = half.least.front();
  first.assign(options_ * sums_, kNotReached);
  for (std::size_t x = end.low; x <= end.high; ++x) {
    const std::size_t apart = x < ends.between ? ends.between - x : x - ends.between;
    first[x * sums_ + x] = cost[0][x] + each_closing(ends) * number(apart);
  }
  for (std::size_t row = 1; row < rows; ++row) {
    const std::size_t before = reach(row);
    const std::vector<double>& costs = cost[class_of(row)];
    spread(half.least[row - 1], half.spread, before, [&](std::size_t x) {
      const std::span<double> to = row_of(half.least[row], x, sums_).subspan(x);
      set(to.first(std::min(before, to.size())), row_of(half.spread, x, sums_), costs[x]);
    });
  }
  spread(half.least[rows - 1], half.spread, reach(rows), [](std::size_t) {});
}

/// For the other half to be joined with.
void StageShapes::turn(Half& half) const {
  const Table& least = line_.rows % 2 == 1 ? half.spread : half.least.back();
  half.backwards.resize(least.size());
  for (std::size_t x = 0; x < options_; ++x) {
    std::ranges::reverse_copy(row_of(least, x, sums_), row_of(half.backwards, x, sums_).begin());
  }
}

/// The rows of a half that come before another, which takes so much, and have such a sum, from
/// there to the end.
void StageShapes::trace(const Half& half, std::size_t before, std::size_t taken, std::size_t sum,
                        std::vector<std::size_t>& rows) const {
  const double each = each_apart();
  for (std::size_t row = before; row-- > 0;) {
    const std::size_t most = std::min(sum, is_ring() ? taken : options_ - 1);
    std::size_t best = 0;
    double least = kNotReached;
    for (std::size_t x = 0; x <= most; ++x) {
      const double apart = number(x < taken ? taken - x : x - taken);
      const double cost = half.least[row][x * sums_ + sum] + each * apart;
      if (cost >= least) continue;
      least = cost;
      best = x;
    }
    rows.push_back(best);
    sum -= best;
    taken = best;
  }
}

/// Both halves spread to the border between them or to the row in the middle.
void StageShapes::join(const Half& left, const Half& right, std::span<const double> middle,
                       Zones& zones) const {
  const bool odd = line_.rows % 2 == 1;
  std::size_t best_taken = 0;
  std::size_t best_sum = 0;
  double least = zones.cost;
  for (std::size_t x = 0; x < options_ && x <= zones.size; ++x) {
    const std::size_t rest = odd ? zones.size - x : zones.size;
    const double here = odd ? middle[x] : 0;
    const std::span<const double> from = row_of(left.spread, x, sums_).first(rest + 1);
    const std::span<const double> to = row_of(right.backwards, x, sums_).last(rest + 1);
    const double sum = least_sum(from, to);
    if (sum + here >= least) continue;
    least = sum + here;
    best_taken = x;
    best_sum = 0;
    while (from[best_sum] + to[best_sum] > sum) ++best_sum;
  }
  if (least >= zones.cost) return;
  zones.cost = least;
  zones.taken.clear();
  trace(left, left.least.size(), best_taken, best_sum, zones.taken);
  std::ranges::reverse(zones.taken);
  if (odd) zones.taken.push_back(best_taken);
  const std::size_t rest = zones.size - best_sum - (odd ? best_taken : 0);
  trace(right, right.least.size(), best_taken, rest, zones.taken);
}

/// For what a zone takes of the last row.
void StageShapes::pay_at_the_end(Table& last, const Ends& ends) const {
  for (std::size_t x = 0; x < options_; ++x) {
    const bool allowed = x >= ends.last.low && x <= ends.last.high;
    const double more =
        allowed ? each_closing(ends) * number(x - std::min(x, ends.between)) : kNotReached;
    for (double& sum : row_of(last, x, sums_)) sum += more;
  }
}

/// What zones of this size take of each row, by the tables of all rows.
void StageShapes::take_size(std::size_t size, Zones& zones) const {
  const Table& last = left_.least.back();
  std::size_t best = 0;
  for (std::size_t x = 1; x < options_; ++x) {
    if (last[x * sums_ + size] < last[best * sums_ + size]) best = x;
  }
  zones.taken.assign(1, best);
  trace(left_, line_.rows - 1, best, size - best, zones.taken);
  std::ranges::reverse(zones.taken);
}

void StageShapes::fill_all(const Ends& ends, const Costs& cost) {
  fill(left_, ends.first, ends, cost, line_.rows);
  pay_at_the_end(left_.least.back(), ends);
}

/// The sizes that add up and cost least together.
void StageShapes::choose_sizes(const Costs& cost) {
  by_size_.assign(sums_, kNotReached);
  std::vector<std::size_t> end_of(sums_, 0);
  for (std::size_t end = 0; end < ends_.size(); ++end) {
    fill_all(ends_[end], cost);
    std::vector<double> here(sums_, kNotReached);
    for (std::size_t x = 0; x < options_; ++x) {
      lower(here, row_of(left_.least.back(), x, sums_), 0);
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
    for (Zones& zones : zones_) {
      if (is_here(zones)) take_size(zones.size, zones);
    }
  }
}

/// By what zones take of their fullest row.
void StageShapes::choose_in_ring(const Costs& cost) {
  fill(left_, ends_.front().first, ends_.front(), cost, line_.rows);
  const Table& last = left_.least.back();
  for (Zones& zones : zones_) {
    take_size(zones.size, zones);
    zones.cost = last[zones.taken.back() * sums_ + zones.size];
  }
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

void StageShapes::choose_known(const Costs& cost) {
  if (is_ring()) {
    choose_in_ring(cost);
    return;
  }
  const std::size_t half = line_.rows / 2;
  for (const Ends& ends : ends_) {
    fill(left_, ends.first, ends, cost, half);
    if (!ends.alike()) fill(right_, ends.last, ends, cost, half);
    Half& right = ends.alike() ? left_ : right_;
    turn(right);
    for (Zones& zones : zones_) join(left_, right, cost.back(), zones);
  }
}

}  // namespace zonecut
