#pragma once
// Rows one after the other without a cycle, or with a lighter closing edge, relaxed as in
// piece_relaxation.hpp, but with prices of pieces for every row and its mirror image: what a zone's
// ends cost and where its rows grow and shrink is then exact (stage_shapes.hpp).
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "bound/stage_shapes.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

/// Rows and what a piece of them costs.
struct StageRows : RowLine {
  std::vector<std::int64_t> inside;  ///< [x]: least weight that x vertices of a row cut
};

/// The model as rows in a line. None where its rows lack nothing against a cycle, or its pieces do.
[[nodiscard]] std::optional<StageRows> stage_rows(const RowModel& raw);

class StageRelaxation {
 public:
  /// Borrows the rows. `sizes` add up to all vertices; `touches`: pieces there are at least.
  StageRelaxation(const StageRows& rows, std::span<const std::uint32_t> sizes, std::size_t touches);

  [[nodiscard]] std::size_t pieces() const { return shapes_.classes() * shapes_.options(); }
  [[nodiscard]] static double most_run() { return 0; }
  /// O(rows · length · largest zone).
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

 private:
  void price(const PieceMultipliers& multipliers);
  double fill_pattern(std::size_t row_class, std::span<const double> price,
                      PieceViolation& violation) const;

  const StageRows& rows_;
  double touches_;
  StageShapes shapes_;
  StageShapes::Costs cost_;
};

}  // namespace zonecut
