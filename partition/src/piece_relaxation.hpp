#pragma once
// The relaxed problem of bound_pieces.hpp for given multipliers: the cheapest shape of every zone
// and the cheapest pattern of a row, each on its own.
#include <cstdint>
#include <span>
#include <vector>

#include "counted_pieces.hpp"
#include "multipliers.hpp"
#include "row_model.hpp"

namespace zonecut {

enum class Filling {
  Full,  ///< every zone holds as many vertices as it can
  Open,  ///< or fewer, or none
};

class PieceRelaxation {
 public:
  /// Borrows the model. Zones of capacity 0 do not count. Where sizes are open, `incidence` holds
  /// for no zones at all: what a zone adds is known with its size.
  PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> capacity,
                  Incidence incidence, Filling filling = Filling::Full);

  [[nodiscard]] std::size_t pieces() const { return model_.length; }
  [[nodiscard]] std::size_t steps_per_solve() const;
  [[nodiscard]] double most_run() const;
  /// The bound in quarters, with the model's deductions and what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// Where sizes are open, of the last solve: the bound is the constant and what each zone's size
  /// costs, for the sizes that together are cheapest.
  [[nodiscard]] double constant() const { return constant_; }
  [[nodiscard]] std::span<const double> by_size() const { return by_size_; }

 private:
  struct Shape {
    double cost = 0;
    double run = 0;           ///< its share in the constraint on runs
    std::size_t full = 0;     ///< full rows
    std::size_t largest = 0;  ///< of its pieces, where no row is full and some are empty
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
  void take_largest_first();
  void add_touching();
  void choose_with_full_rows(Zones& zones, double per_full_row);
  void take_beside_full_rows(Zones& zones, std::size_t full);
  bool choose_all_rows(Zones& zones, std::size_t full, double others);
  double cheapest_pieces(std::size_t k, std::size_t sum);
  double cheapest_pair(std::size_t sum);
  void take_pieces(Shape& shape, std::size_t sum);
  void choose_shapes(double per_full_row);
  [[nodiscard]] double price_of_size(std::size_t size, double touch) const;
  void choose_sizes(double per_full_row, double touch);
  void count(const Zones& zones, PieceViolation& violation) const;

  const RowModel& model_;
  Incidence incidence_;
  Filling filling_;
  std::vector<Zones> kinds_of_zones_;  // by capacity
  std::vector<Zones> zones_;           // by size
  std::size_t columns_ = 1;            // sums of pieces, 0 to the largest zone
  std::size_t kinds_ = 1;              // sizes of pieces, 1 to kinds_ - 1
  double run_ = 0;                     // multiplier of this solve
  std::vector<double> price_;          // of a piece in a run of rows begun otherwise
  std::vector<double> apart_;          // of a piece that may begin a run of its own
  std::vector<Cell> least_;            // of pieces with a sum, priced apart
  std::vector<Cell> touching_[2];      // the same with one, two of them next to full rows
  double constant_ = 0;
  std::vector<double> by_size_;
  CountedPieces counted_;
  std::vector<PieceCount> pieces_;  // of the shape under consideration
  std::vector<Cell> pattern_;
};

}  // namespace zonecut
