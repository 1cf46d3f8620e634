#pragma once
// Small dense symmetric systems of equations, some hundred unknowns: the Cholesky factor of a
// matrix that may lose unknowns one by one, each in O(size²) instead of O(size³).
#include <cstddef>
#include <span>
#include <vector>

namespace zonecut {

class Symmetric {
 public:
  explicit Symmetric(std::size_t size) : stride_(size), size_(size), entry_(size * size, 0) {}

  [[nodiscard]] std::size_t size() const { return size_; }
  /// Of the matrix, before it is factorized; `row` is not above `column`.
  [[nodiscard]] double& at(std::size_t row, std::size_t column) {
    return entry_[row * stride_ + column];
  }

  /// Its upper factor comes in place of the matrix, of which no eigenvalue is below 0. Where rows
  /// say the same, a little is added to all. O(size³).
  void factorize();
  /// The factor of the matrix without this row and column comes in place of the factor.
  void remove(std::size_t gone);
  /// x becomes what the matrix that was factorized makes it of.
  void solve(std::span<double> x);

 private:
  [[nodiscard]] std::span<double> from(std::size_t row, std::size_t column) {
    return std::span(entry_).subspan(row * stride_ + column, size_ - column);
  }
  void finish_row(std::size_t row);

  std::size_t stride_;
  std::size_t size_;
  double little_ = 0;
  std::vector<double> entry_;
};

}  // namespace zonecut
