#pragma once
// Rows one after the other without a cycle, or with a lighter closing edge, relaxed as in
// piece_relaxation.hpp, but with prices of pieces for every row and its mirror image: how much a
// zone takes of each row is then a shortest path over rows and sums, so that what its ends cost
// and where its rows grow and shrink is exact.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "multipliers.hpp"
#include "row_model.hpp"

namespace zonecut {

/// Equal rows in a line; weights in quarters.
struct StageRows {
  std::size_t rows = 0;
  std::size_t length = 0;            ///< vertices of a row
  std::vector<std::int64_t> inside;  ///< [x]: least weight that x vertices of a row cut
  std::int64_t step = 0;             ///< between equal places of neighbouring rows
  std::int64_t wrap = 0;             ///< of the last row and the first, at most `step`
};

/// The model as rows in a line. None where its rows lack nothing against a cycle, or its pieces do.
[[nodiscard]] std::optional<StageRows> stage_rows(const RowModel& raw);

class StageRelaxation {
 public:
  /// Borrows the rows. `sizes` add up to all vertices; `touches`: pieces there are at least.
  StageRelaxation(const StageRows& rows, std::span<const std::uint32_t> sizes, std::size_t touches);

  [[nodiscard]] std::size_t pieces() const { return classes_ * options_; }
  [[nodiscard]] static double most_run() { return 0; }
  /// O(rows · length · largest zone).
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

 private:
  /// What a zone may hold of the first row it is asked about, and what it costs to be further off.
  struct End {
    std::size_t low = 0;
    std::size_t high = 0;
    double slope = 0;  ///< a vertex away from low … high; infinite: not allowed
  };
  using Table = std::vector<double>;  ///< by what is taken of the last row and the sum
  struct Half {                       ///< rows from one end to the middle
    std::vector<Table> least;
    Table spread;  ///< of the last, over the border to the next row
  };
  struct Zones {  ///< all of one size
    std::size_t size = 0;
    double count = 0;
    double cost = 0;
    std::vector<std::size_t> taken;  ///< by row
  };

  void price(const PieceMultipliers& multipliers);
  double fill_pattern(std::size_t row_class, std::span<const double> price,
                      PieceViolation& violation) const;
  void fill(Half& half, const End& end) const;
  void spread(Table& table) const;
  void join(const Half& left, const Half& right, Zones& zones) const;
  void trace(const Half& half, std::size_t taken, std::size_t sum,
             std::vector<std::size_t>& rows) const;
  [[nodiscard]] std::size_t class_of(std::size_t row) const;

  const StageRows& rows_;
  double touches_;
  std::size_t options_ = 0;  // a zone takes fewer of a row
  std::size_t sums_ = 0;     // the largest zone, and one more
  std::size_t classes_ = 0;  // rows up to their mirror images
  std::vector<End> ends_;    // of the first row; the last is held against it
  std::vector<Zones> zones_;
  std::vector<std::vector<double>> cost_;  // by class, of so many vertices
  Half left_;
  Half right_;
};

}  // namespace zonecut
