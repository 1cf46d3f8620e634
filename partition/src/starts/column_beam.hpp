#pragma once
// Columns of whole parts, one after the other, in equal rows that cut little at few places, as
// double binary trees do. A column holds one part, or two of them one above the other, and ends
// where ColumnBorders say. What has been laid so far is known by the set of its parts and its last
// border; the cheapest such beginnings are kept, by what they cut and what the other parts cut at
// least where they lie best (beam search, Lowerre 1976). Where zones are nearly as high as all rows
// that finds in milliseconds which of them lie side by side.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "starts/column_borders.hpp"
#include "starts/equal_rows.hpp"

namespace zonecut {

class ColumnBeam {
 public:
  static constexpr std::size_t kMostParts = 64;

  /// Borrows the rows and shares, which add up to their vertices; 1 to kMostParts are not 0.
  ColumnBeam(const EqualRows& rows, std::span<const std::uint32_t> shares);

  struct Layout {
    LaidRows rows;
    std::int64_t cut = 0;  ///< in the unit of the rows; less where borders lie far apart
  };
  /// The best so many, no two of the same cut, the best first. Keeps as many beginnings as the
  /// budget does for, and spends that, twice at most. None where it does for few.
  [[nodiscard]] std::vector<Layout> search(WorkBudget& budget, std::size_t most);

 private:
  struct Column {
    std::uint32_t upper = 0;             ///< part
    std::optional<std::uint32_t> lower;  ///< below it
    std::uint64_t set = 0;
    std::uint32_t vertices = 0;
    std::int64_t least = 0;  ///< what its parts are hoped to cost
    [[nodiscard]] std::size_t parts() const { return lower ? 2 : 1; }
  };
  struct Beginning {
    std::uint64_t set = 0;
    std::int64_t cost = 0;  ///< less what is within the rows in all
    std::int64_t hope = 0;  ///< of the others
    std::uint32_t before = 0;
    std::uint32_t column = 0;
    std::uint32_t vertices = 0;
    std::uint32_t border = 0;
    [[nodiscard]] std::int64_t promise() const { return cost + hope; }
  };

  void choose_columns();
  [[nodiscard]] double most_within(double width) const;
  [[nodiscard]] std::size_t width_for(const WorkBudget& budget) const;
  void keep_best(std::vector<Beginning>& beginnings, std::size_t width);
  void extend(std::uint32_t index, const Column& column, std::uint32_t number);
  [[nodiscard]] std::optional<std::int64_t> cost(const Column& column, const ColumnBorder& left,
                                                 const ColumnBorder& right) const;
  [[nodiscard]] LaidRows laid(const Beginning& last);
  void lay(const Column& column, const ColumnBorder& left, const ColumnBorder& right,
           LaidRows& rows) const;
  [[nodiscard]] const ColumnBorder& border_of(const Beginning& beginning) {
    return borders_.with(beginning.vertices)[beginning.border];
  }

  const EqualRows& rows_;
  std::span<const std::uint32_t> shares_;
  std::vector<std::uint32_t> parts_;  // that hold anything
  ColumnBorders borders_;
  std::vector<double> most_within_;  // an interval of so many places
  std::vector<Column> columns_;
  std::vector<Beginning> kept_;
  std::vector<std::vector<Beginning>> reached_;  // by number of parts
  std::size_t work_ = 0;
};

}  // namespace zonecut
