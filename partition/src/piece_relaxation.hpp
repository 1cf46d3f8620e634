#pragma once
// The relaxed problem of bound_pieces.hpp for given multipliers: the cheapest shape of every zone and
// the cheapest pattern of a row, each on its own.
#include <cstdint>
#include <span>
#include <vector>

#include "row_model.hpp"

namespace zonecut {

struct PieceMultipliers {
  std::vector<double> piece;  ///< by size of the piece; [0] is not used
  double touch = 0;           ///< per row that a zone touches, at least 0
};

/// How far the shapes chosen violate what was relaxed; a subgradient of the bound.
struct PieceViolation {
  std::vector<double> piece;
  double touch = 0;
};

class PieceRelaxation {
 public:
  /// `touches`: the least number of pairs of a zone and a row it touches. Borrows the model.
  PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> sizes,
                  std::size_t touches);

  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, with the model's deductions taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

 private:
  struct Shape {
    double cost = 0;
    std::size_t full = 0;     ///< full rows
    std::size_t pieces = 0;   ///< rows held in part
    std::size_t largest = 0;  ///< of the pieces, where no row is full; 0: any
  };
  struct Zones {  ///< all of one size
    std::size_t size = 0;
    std::size_t count = 0;
    Shape shape;
  };
  struct Cell {
    double cost = 0;
    std::uint32_t last = 0;  ///< piece that was added
  };

  double fill_pattern(const PieceMultipliers& multipliers);
  void clear_table();
  void allow(std::size_t piece);
  Cell& cell(std::size_t pieces, std::size_t sum) { return table_[pieces * columns_ + sum]; }
  void choose_without_full_rows(std::size_t largest);
  void choose_with_full_rows(Zones& zones, double per_full_row);
  void choose_all_rows_in_part(Zones& zones);
  void count_pieces(const Zones& zones, PieceViolation& violation);

  const RowModel& model_;
  double touches_;
  std::vector<Zones> zones_;
  std::size_t columns_ = 1;
  std::size_t most_pieces_ = 0;
  std::vector<Cell> table_;
  std::vector<double> price_;  // of a piece
  std::vector<Cell> pattern_;
};

}  // namespace zonecut
