#pragma once
// Rows that are all alike, in a line: where their vertices are, and what intervals of their places
// weigh.
#include <cstdint>
#include <optional>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition_problem.hpp"
#include "starts/laid_rows.hpp"

namespace zonecut {

/// The one grid that all vertices of a problem are on, of lines (grid_traffic.hpp) of 1024 places
/// at most: rows that cut little at few places, as double binary trees do. None where it is
/// another.
[[nodiscard]] std::optional<GridTraffic> grid_of_lines(const PartitionProblem& problem);

/// Of a grid of lines.
[[nodiscard]] RowOrder row_order(const GridTraffic& grid);

/// Weights within equal rows in a line, which are looked up by interval. In a unit of which the
/// weight of a row, and of an edge between rows, fits 30 bits, rounded down.
class EqualRows {
 public:
  static constexpr std::uint32_t kLongest = 1024;

  /// Of a grid with lines (grid_traffic.hpp) of kLongest places at most. O(length²) memory.
  explicit EqualRows(const GridTraffic& grid);

  [[nodiscard]] std::uint32_t rows() const { return rows_; }
  [[nodiscard]] std::uint32_t length() const { return length_; }
  [[nodiscard]] std::int64_t total() const { return total_; }
  [[nodiscard]] std::int64_t step() const { return step_; }
  [[nodiscard]] std::int64_t wrap() const { return wrap_; }
  /// Within the places from `begin` up to `end`.
  [[nodiscard]] std::int64_t within(std::uint32_t begin, std::uint32_t end) const {
    return within_[begin * (length_ + 1) + end];
  }
  /// From one interval to a later one.
  [[nodiscard]] std::int64_t between(std::uint32_t begin, std::uint32_t end, std::uint32_t later,
                                     std::uint32_t last) const {
    return within(begin, last) - within(begin, later) - within(end, last) + within(end, later);
  }
  /// Before a place and from it on.
  [[nodiscard]] std::int64_t over(std::uint32_t place) const {
    return total_ - within(0, place) - within(place, length_);
  }

 private:
  std::uint32_t rows_;
  std::uint32_t length_;
  std::int64_t total_ = 0;
  std::int64_t step_;
  std::int64_t wrap_;
  std::vector<std::int32_t> within_;  // by begin and end
};

/// So many inner places at most, that over which least is cut first. O(length · log length).
[[nodiscard]] std::vector<std::uint32_t> cheapest_places(const EqualRows& rows, std::size_t most);

}  // namespace zonecut
