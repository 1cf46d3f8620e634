#pragma once
// The relaxation of piece_relaxation.hpp with prices of pieces for each size of zone. A zone takes
// part in a divided row at most once, so a pattern has at most one piece of each zone: with the
// same prices for all, a zone that likes seven vertices of a row would be asked to make up a row of
// three of its own pieces and three vertices of another. Each zone's shape is a search of its own,
// so a step takes longer, and there are more prices to find.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/filling.hpp"
#include "bound/multipliers.hpp"
#include "bound/piece_columns.hpp"
#include "bound/pieces_taken.hpp"
#include "bound/shared_sizes.hpp"
#include "bound/zone_patterns.hpp"
#include "bound/zone_shapes.hpp"
#include "grid/relaxation_sums.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

class ZonePieceRelaxation {
 public:
  /// Borrows the model. `sizes` add up to its vertices; zones of size 0 do not count.
  /// `most_counted` is that of ZoneShapes. Open sizes are as in PieceRelaxation, prices then by
  /// capacity.
  ZonePieceRelaxation(const RowModel& model, std::span<const std::uint32_t> sizes,
                      Incidence incidence, std::size_t most_counted = ZoneShapes::kMostCounted,
                      Filling filling = Filling::Full);

  /// The same prices for all zones: those of a PieceRelaxation.
  [[nodiscard]] PieceMultipliers of_pooled(const PieceMultipliers& pooled) const;

  [[nodiscard]] std::size_t pieces() const { return kinds_.size() * model_.length; }
  /// O(vertices · length + zones · length²).
  [[nodiscard]] std::size_t steps_per_solve() const;
  [[nodiscard]] double most_run() const { return kinds_.front().shapes.most_run(); }
  /// The bound in quarters, with the model's deductions and what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// What the last solution's pieces cut with the rows of another model, less what its divided rows
  /// lack.
  [[nodiscard]] double cost_of_pieces(const RowModel& model) const {
    return taken_.cost(model) + dividers_ * static_cast<double>(model.per_divider);
  }
  /// What the last solution's divided rows would cost besides, with another model's excess.
  [[nodiscard]] double excess_of_rows(std::span<const RowExcess> other) const {
    return taken_.divided() * patterns_->excess_by(other);
  }
  /// Where sizes are open: the last solution's, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const {
    return sharing_ ? sharing_->shares() : std::nullopt;
  }
  /// By the last solution.
  [[nodiscard]] const PiecesTaken& taken() const { return taken_; }

  /// Sizes of zones there are.
  [[nodiscard]] std::size_t kinds() const { return kinds_.size(); }
  [[nodiscard]] std::size_t zones_of(std::size_t kind) const { return kinds_[kind].count; }
  /// Rows of all pieces are ranked in so many steps each time, at least a few.
  void allow_ranking(std::int64_t steps) { patterns_->allow_ranking(steps); }
  /// From now on zones of this size have so many full rows, which some shape has to have.
  void allow(std::size_t kind, FullRows full) { kinds_[kind].shapes.allow(full); }

  [[nodiscard]] const Incidence& incidence() const { return incidence_; }
  /// The last solution's shapes, where sizes are known.
  [[nodiscard]] std::vector<TakenShape> shapes() const;
  /// The cheapest row of the last solution and some others.
  [[nodiscard]] std::vector<FilledRow> rows(const PieceMultipliers& multipliers);
  /// Looks for the cheapest row alone.
  void choose_row(const PieceMultipliers& multipliers);
  [[nodiscard]] std::size_t row_steps() const { return patterns_->steps(!model_.excess.empty()); }

 private:
  struct Kind {  ///< zones of one size, or of one capacity
    std::size_t size = 0;
    std::size_t count = 0;
    ZoneShapes shapes;
    std::vector<ZoneShapes::Zones> zones{};  ///< by size
    std::vector<double> costs{};             ///< of sizes, where they are open
  };

  [[nodiscard]] std::vector<std::span<const double>> prices_by_zone(
      const PieceMultipliers& multipliers) const;
  void price(std::size_t kind, const PieceMultipliers& multipliers);
  double choose_sizes(double per_full_row, double touch);
  void choose_shapes(double per_full_row, RoundedSum& bound);
  void count(std::size_t kind, PieceViolation& violation);
  void count_pattern(PieceViolation& violation);

  const RowModel& model_;
  Incidence incidence_;
  std::vector<Kind> kinds_;             // the smallest first
  std::optional<SharedSizes> sharing_;  // where sizes are open
  double row_ = 0;                      // what the cheapest divided row costs
  double dividers_ = 0;                 // zones of the last solution, where sizes are open
  std::vector<std::size_t> kind_of_zone_;
  std::optional<ZonePatterns> patterns_;
  PiecesTaken taken_;
};

}  // namespace zonecut
