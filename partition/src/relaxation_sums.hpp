#pragma once
// Sums of prices in doubles, as the relaxations compute them.
#include <cstddef>
#include <cstdint>
#include <span>

#include "min_plus.hpp"

namespace zonecut {

inline constexpr double kRounding = 1e-11;  ///< far more, relatively, than that of all sums

inline double in_quarters(std::int64_t weight) { return static_cast<double>(weight); }
inline double number(std::size_t count) { return static_cast<double>(count); }

/// A row of a table with so many columns.
template <class Table>
[[nodiscard]] auto row_of(Table& table, std::size_t row, std::size_t columns) {
  return std::span(table).subspan(row * columns, columns);
}

}  // namespace zonecut
