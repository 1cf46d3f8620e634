#pragma once
// The solutions of relaxations by pieces as columns (price_columns.hpp): what zones take, and rows
// that pieces make up. Those that see the rows anew for every solution, by shares or by prices of
// groups, add how costs change with these.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/price_columns.hpp"
#include "bound/row_excess.hpp"
#include "bound/zone_shapes.hpp"

namespace zonecut {

/// Of the pieces' multipliers the first is no piece's. There the price of a full row is kept.
inline constexpr std::uint32_t kFullRowPrice = 0;

/// A shape, of so many zones. Borrowed from the relaxation, until it is solved again.
struct TakenShape {
  double count = 0;
  std::size_t first = 0;  ///< multiplier of its pieces, that of 0 vertices
  const ZoneShapes::Shape* shape = nullptr;
};

/// Pieces that make up a divided row.
struct FilledRow {
  double cost = 0;
  std::vector<std::uint32_t> prices;  ///< multipliers of its pieces
  std::vector<std::uint32_t> sizes;
  std::optional<std::size_t> excess;  ///< which one it costs besides

  /// What it would cost besides with others.
  [[nodiscard]] double excess_by(std::span<const RowExcess> others) const {
    return excess ? sum_of(others[*excess], sizes) : 0;
  }
};

[[nodiscard]] Column column_of(const TakenShape& taken, const MultiplierIndex& index);
[[nodiscard]] Column column_of(const FilledRow& row);
/// Those rows, the cheapest first, and one that pays the price of a full row; where none is given,
/// that of the cheapest.
[[nodiscard]] std::vector<Column> with_full_row(std::vector<Column> rows,
                                                std::optional<double> price);

}  // namespace zonecut
