#pragma once
// The pieces that make up a divided row at the least sum of their prices: any pieces, or at most
// one of every zone (zone_patterns.hpp). A row of two pieces or three costs its excess
// (row_excess.hpp) besides; where any is known, all other rows have at least four. Excess of all
// pieces does not count here.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/row_excess.hpp"

namespace zonecut {

class RowPatterns {
 public:
  /// Rows of so many vertices, pieces below `kinds`.
  RowPatterns(std::size_t length, std::size_t kinds) : length_(length), kinds_(kinds) {}

  /// Of choose: O(length · kinds), with excess O(length²).
  [[nodiscard]] std::size_t steps(bool with_excess) const;
  /// What the cheapest costs, infinite where no pieces fill a row. price[x] of a piece of x.
  double choose(std::span<const double> price, std::span<const RowExcess> excess);
  /// Of that one.
  [[nodiscard]] std::span<const std::uint32_t> pieces() const { return pieces_; }
  /// Which excess it costs besides.
  [[nodiscard]] std::optional<std::size_t> excess() const { return excess_; }
  /// What it would cost besides with as many others.
  [[nodiscard]] double excess_by(std::span<const RowExcess> others) const;

  struct Row {
    double cost = 0;
    std::vector<std::uint32_t> pieces;
    std::optional<std::size_t> excess;
  };
  /// Others at the prices of the last choose: the cheapest with a piece of some size, for those
  /// sizes with which rows are cheapest.
  [[nodiscard]] std::vector<Row> others(std::span<const double> price,
                                        std::span<const RowExcess> excess, std::size_t most) const;

 private:
  struct Cell {
    double cost = 0;
    std::uint32_t last = 0;  ///< piece that was added
  };

  void fill(std::span<const double> price);
  double choose_many(std::span<const double> price);
  double choose_few(std::span<const double> price, std::span<const RowExcess> excess, double most);
  void take(std::size_t sum, std::vector<std::uint32_t>& pieces) const;

  std::size_t length_;
  std::size_t kinds_;
  std::vector<Cell> any_;      // by sum
  std::vector<Cell> several_;  // the same of two pieces or more
  std::vector<std::uint32_t> pieces_;
  std::optional<std::size_t> excess_;
};

}  // namespace zonecut
