#pragma once
// Sums of prices in doubles, as the relaxations compute them.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>

#include "min_plus.hpp"

namespace zonecut {

inline constexpr double kRounding = 1e-11;  ///< far more, relatively, than that of all sums

inline double in_quarters(std::int64_t weight) { return static_cast<double>(weight); }
inline double number(std::size_t count) { return static_cast<double>(count); }
inline std::int64_t rounded_down(double value) {
  return static_cast<std::int64_t>(std::floor(value));
}
inline std::int64_t rounded_up(double value) { return static_cast<std::int64_t>(std::ceil(value)); }

/// A sum that knows how far rounding may have led it.
class RoundedSum {
 public:
  void add(double term) {
    sum_ += term;
    magnitude_ += std::abs(term);
  }
  /// The last terms were sums of this magnitude themselves.
  void allow(double magnitude) { magnitude_ += magnitude; }
  [[nodiscard]] double value() const { return sum_; }
  /// The exact sum is no less.
  [[nodiscard]] double least() const { return sum_ - kRounding * magnitude_; }

 private:
  double sum_ = 0;
  double magnitude_ = 0;
};

/// A row of a table with so many columns.
template <class Table>
[[nodiscard]] auto row_of(Table& table, std::size_t row, std::size_t columns) {
  return std::span(table).subspan(row * columns, columns);
}

}  // namespace zonecut
