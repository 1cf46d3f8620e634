#include "bound/row_excess.hpp"

#include <algorithm>
#include <cmath>

#include "grid/relaxation_sums.hpp"
#include "grid/whole_groups.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// The most parts that hold whole groups; where pieces are many, at least as many as there can be.
std::size_t whole_parts(std::span<const std::uint32_t> pieces, std::size_t group) {
  constexpr std::size_t kFew = 6;
  return most_whole_groups(pieces, group, kFew);
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

RowExcess excess_of_divisions(Divisions& divisions, const RowModel& base) {
  RowExcess excess{std::vector<double>(base.length, 0), in_quarters(base.per_divided_row)};
  excess.divisions.push_back({&divisions, 1});
  const std::size_t group = divisions.group();
  // Of chains through the groups a piece cuts those of the groups it cannot do without.
  const std::int64_t chain = base.around[group] - static_cast<std::int64_t>(group) * base.around[1];
  ZONECUT_ENSURES(chain == 0 || base.lacking_across == 0);
  for (std::size_t x = 1; x < base.length; ++x) {
    excess.piece[x] = -in_quarters(base.inside[x]) / 2;
    // Rows of a path have no chains.
    if (base.lacking_across > 0) continue;
    const std::int64_t surely = base.around[x] + (x % group == 0 ? 0 : chain);
    excess.piece[x] -= in_quarters(std::max<std::int64_t>(0, base.across[x] - surely));
  }
  return excess;
}

std::span<const RowExcess> sums_over_pieces(std::span<const RowExcess> all) {
  const auto first = std::ranges::find_if(all, &RowExcess::is_of_all_pieces);
  return all.first(static_cast<std::size_t>(first - all.begin()));
}

std::size_t take_work(std::span<const RowExcess> all) {
  std::size_t work = 0;
  for (const RowExcess& excess : all) {
    for (const SharedDivisions& divisions : excess.divisions) work += divisions.all->take_work();
  }
  return work;
}

double sum_of(const RowExcess& excess, std::span<const std::uint32_t> pieces) {
  double sum = excess.row;
  for (const std::uint32_t x : pieces) sum += excess.piece[x];
  if (excess.group > 0) sum -= excess.whole * number(whole_parts(pieces, excess.group));
  for (const SharedDivisions& divisions : excess.divisions) {
    sum += divisions.share * in_quarters(divisions.all->least(pieces)) / 2;
  }
  return sum;
}

MostExcess most_excess(std::span<const RowExcess> all, std::span<const std::uint32_t> pieces,
                       double enough) {
  MostExcess most;
  for (std::size_t i = 0; i < all.size() && most.value < enough; ++i) {
    const double value = sum_of(all[i], pieces);
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
