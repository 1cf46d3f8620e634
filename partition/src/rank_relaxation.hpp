#pragma once
// Rows in a line whose places, the ranks, have prices, the same in a row and its mirror image.
// What zones hold of a row is then any set of its ranks, at what it cuts less what its ranks are
// worth: that every rank lies in one zone is relaxed. The sets that cut little are few and all
// looked at (low_cuts.hpp); any other cuts more than they and holds at most the dearest ranks. How
// much a zone takes of each row is a shortest path (stage_shapes.hpp). The multipliers are those
// of multipliers.hpp: a price for every rank of every row.
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "low_cuts.hpp"
#include "multipliers.hpp"
#include "stage_shapes.hpp"

namespace zonecut {

class RankRelaxation {
 public:
  /// Borrows the sets, whose cuts count in quarters. `sizes` add up to all vertices, or to more
  /// where they are open. With a `width` above 1, a divisor of a row's length, zones take about so
  /// many vertices as one: prices can be sought with it, but what it comes to is no bound.
  RankRelaxation(const RowLine& line, const LowCuts& cuts, std::span<const std::uint32_t> sizes,
                 Filling filling = Filling::Full, std::size_t width = 1);

  [[nodiscard]] std::size_t pieces() const { return shapes_.classes() * ranks_; }
  [[nodiscard]] static double most_run() { return 0; }
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// Where sizes are open, of the last solve: the bound is the constant, what rounding may add
  /// taken off, and what each zone's size costs, for the sizes that together are cheapest.
  [[nodiscard]] double constant() const { return constant_; }
  [[nodiscard]] std::span<const double> by_size() const { return shapes_.by_size(); }

 private:
  static constexpr std::uint32_t kOthers = ~std::uint32_t{0};  ///< a set that is not listed
  struct Choice {
    double cost = 0;
    std::uint32_t size = 0;
    std::uint32_t set = kOthers;
  };
  struct Row {                           ///< a class of rows
    std::vector<std::uint32_t> dearest;  ///< ranks, the dearest first
    std::vector<double> worth;           ///< of the ranks before
    std::vector<Choice> best;            ///< by size
    std::vector<Choice> wide;            ///< by size in wide units
  };

  void price(std::size_t row_class, std::span<const double> prices);
  void widen(std::size_t row_class);
  void count(std::size_t row_class, const Choice& choice, double zones,
             PieceViolation& violation) const;
  /// Ranks with the same price up to their mirror images.
  [[nodiscard]] std::size_t rank(std::size_t place) const {
    return cuts_.mirrored ? std::min(place, line_.length - 1 - place) : place;
  }

  RowLine line_;
  const LowCuts& cuts_;
  std::size_t width_;
  std::size_t ranks_;
  StageShapes shapes_;
  std::vector<Row> rows_;
  StageShapes::Costs cost_;
  double constant_ = 0;
};

}  // namespace zonecut
