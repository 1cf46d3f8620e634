#pragma once
// The relaxation of zone_piece_relaxation.hpp, of rows made up of groups, where what pieces of
// groups are given back are multipliers too, each by itself, and so is a touch of groups. A share
// of what makes most of the groups alone (blended_relaxation.hpp) cannot say that seven and nine
// vertices make up a group of sixteen but sevens alone do not, where the groups alone have no
// reason to. The rows are seen anew for every solution, so this is for short ones.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/group_prices.hpp"
#include "bound/multipliers.hpp"
#include "bound/piece_columns.hpp"
#include "bound/proximal_master.hpp"
#include "bound/zone_piece_relaxation.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

class GroupRelaxation {
 public:
  /// Borrows grid and groups; of a grid that has_counted_groups in such rows. `sizes` add up to all
  /// vertices. `closing`: share of what paths lack (counted_rows).
  GroupRelaxation(const GridTraffic& grid, Rows rows, const GroupMultipliers& groups,
                  double closing, std::span<const std::uint32_t> sizes, Incidence incidence,
                  std::size_t most_counted);

  /// Those of a ZonePieceRelaxation, and so many times those of the groups.
  [[nodiscard]] PieceMultipliers multipliers_at(double priced, PieceMultipliers of_pieces) const;

  /// With what pieces of 1 to size − 1 vertices of a group are given back, and a touch of groups.
  [[nodiscard]] std::size_t pieces() const { return own_pieces() + group_; }
  /// Those of the ZonePieceRelaxation, which come first.
  [[nodiscard]] std::size_t own_pieces() const { return relaxation_.pieces(); }
  /// Those of its pieces and of counted_rows.
  [[nodiscard]] std::size_t steps_per_solve() const;
  [[nodiscard]] double most_run() const { return relaxation_.most_run(); }
  /// The bound in quarters, with what the groups add and what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

  [[nodiscard]] ZonePieceRelaxation& relaxed() { return relaxation_; }

  // For BundleAscent.
  static constexpr std::uint32_t kFullRow = kFullRowPrice;
  [[nodiscard]] std::vector<Part> parts();
  [[nodiscard]] std::vector<Part> rows(const PieceMultipliers& multipliers);
  [[nodiscard]] std::size_t row_steps() const { return relaxation_.row_steps(); }
  /// By MultiplierIndex.
  [[nodiscard]] MultiplierRange range(std::size_t multiplier) const;
  [[nodiscard]] static ProximalMaster::Curved curved() { return {}; }
  [[nodiscard]] const Incidence& incidence() const { return relaxation_.incidence(); }

 private:
  [[nodiscard]] PieceMultipliers of_pieces(PieceMultipliers multipliers) const;
  [[nodiscard]] Part rows_part(const PieceMultipliers& multipliers, std::optional<double> full_row);
  [[nodiscard]] Column column_of_shape(const TakenShape& taken) const;
  void see_rows(std::span<const double> prices);
  void count_all(std::span<double> violated) const;
  void count_groups(std::span<double> violated) const;

  const GridTraffic& grid_;
  Rows way_;
  const GroupMultipliers& groups_;
  double closing_;
  std::size_t group_;  // size of a group
  GroupPrices prices_;
  CountedRows rows_;
  ZonePieceRelaxation relaxation_;
  PieceMultipliers last_;
};

}  // namespace zonecut
