#include "bound/symmetric.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace zonecut {
namespace {

void subtract(std::span<double> to, std::span<const double> other, double times) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] -= times * other[i];
}

using Four = std::array<std::span<const double>, 4>;

/// In one pass over what it is subtracted from.
void subtract(std::span<double> to, const Four& other, const std::array<double, 4>& times) {
  const auto [a, b, c, d] = other;
  const auto [by_a, by_b, by_c, by_d] = times;
  for (std::size_t i = 0; i < to.size(); ++i) {
    to[i] -= by_a * a[i] + by_b * b[i] + (by_c * c[i] + by_d * d[i]);
  }
}

/// Turns two rows so that the first entry of the second is 0.
void turn(std::span<double> upper, std::span<double> lower) {
  const double length = std::hypot(upper.front(), lower.front());
  if (length == 0) return;
  const double c = upper.front() / length;
  const double s = lower.front() / length;
  for (std::size_t i = 0; i < upper.size(); ++i) {
    const double above = upper[i];
    upper[i] = c * above + s * lower[i];
    lower[i] = c * lower[i] - s * above;
  }
}

}  // namespace

void Symmetric::finish_row(std::size_t row) {
  const std::span<double> entries = from(row, row);
  const double pivot = std::sqrt(std::max(entries.front(), little_ / 1000));
  for (double& entry : entries) entry /= pivot;
  entries.front() = pivot;
}

void Symmetric::factorize() {
  double largest = 0;
  for (std::size_t a = 0; a < size_; ++a) largest = std::max(largest, at(a, a));
  little_ = 1e-9 * largest + 1e-12;
  for (std::size_t a = 0; a < size_; ++a) at(a, a) += little_;
  // Four rows at a time.
  for (std::size_t b = 0; b < size_; b += 4) {
    const std::size_t end = std::min(b + 4, size_);
    for (std::size_t row = b; row < end; ++row) {
      finish_row(row);
      for (std::size_t a = row + 1; a < end; ++a) subtract(from(a, a), from(row, a), at(row, a));
    }
    for (std::size_t a = b + 4; a < size_; ++a) {
      subtract(from(a, a), {from(b, a), from(b + 1, a), from(b + 2, a), from(b + 3, a)},
               {at(b, a), at(b + 1, a), at(b + 2, a), at(b + 3, a)});
    }
  }
}

/// By Givens rotations: without the column every row after it reaches one place too far left.
void Symmetric::remove(std::size_t gone) {
  for (std::size_t row = 0; row < size_; ++row) {
    const std::span<double> entries = from(row, std::max(row, gone));
    // Of the rows after it the first entry moves out of the upper half, into what is free there.
    if (row > gone) at(row, row - 1) = entries.front();
    std::shift_left(entries.begin(), entries.end(), 1);
  }
  --size_;
  for (std::size_t row = gone; row < size_; ++row) turn(from(row, row), from(row + 1, row));
}

void Symmetric::solve(std::span<double> x) {
  for (std::size_t a = 0; a < size_; ++a) {
    x[a] /= at(a, a);
    subtract(x.subspan(a + 1), from(a, a).subspan(1), x[a]);
  }
  for (std::size_t a = size_; a-- > 0;) {
    const std::span<const double> row = from(a, a);
    const std::span<const double> after = row.subspan(1);
    // A plain loop would wait for the last addition each time.
    x[a] -= std::transform_reduce(after.begin(), after.end(), x.subspan(a + 1).begin(), 0.0);
    x[a] /= row.front();
  }
}

}  // namespace zonecut
