#include "bound/row_excess.hpp"

#include <algorithm>
#include <cmath>

#include "bound/incidence.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

/// The most parts that hold whole groups; where pieces are many, at least as many as there can be.
std::size_t whole_parts(std::span<const std::uint32_t> pieces, std::size_t group) {
  constexpr std::size_t kFew = 6;
  return most_whole_groups(pieces, group, kFew);
}

double with_any_groups(const RowExcess& excess, std::span<const std::uint32_t> pieces) {
  double sum = excess.row;
  for (const std::uint32_t x : pieces) sum += excess.piece[x];
  return sum;
}

}  // namespace

RowExcess excess_in(const RowModel& other, const RowModel& base) {
  RowExcess excess{std::vector<double>(base.length, 0),
                   in_quarters(base.per_divided_row) - in_quarters(other.per_divided_row)};
  for (std::size_t x = 1; x < base.length; ++x) {
    // What a zone's largest piece costs across rows is said beside what it cuts inside its own.
    const std::int64_t across = std::max<std::int64_t>(0, base.across[x] - other.across[x]);
    excess.piece[x] =
        (in_quarters(other.inside[x]) - in_quarters(base.inside[x])) / 2 - in_quarters(across);
  }
  return excess;
}

RowExcess excess_of_touches(const RowModel& other, const RowModel& base, std::size_t group,
                            std::int64_t touch) {
  RowExcess excess = excess_in(other, base);
  excess.group = group;
  excess.whole = in_quarters(touch);
  for (std::size_t x = 1; x < base.length; ++x) excess.piece[x] += excess.whole;
  excess.row += excess.whole * number(base.length / group);
  return excess;
}

std::span<const RowExcess> without_groups(std::span<const RowExcess> all) {
  const auto first =
      std::ranges::find_if(all, [](const RowExcess& each) { return each.group > 0; });
  return all.first(static_cast<std::size_t>(first - all.begin()));
}

double sum_of(const RowExcess& excess, std::span<const std::uint32_t> pieces) {
  double sum = with_any_groups(excess, pieces);
  if (excess.group > 0) sum -= excess.whole * number(whole_parts(pieces, excess.group));
  return sum;
}

MostExcess most_excess(std::span<const RowExcess> all, std::span<const std::uint32_t> pieces) {
  MostExcess most;
  std::size_t parts = 0;  // of groups of the last size
  std::size_t group = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].group > 0 && all[i].group != group) {
      group = all[i].group;
      parts = whole_parts(pieces, group);
    }
    double value = with_any_groups(all[i], pieces);
    if (all[i].group > 0) value -= all[i].whole * number(parts);
    if (value > most.value) most = {value, i};
  }
  return most;
}

double largest_term(std::span<const RowExcess> all) {
  double largest = 0;
  for (const RowExcess& excess : all) {
    largest = std::max({largest, std::abs(excess.row), std::abs(excess.whole)});
    for (const double each : excess.piece) largest = std::max(largest, std::abs(each));
  }
  return largest;
}

}  // namespace zonecut
