#pragma once
// The relaxed problem of bound_pieces.hpp for given multipliers: the cheapest shape of every zone
// and the cheapest pattern of a row, each on its own.
#include <cstdint>
#include <span>
#include <vector>

#include "counted_pieces.hpp"
#include "row_model.hpp"

namespace zonecut {

/// Zones and the rows they touch as a graph with an edge for every touch.
struct Incidence {
  std::size_t touches = 0;     ///< edges it has at least
  std::size_t components = 0;  ///< that it has at most
};

struct PieceMultipliers {
  std::vector<double> piece;  ///< by size of the piece; [0] is not used
  double touch = 0;           ///< per row that a zone touches, at least 0
  double run = 0;             ///< per run of divided rows, 0 … PieceRelaxation::most_run()
};

/// How far the shapes chosen violate what was relaxed; a subgradient of the bound.
struct PieceViolation {
  std::vector<double> piece;
  double touch = 0;
  double run = 0;
};

class PieceRelaxation {
 public:
  /// Borrows the model. Zones of size 0 do not count.
  PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> sizes, Incidence incidence);

  [[nodiscard]] std::size_t steps_per_solve() const;
  [[nodiscard]] double most_run() const;
  /// The bound in quarters, with the model's deductions and what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

 private:
  struct Shape {
    double cost = 0;
    double run = 0;        ///< its share in the constraint on runs
    std::size_t full = 0;  ///< full rows
    std::vector<PieceCount> pieces;
  };
  struct Zones {  ///< all of one size
    std::size_t size = 0;
    double count = 0;
    Shape shape;
  };
  struct Cell {
    double cost = 0;
    std::uint32_t last = 0;  ///< piece that was added
  };

  double fill_pattern(const PieceMultipliers& multipliers);
  void set_prices(const PieceMultipliers& multipliers);
  void allow(std::size_t piece);
  void choose_without_full_rows(std::size_t largest);
  void add_touching();
  void choose_with_full_rows(Zones& zones, double per_full_row);
  void choose_all_rows(Zones& zones, std::size_t full, double others);
  double cheapest_pair(std::size_t sum);
  void take_pieces(Shape& shape, std::size_t sum);
  void count(const Zones& zones, PieceViolation& violation) const;

  const RowModel& model_;
  Incidence incidence_;
  std::vector<Zones> zones_;
  std::size_t columns_ = 1;        // sums of pieces, 0 to the largest zone
  std::size_t kinds_ = 1;          // sizes of pieces, 1 to kinds_ - 1
  double run_ = 0;                 // multiplier of this solve
  std::vector<double> price_;      // of a piece in a run of rows begun otherwise
  std::vector<double> apart_;      // of a piece that may begin a run of its own
  std::vector<Cell> least_;        // of pieces with a sum, priced apart
  std::vector<Cell> touching_[2];  // the same with one, two of them next to full rows
  CountedPieces counted_;
  std::vector<PieceCount> pieces_;  // of the shape under consideration
  std::vector<Cell> pattern_;
};

}  // namespace zonecut
