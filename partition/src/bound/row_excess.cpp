#include "bound/row_excess.hpp"

#include <algorithm>
#include <cmath>

#include "grid/relaxation_sums.hpp"

namespace zonecut {

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

double sum_of(const RowExcess& excess, std::span<const std::uint32_t> pieces) {
  double sum = excess.row;
  for (const std::uint32_t x : pieces) sum += excess.piece[x];
  return sum;
}

MostExcess most_excess(std::span<const RowExcess> all, std::span<const std::uint32_t> pieces) {
  MostExcess most;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double value = sum_of(all[i], pieces);
    if (value > most.value) most = {value, i};
  }
  return most;
}

double largest_term(std::span<const RowExcess> all) {
  double largest = 0;
  for (const RowExcess& excess : all) {
    largest = std::max(largest, std::abs(excess.row));
    for (const double each : excess.piece) largest = std::max(largest, std::abs(each));
  }
  return largest;
}

}  // namespace zonecut
