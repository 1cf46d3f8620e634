#pragma once
// What the solution of a relaxation by pieces takes of the rows, and so what it would cost with
// those of another model.
#include <vector>

#include "bound/zone_shapes.hpp"
#include "grid/relaxation_sums.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

/// What pieces of a shape cut, and its ends across rows, with the rows of a model.
[[nodiscard]] inline double cost_of(const ZoneShapes::Shape& shape, const RowModel& model) {
  double cost = 0;
  for (const PieceCount& taken : shape.pieces) {
    cost += taken.count * in_quarters(model.inside[taken.piece]) / 2;
  }
  for (const PieceCount& end : shape.ends) cost += end.count * in_quarters(model.across[end.piece]);
  if (shape.shortest > 0) cost -= in_quarters(model.around[shape.shortest]);
  return cost;
}

class PiecesTaken {
 public:
  void clear(const RowModel& model) {
    inside_.assign(model.length, 0);
    ended_.assign(model.length + 1, 0);
    around_.assign(model.length, 0);
    divided_ = number(model.rows);
  }
  void add(const ZoneShapes::Shape& shape, double count) {
    for (const PieceCount& taken : shape.pieces) inside_[taken.piece] += count * taken.count;
    for (const PieceCount& end : shape.ends) ended_[end.piece] += count * end.count;
    if (shape.shortest > 0) around_[shape.shortest] += count;
    divided_ -= count * number(shape.full);
  }

  /// Rows that are not full; of either sign.
  [[nodiscard]] double divided() const { return divided_; }
  [[nodiscard]] double pieces_of(std::size_t size) const { return inside_[size]; }
  /// Those, or full rows, whose ends across rows are paid for.
  [[nodiscard]] double ended(std::size_t size) const { return ended_[size]; }
  /// What pieces cut, less what divided rows lack.
  [[nodiscard]] double cost(const RowModel& model) const {
    double cost = -divided_ * in_quarters(model.per_divided_row);
    for (std::size_t x = 1; x < model.length; ++x) {
      cost += inside_[x] * in_quarters(model.inside[x]) / 2;
      cost -= around_[x] * in_quarters(model.around[x]);
    }
    for (std::size_t x = 1; x <= model.length; ++x) {
      cost += ended_[x] * in_quarters(model.across[x]);
    }
    return cost;
  }

 private:
  std::vector<double> inside_;  ///< pieces, by size
  std::vector<double> ended_;
  std::vector<double> around_;  ///< zones in every row, by Shape::shortest
  double divided_ = 0;
};

}  // namespace zonecut
