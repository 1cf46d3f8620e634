#include "starts/column_beam.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <unordered_map>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kPairsPerPart = 4;
constexpr std::size_t kBest = 3;       // borders of a column that are followed
constexpr std::size_t kMostOfSet = 6;  // beginnings with the same parts
constexpr std::size_t kFewest = 8;     // beginnings, for a search to be worth its while
constexpr std::size_t kMost = 1000;
// Of the budget once more, for borders that are found: many rows take long.
constexpr std::int64_t kOverdrawn = 1;

struct Interval {
  std::uint32_t begin = 0;
  std::uint32_t end = 0;
};

std::int64_t overlap(const Interval& x, const Interval& y) {
  const std::uint32_t begin = std::max(x.begin, y.begin);
  return std::int64_t{std::max(begin, std::min(x.end, y.end))} - begin;
}

/// What a column has of a row.
struct Slice {
  Interval upper;
  Interval lower;
  [[nodiscard]] Interval all() const {
    return {std::min(upper.begin, lower.begin), std::max(upper.end, lower.end)};
  }
};

/// Places at which two rows have different parts of a column.
std::int64_t different(const Slice& x, const Slice& y) {
  return overlap(x.all(), y.all()) - overlap(x.upper, y.upper) - overlap(x.lower, y.lower);
}

/// Calls row(r, slice) row by row: the upper part is filled first, and divides one row at most, at
/// the end where that cuts less.
template <class Row>
void for_rows(const EqualRows& rows, std::uint32_t upper, const ColumnBorder& left,
              const ColumnBorder& right, const Row& row) {
  for (std::uint32_t r = 0; r < rows.rows(); ++r) {
    const std::uint32_t begin = left.place[r];
    const std::uint32_t end = right.place[r];
    const std::uint32_t here = std::min(upper, end - begin);
    upper -= here;
    const auto within = [&](std::uint32_t border) {
      return rows.within(begin, border) + rows.within(border, end);
    };
    const std::uint32_t border =
        within(begin + here) >= within(end - here) ? begin + here : end - here;
    const Interval one{begin, border};
    const Interval other{border, end};
    row(r, border == begin + here ? Slice{one, other} : Slice{other, one});
  }
}

}  // namespace

ColumnBeam::ColumnBeam(const EqualRows& rows, std::span<const std::uint32_t> shares)
    : rows_(rows),
      shares_(shares),
      borders_(rows, static_cast<std::size_t>(
                         std::ranges::count_if(shares, [](std::uint32_t s) { return s > 0; }))) {
  for (std::uint32_t part = 0; part < shares.size(); ++part) {
    if (shares[part] > 0) parts_.push_back(part);
  }
  ZONECUT_ENSURES(!parts_.empty() && parts_.size() <= kMostParts);
  for (std::uint32_t width = 0; width <= rows.length(); ++width) {
    std::int64_t most = 0;
    for (std::uint32_t begin = 0; begin + width <= rows.length(); ++begin) {
      most = std::max(most, rows.within(begin, begin + width));
    }
    most_within_.push_back(static_cast<double>(most));
  }
  choose_columns();
}

double ColumnBeam::most_within(double width) const {
  const auto low = std::min(static_cast<std::size_t>(width), most_within_.size() - 1);
  const std::size_t high = std::min(low + 1, most_within_.size() - 1);
  const double part = width - static_cast<double>(low);
  return (1 - part) * most_within_[low] + part * most_within_[high];
}

/// One part each, and of two those that cost least more than both apart.
void ColumnBeam::choose_columns() {
  const auto rows = static_cast<double>(rows_.rows());
  const auto least = [&](std::uint32_t vertices) {
    return -rows * most_within(static_cast<double>(vertices) / rows);
  };
  for (std::uint32_t i = 0; i < parts_.size(); ++i) {
    const std::uint32_t vertices = shares_[parts_[i]];
    columns_.push_back({parts_[i],
                        {},
                        std::uint64_t{1} << i,
                        vertices,
                        static_cast<std::int64_t>(least(vertices))});
  }
  if (rows_.rows() == 1) return;
  const auto per_place = static_cast<double>(rows_.step() + rows_.wrap());
  std::vector<std::pair<double, Column>> pairs;
  for (std::size_t i = 0; i < parts_.size(); ++i) {
    for (std::size_t k = 0; k < parts_.size(); ++k) {
      if (i == k) continue;
      Column pair = columns_[i];
      pair.lower = parts_[k];
      pair.set |= columns_[k].set;
      pair.vertices += columns_[k].vertices;
      pair.least += columns_[k].least;
      const double across = per_place * static_cast<double>(pair.vertices) / rows;
      pairs.emplace_back(least(pair.vertices) + across - static_cast<double>(pair.least), pair);
    }
  }
  std::ranges::stable_sort(pairs, {}, [](const auto& pair) { return pair.first; });
  if (pairs.size() > kPairsPerPart * parts_.size()) pairs.resize(kPairsPerPart * parts_.size());
  for (auto& [more, pair] : pairs) columns_.push_back(pair);
}

/// Half of the columns fit a beginning, about.
std::size_t ColumnBeam::width_for(const WorkBudget& budget) const {
  std::size_t each = 0;
  for (const Column& column : columns_) {
    each += column.parts() * rows_.rows() * ColumnBorders::kMost / 2;
  }
  return static_cast<std::size_t>(budget.left()) / (each * parts_.size());
}

/// None where the borders cross.
std::optional<std::int64_t> ColumnBeam::cost(const Column& column, const ColumnBorder& left,
                                             const ColumnBorder& right) const {
  for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
    if (right.place[r] < left.place[r]) return std::nullopt;
  }
  std::int64_t cost = right.apart;
  if (!column.lower) {
    for (std::uint32_t r = 0; r < rows_.rows(); ++r) {
      cost -= rows_.within(left.place[r], right.place[r]);
    }
    return cost;
  }
  Slice first;
  Slice before;
  for_rows(rows_, shares_[column.upper], left, right, [&](std::uint32_t r, const Slice& slice) {
    for (const Interval& each : {slice.upper, slice.lower}) {
      cost -= rows_.within(each.begin, each.end);
    }
    if (r == 0) first = slice;
    if (r > 0) cost += rows_.step() * different(before, slice);
    before = slice;
  });
  return cost + rows_.wrap() * different(before, first);
}

void ColumnBeam::keep_best(std::vector<Beginning>& beginnings, std::size_t width) {
  std::ranges::stable_sort(beginnings, {}, &Beginning::promise);
  std::unordered_map<std::uint64_t, std::size_t> seen;
  std::vector<Beginning> best;
  for (const Beginning& each : beginnings) {
    if (best.size() == width) break;
    if (seen[each.set]++ < kMostOfSet) best.push_back(each);
  }
  work_ += 8 * beginnings.size();
  beginnings = std::move(best);
}

/// With the borders that cost least.
void ColumnBeam::extend(std::uint32_t index, const Column& column, std::uint32_t number) {
  const Beginning from = kept_[index];
  const ColumnBorder& left = border_of(from);
  const std::uint32_t vertices = from.vertices + column.vertices;
  const std::span<const ColumnBorder> borders = borders_.with(vertices);
  std::array<std::pair<std::int64_t, std::uint32_t>, ColumnBorders::kMost + 1> found;
  std::size_t count = 0;
  for (std::uint32_t i = 0; i < borders.size(); ++i) {
    if (const auto more = cost(column, left, borders[i])) found[count++] = {*more, i};
  }
  work_ += borders.size() * rows_.rows() * column.parts();
  std::sort(found.begin(), found.begin() + count);
  std::vector<Beginning>& reached =
      reached_[static_cast<std::size_t>(std::popcount(from.set | column.set))];
  for (std::size_t i = 0; i < std::min(count, kBest); ++i) {
    reached.push_back({from.set | column.set, from.cost + found[i].first, from.hope - column.least,
                       index, number, vertices, found[i].second});
  }
}

std::vector<ColumnBeam::Layout> ColumnBeam::search(WorkBudget& budget, std::size_t most) {
  const std::size_t width = std::min(kMost, width_for(budget));
  if (width < kFewest) return {};
  const std::size_t parts = parts_.size();
  const std::int64_t steps = budget.left();
  reached_.assign(parts + 1, {});
  kept_.clear();
  Beginning nothing;
  for (std::size_t i = 0; i < parts; ++i) nothing.hope += columns_[i].least;
  reached_.front().push_back(nothing);
  for (std::size_t count = 0; count < parts; ++count) {
    keep_best(reached_[count], width);
    for (const Beginning& each : reached_[count]) {
      kept_.push_back(each);
      const auto index = static_cast<std::uint32_t>(kept_.size() - 1);
      for (std::uint32_t c = 0; c < columns_.size(); ++c) {
        if ((each.set & columns_[c].set) == 0) extend(index, columns_[c], c);
      }
      budget.spend(std::exchange(work_, 0) + borders_.take_work());
      if (budget.left() < -kOverdrawn * steps) return {};
    }
  }
  std::vector<Beginning>& all = reached_.back();
  std::ranges::stable_sort(all, {}, &Beginning::cost);
  std::vector<Layout> best;
  for (std::size_t i = 0; i < all.size() && best.size() < most; ++i) {
    if (i == 0 || all[i].cost != all[i - 1].cost) {
      best.push_back({laid(all[i]), all[i].cost + rows_.rows() * rows_.total()});
    }
  }
  return best;
}

void ColumnBeam::lay(const Column& column, const ColumnBorder& left, const ColumnBorder& right,
                     LaidRows& rows) const {
  const auto append = [&](std::uint32_t r, const Interval& interval, std::uint32_t part) {
    if (interval.begin == interval.end) return;
    rows[r].push_back({static_cast<std::uint16_t>(interval.end), part});
  };
  for_rows(rows_, shares_[column.upper], left, right, [&](std::uint32_t r, const Slice& slice) {
    const bool upper_first = slice.upper.begin <= slice.lower.begin;
    const std::uint32_t lower = column.lower.value_or(column.upper);
    if (upper_first) append(r, slice.upper, column.upper);
    append(r, slice.lower, lower);
    if (!upper_first) append(r, slice.upper, column.upper);
  });
}

LaidRows ColumnBeam::laid(const Beginning& last) {
  std::vector<Beginning> way{last};
  while (way.back().set != 0) way.push_back(kept_[way.back().before]);
  LaidRows rows(rows_.rows());
  for (std::size_t i = way.size() - 1; i > 0; --i) {
    lay(columns_[way[i - 1].column], border_of(way[i]), border_of(way[i - 1]), rows);
  }
  return rows;
}

}  // namespace zonecut
