#include "bound/stage_shapes.hpp"

#include <algorithm>
#include <array>
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
  // In a ring the last row needs no table where sizes are known.
  filled_ = sharing_    ? line.rows
            : is_ring() ? std::max<std::size_t>(1, line.rows - 1)
                        : line.rows / 2;
  lay_out();
  group_rows(most_entries);
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

/// In a ring no row before took more than this one, and none that follows takes less.
std::size_t StageShapes::reach(std::size_t row, std::size_t taken) const {
  if (!is_ring()) return std::min(sums_, (row + 1) * (options_ - 1) + 1);
  const std::size_t later = (line_.rows - 1 - row) * taken;
  return later < sums_ ? std::min((row + 1) * taken + 1, sums_ - later) : 0;
}

void StageShapes::lay_out() {
  layout_.assign(filled_ + 1, Layout(options_ + 1, 0));
  for (std::size_t row = 0; row <= filled_; ++row) {
    for (std::size_t x = 0; x < options_; ++x) {
      const std::size_t sums = row < filled_ ? reach(row, x) : sums_;
      layout_[row][x + 1] = layout_[row][x] + sums;
    }
  }
}

/// Each group has one row less than the one before: while it is traced, one more has a table of its
/// own.
void StageShapes::group_rows(std::size_t most_entries) {
  std::size_t entries = 0;
  for (std::size_t row = 0; row < filled_; ++row) entries += layout_[row].back();
  first_of_ = {0};
  if (entries <= most_entries) return;
  constexpr std::size_t kLeast = 2;
  std::size_t rows = kLeast;
  for (std::size_t held = kLeast; held < filled_; held += rows) ++rows;
  for (std::size_t first = rows; first < filled_; first += rows) {
    first_of_.push_back(first);
    rows = std::max(kLeast, rows - 1);
  }
}

std::size_t StageShapes::group_of(std::size_t row) const {
  return static_cast<std::size_t>(std::ranges::upper_bound(first_of_, row) - first_of_.begin()) - 1;
}

std::size_t StageShapes::class_of(std::size_t row) const {
  return is_ring() ? 0 : std::min(row, line_.rows - 1 - row);
}

double StageShapes::rows_in(std::size_t row_class) const {
  if (is_ring()) return number(line_.rows);
  return 2 * row_class + 1 == line_.rows ? 1 : 2;
}

std::size_t StageShapes::steps() const { return steps_with(shares_tables() ? 3 : 2); }

/// For the sizes that add up, where they are open.
std::size_t StageShapes::sharing_steps() const {
  const std::size_t all = is_ring() ? 2 * line_.rows * options_ * sums_ : steps_with(2);
  return all / kSharingPart;
}

/// By passes over the table of a row, those included that fill it again.
std::size_t StageShapes::steps_with(std::size_t passes) const {
  if (is_ring()) {
    std::size_t entries = 0;
    for (const Layout& layout : std::span(layout_).first(filled_)) entries += layout.back();
    return entries * passes + (sharing_ ? sharing_steps() : layout_[filled_ - 1].back());
  }
  const std::size_t table = options_ * sums_;
  const std::size_t of_row = table * passes;
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

/// Over a border: [y] becomes the least over x of [x] and what |x − y| edges cost each of their
/// ends.
void StageShapes::spread(const Table& from, Table& to) const {
  const double each = each_apart();
  const std::size_t reached = from.with(0).size();
  const auto sums_with = [&](std::size_t x) { return to.with(x).first(reached); };
  std::ranges::copy(from.with(0), sums_with(0).begin());
  for (std::size_t x = 1; x < options_; ++x) {
    set_least(sums_with(x), {{from.with(x)}, {sums_with(x - 1), each}});
  }
  for (std::size_t x = options_ - 1; x-- > 0;) lower(sums_with(x), sums_with(x + 1), each);
}

void StageShapes::make_tables(Half& half) const {
  if (!half.least.empty()) return;
  std::vector<std::size_t> entries;
  for (std::size_t row = 0; row < filled_; ++row) {
    if (slot(row) == entries.size()) entries.push_back(0);
    entries[slot(row)] = std::max(entries[slot(row)], layout_[row].back());
  }
  for (const std::size_t most : entries) half.least.push_back({nullptr, std::vector<double>(most)});
  if (!is_ring()) {
    half.spread = {&layout_.back(), std::vector<double>(layout_.back().back(), kNotReached)};
  }
}

/// From an end of which a zone takes as much as the range says.
void StageShapes::fill(Half& half, const Range& end, const Ends& ends, const Costs& cost) const {
  make_tables(half);
  Table& first = half.least.front();
  first.begin = &layout_.front();
  std::fill_n(first.entries.begin(), first.begin->back(), kNotReached);
  for (std::size_t x = end.low; x <= end.high; ++x) {
    const std::span<double> sums = first.with(x);
    if (x >= sums.size()) continue;
    const std::size_t apart = x < ends.between ? ends.between - x : x - ends.between;
    sums[x] = cost[0][x] + each_closing(ends) * number(apart);
  }
  for (std::size_t row = 1; row < filled_; ++row) fill_row(half, row, cost);
  half.held = first_of_.size() - 1;
  if (!is_ring()) spread(half.least[slot(filled_ - 1)], half.spread);
}

/// From the row before it.
void StageShapes::fill_row(Half& half, std::size_t row, const Costs& cost) const {
  const Table& before = half.least[slot(row - 1)];
  Table& least = half.least[slot(row)];
  least.begin = &layout_[row];
  const std::vector<double>& costs = cost[class_of(row)];
  const auto set_sums = [&](std::size_t x, std::span<const double> to_here) {
    const std::span<double> sums = least.with(x);
    const std::size_t none = std::min(x, sums.size());
    const std::size_t reached = std::min(to_here.size(), sums.size() - none);
    std::ranges::fill(sums.first(none), kNotReached);
    set(sums.subspan(none, reached), to_here, costs[x]);
    std::ranges::fill(sums.subspan(none + reached), kNotReached);
  };
  if (!is_ring()) {
    spread(before, half.spread);
    const std::size_t reached = before.with(0).size();
    for (std::size_t x = 0; x < options_; ++x) set_sums(x, half.spread.with(x).first(reached));
    return;
  }
  cross_ring(before, set_sums);
}

/// Over a border in a ring, where none of the row before is above this one: each goes to `use` with
/// the least sums up to there.
template <class Use>
void StageShapes::cross_ring(const Table& before, const Use& use) const {
  std::vector<double> up_to(sums_);
  std::size_t known = 0;
  for (std::size_t x = 0; x < options_; ++x) {
    const std::span<const double> here = before.with(x);
    const std::size_t both = std::min(known, here.size());
    const std::span<double> sums = std::span(up_to).first(here.size());
    set_least(sums.first(both), {{here}, {sums, each_apart()}});
    std::ranges::copy(here.subspan(both), sums.begin() + static_cast<std::ptrdiff_t>(both));
    known = here.size();
    use(x, sums);
  }
}

/// Until all rows of its group up to it have tables.
void StageShapes::hold(Half& half, std::size_t row, const Costs& cost) const {
  const std::size_t group = group_of(row);
  if (half.held == group) return;
  for (std::size_t r = first_of_[group] + 1; r <= row; ++r) fill_row(half, r, cost);
  half.held = group;
}

/// The rows of a half that come before another, from there to the end.
void StageShapes::trace(Half& half, std::size_t before, const Costs& costs,
                        std::span<Way* const> ways) const {
  if (ways.empty()) return;
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

/// Both halves up to the border between them or with the row in the middle, where that costs less
/// than what is known of zones.
std::vector<StageShapes::Joined> StageShapes::join(const Half& left, const Half& right,
                                                   std::span<const double> middle) {
  const bool odd = line_.rows % 2 == 1;
  const Table& other = odd ? right.spread : right.least[slot(filled_ - 1)];
  std::vector<std::optional<Joined>> least(zones_.size());
  std::vector<double> backwards(sums_, kNotReached);
  for (std::size_t x = 0; x < options_; ++x) {
    const std::span<const double> sums = other.with(x);
    std::ranges::reverse_copy(sums, backwards.end() - static_cast<std::ptrdiff_t>(sums.size()));
    for (std::size_t z = 0; z < zones_.size(); ++z) {
      Zones& zones = zones_[z];
      if (x > zones.size) continue;
      const std::size_t rest = odd ? zones.size - x : zones.size;
      const double here = odd ? middle[x] : 0;
      const std::span<const double> from = left.spread.with(x).first(rest + 1);
      const std::span<const double> to = std::span(backwards).last(rest + 1);
      const double sum = least_sum(from, to);
      if (sum + here >= zones.cost) continue;
      zones.cost = sum + here;
      std::size_t before = 0;
      while (from[before] + to[before] > sum) ++before;
      least[z] = {{&zones, x, before}, {&zones, x, rest - before}};
    }
  }
  std::vector<Joined> joined;
  for (std::optional<Joined>& both : least) {
    if (both) joined.push_back(*std::move(both));
  }
  return joined;
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
  trace(left_, line_.rows - 1, cost, all);
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
  const SharedSizes::Choice& shared = sharing_->choose(by_size_, sharing_steps());
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
  std::vector<Way> ways;
  for (Zones& zones : zones_) ways.push_back({&zones, 0, zones.size});
  const auto take_last = [&](std::size_t x, std::span<const double> before) {
    for (Way& way : ways) {
      Zones& zones = *way.zones;
      if (x > zones.size || zones.size - x >= before.size()) continue;
      const double sum = before[zones.size - x] + cost[0][x];
      if (sum >= zones.cost) continue;
      zones.cost = sum;
      way.taken = x;
    }
  };
  if (line_.rows > 1) {
    fill(left_, ends_.front().first, ends_.front(), cost);
    cross_ring(left_.least[slot(filled_ - 1)], take_last);
  } else {
    constexpr std::array kNone{0.0};
    for (std::size_t x = 0; x < options_; ++x) take_last(x, kNone);
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
  std::vector<Way*> lefts;
  std::vector<Way*> rights;
  for (Joined& both : joined) {
    both.left.zones->taken.clear();
    if (line_.rows % 2 == 1) both.left.zones->taken.push_back(both.left.taken);
    lefts.push_back(&both.left);
    rights.push_back(&both.right);
  }
  // Of one half all ways are traced at once: it holds no table of later rows any more.
  if (&right == &left_) {
    lefts.insert(lefts.end(), rights.begin(), rights.end());
    rights.clear();
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
    std::vector<Joined> joined = join(left_, right, cost.back());
    take_halves(joined, right, cost);
  }
}

}  // namespace zonecut
