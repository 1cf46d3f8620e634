#include "bound/piece_columns.hpp"

#include "grid/relaxation_sums.hpp"

namespace zonecut {

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

std::vector<Column> with_full_row(std::vector<Column> rows, std::optional<double> price) {
  const double cheapest = rows.front().value;
  const bool first = price && *price < cheapest;
  rows.insert(first ? rows.begin() : rows.end(),
              {price.value_or(cheapest), {{kFullRowPrice, 1.0}}});
  return rows;
}

}  // namespace zonecut
