#include "bound/piece_columns.hpp"

#include <algorithm>

#include "grid/relaxation_sums.hpp"

namespace zonecut {

void append(Slope& slope, std::size_t multiplier, double each) {
  if (each != 0) slope.emplace_back(static_cast<std::uint32_t>(multiplier), each);
}

/// Of the same multiplier all in one.
void sort(Slope& slope) {
  std::ranges::sort(slope);
  std::size_t last = 0;
  for (std::size_t i = 1; i < slope.size(); ++i) {
    if (slope[i].first == slope[last].first) {
      slope[last].second += slope[i].second;
    } else {
      slope[++last] = slope[i];
    }
  }
  if (!slope.empty()) slope.resize(last + 1);
}

Column column_of(const TakenShape& taken, const MultiplierIndex& index) {
  const ZoneShapes::Shape& shape = *taken.shape;
  Column column{shape.cost, {}};
  double touches = number(shape.full);
  append(column.slope, kFullRowPrice, -number(shape.full));
  for (const PieceCount& pieces : shape.pieces) {
    append(column.slope, taken.first + pieces.piece, -pieces.count);
    touches += pieces.count;
  }
  append(column.slope, index.touch(), -touches);
  append(column.slope, index.run(), shape.run);
  sort(column.slope);
  return column;
}

Column column_of(const FilledRow& row) {
  Column column{row.cost, {}};
  for (const std::uint32_t price : row.prices) column.slope.emplace_back(price, 1.0);
  sort(column.slope);
  return column;
}

Column full_row_column(double price) { return {price, {{kFullRowPrice, 1.0}}}; }

}  // namespace zonecut
