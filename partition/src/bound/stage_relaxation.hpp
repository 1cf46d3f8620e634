#pragma once
// Rows one after the other without a cycle, or with a lighter closing edge, relaxed as in
// piece_relaxation.hpp, but with prices of pieces for every row and its mirror image: what a zone's
// ends cost and where its rows grow and shrink is then exact (stage_shapes.hpp).
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "bound/price_columns.hpp"
#include "bound/proximal_master.hpp"
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

  [[nodiscard]] std::size_t pieces() const { return classes() * shapes_.options(); }
  /// Kinds of rows with prices of their own.
  [[nodiscard]] std::size_t classes() const { return shapes_.classes(); }
  [[nodiscard]] static double most_run() { return 0; }
  /// O(rows · length · largest zone).
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

  // For BundleAscent.
  [[nodiscard]] std::vector<Part> parts() const;
  [[nodiscard]] std::vector<Part> rows(const PieceMultipliers& multipliers) const;
  [[nodiscard]] std::size_t row_steps() const { return pieces() * rows_.length / 2; }
  /// By MultiplierIndex; there are no runs.
  [[nodiscard]] MultiplierRange range(std::size_t multiplier) const;
  [[nodiscard]] static ProximalMaster::Curved curved() { return {}; }
  [[nodiscard]] Incidence incidence() const { return {touches_, 0}; }

 private:
  void price(const PieceMultipliers& multipliers);
  [[nodiscard]] Part pattern(std::size_t row_class, const PieceMultipliers& multipliers) const;
  [[nodiscard]] Column column_of(const StageShapes::Zones& zones) const;

  const StageRows& rows_;
  std::size_t touches_;
  std::vector<Part> patterns_;  // of the last solution
  StageShapes shapes_;
  StageShapes::Costs cost_;
};

}  // namespace zonecut
