#pragma once
// Where a border between two columns may stand in equal rows that cut little at few places, with a
// given number of vertices before it: at one place in the first rows, at another in the last, and
// in one row between where that makes the number; or level in some rows. Both places had better be
// cheap, and not far apart, for what lies between them is cut from row to row.
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "starts/equal_rows.hpp"

namespace zonecut {

/// In the unit of the rows.
struct ColumnBorder {
  std::vector<std::uint16_t> place;  ///< by row
  std::int64_t apart = 0;            ///< cut between rows
};

class ColumnBorders {
 public:
  static constexpr std::size_t kMost = 16;  ///< of one number of vertices

  /// Borrows the rows, which so many parts divide.
  ColumnBorders(const EqualRows& rows, std::size_t parts);

  /// Those with so many vertices before them, the cheapest first by what rows cut over them. Valid
  /// as long as this lives. Thread-compatible.
  [[nodiscard]] std::span<const ColumnBorder> with(std::uint32_t vertices);
  /// Steps since this was asked last.
  [[nodiscard]] std::size_t take_work();

 private:
  /// The first rows at one place, then one row, then the rest, some of them a place further.
  struct Draft {
    std::uint32_t rows = 0;
    std::uint32_t place = 0;
    std::uint32_t middle = 0;
    std::uint32_t other = 0;
    std::uint32_t further = 0;  ///< rows
    std::int64_t cost = 0;
    [[nodiscard]] std::uint32_t at(std::uint32_t row) const {
      if (row < rows) return place;
      if (row == rows) return middle;
      return row - rows - 1 < further ? other + 1 : other;
    }
  };

  [[nodiscard]] std::vector<ColumnBorder> find(std::uint32_t vertices);
  [[nodiscard]] std::vector<std::uint32_t> places_near(double place) const;
  void add_level(std::uint32_t rows, std::uint32_t place, std::uint32_t vertices);
  void add_between(std::uint32_t low, std::uint32_t high, std::uint32_t vertices);
  void add(Draft draft);
  [[nodiscard]] std::int64_t apart(const Draft& draft) const;

  const EqualRows& rows_;
  double window_;                     // places on either side
  std::vector<std::uint32_t> cheap_;  // places, ascending
  std::map<std::uint32_t, std::vector<ColumnBorder>> known_;
  std::vector<Draft> drafts_;  // scratch
  std::size_t work_ = 0;
};

}  // namespace zonecut
