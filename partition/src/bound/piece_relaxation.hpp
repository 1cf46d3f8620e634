#pragma once
// The relaxed problem of bound_pieces.hpp for given multipliers: the cheapest shape of every zone
// and the cheapest pattern of a row, each on its own.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/filling.hpp"
#include "bound/multipliers.hpp"
#include "bound/piece_columns.hpp"
#include "bound/pieces_taken.hpp"
#include "bound/row_patterns.hpp"
#include "bound/shared_sizes.hpp"
#include "bound/zone_shapes.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

class PieceRelaxation {
 public:
  /// Borrows the model. Zones of capacity 0 do not count. Where sizes are open, they are those that
  /// together hold all vertices and cost least, as far as work goes, and `incidence` holds for no
  /// zones at all: what a zone adds is known with its size.
  PieceRelaxation(const RowModel& model, std::span<const std::uint32_t> capacity,
                  Incidence incidence, Filling filling = Filling::Full);

  [[nodiscard]] std::size_t pieces() const { return model_.length; }
  [[nodiscard]] std::size_t steps_per_solve() const;
  [[nodiscard]] double most_run() const { return shapes_.most_run(); }
  /// The bound in quarters, with the model's deductions and what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// Where sizes are open: the last solution's, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const {
    return sharing_ ? sharing_->shares() : std::nullopt;
  }
  /// What the last solution's pieces cut with the rows of another model, less what its divided rows
  /// lack.
  [[nodiscard]] double cost_of_pieces(const RowModel& model) const {
    return taken_.cost(model) + dividers_ * static_cast<double>(model.per_divider);
  }
  /// What the last solution's divided rows would cost besides, with another model's excess.
  [[nodiscard]] double excess_of_rows(std::span<const RowExcess> other) const {
    return taken_.divided() * patterns_.excess_by(other);
  }

  [[nodiscard]] const Incidence& incidence() const { return incidence_; }
  /// The last solution's shapes, where sizes are known.
  [[nodiscard]] std::vector<TakenShape> shapes() const;
  /// The cheapest row of the last solution and some others.
  [[nodiscard]] std::vector<FilledRow> rows(const PieceMultipliers& multipliers);
  /// Looks for the cheapest row alone.
  void choose_row(const PieceMultipliers& multipliers);
  [[nodiscard]] std::size_t row_steps() const { return patterns_.steps(!model_.excess.empty()); }

 private:
  using Zones = ZoneShapes::Zones;
  double choose_sizes(double per_full_row, double touch);
  void count(const Zones& zones, PieceViolation& violation);

  const RowModel& model_;
  Incidence incidence_;
  Filling filling_;
  std::size_t largest_;                 // capacity of a zone
  std::optional<SharedSizes> sharing_;  // where sizes are open
  ZoneShapes shapes_;
  std::vector<Zones> kinds_of_zones_;  // by capacity
  std::vector<Zones> zones_;           // by size
  double row_ = 0;                     // what the cheapest divided row costs
  PiecesTaken taken_;
  double dividers_ = 0;  // zones of the last solution, where sizes are open
  RowPatterns patterns_;
};

}  // namespace zonecut
