#pragma once
// Sums of prices in doubles, as the relaxations compute them.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

#include "grid/min_plus.hpp"

namespace zonecut {

inline constexpr double kRounding = 1e-11;  ///< far more, relatively, than that of all sums

inline double in_quarters(std::int64_t weight) { return static_cast<double>(weight); }
inline double number(std::size_t count) { return static_cast<double>(count); }

inline constexpr double kLargestWhole = 0x1p62;  ///< what is beyond is taken for that
inline std::int64_t rounded_down(double value) {
  return static_cast<std::int64_t>(std::floor(std::clamp(value, -kLargestWhole, kLargestWhole)));
}
inline std::int64_t rounded_up(double value) { return -rounded_down(-value); }
/// Half of it, rounded down also below 0.
inline std::int64_t half_down(std::int64_t value) { return value >> 1; }

/// As inexact as a sum of this magnitude (RoundedSum) is one of so many terms, none larger.
inline double magnitude_of_sums(double terms, double largest) {
  constexpr double kEpsilon = std::numeric_limits<double>::epsilon();
  return largest * (1 + terms * terms * (kEpsilon / kRounding));
}

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
