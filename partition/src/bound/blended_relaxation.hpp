#pragma once
// The relaxation of piece_relaxation.hpp, or of zone_piece_relaxation.hpp, with two more
// multipliers: which share of the groups' own prices is taken, and which share of what paths lack
// against cycles is taken off once. What pieces cut is known at a few shares and in between taken
// in proportion. That is a bound as well: every view bounds the cut, hence so does what they come
// to in proportion, of the same partition.
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/grid_views.hpp"
#include "bound/multipliers.hpp"
#include "bound/piece_columns.hpp"
#include "bound/piece_relaxation.hpp"
#include "bound/proximal_master.hpp"
#include "bound/zone_piece_relaxation.hpp"

namespace zonecut {

/// So many views are made of the rows of this one, in GridViews::steps each.
[[nodiscard]] std::size_t blended_views_for(const GridViews& views, const GridView& view);
/// The rows of this view at a few shares.
[[nodiscard]] std::vector<GridView> blended_views(const GridViews& views, const GridView& view);

/// Of pieces as Pieces prices them: a PieceRelaxation or a ZonePieceRelaxation.
template <class Pieces>
class Blended {
 public:
  /// Borrows the blended_views, or a single one. `sizes` add up to all vertices. What follows goes
  /// to Pieces.
  template <class... More>
  Blended(std::span<const GridView> views, std::span<const std::uint32_t> sizes,
          Incidence incidence, More... more)
      : views_(views), model_(views.front().model), relaxation_(model_, sizes, incidence, more...) {
    measure();
  }

  /// Shares and the multipliers of Pieces.
  [[nodiscard]] PieceMultipliers multipliers_at(double priced, double closing,
                                                PieceMultipliers of_pieces) const;
  [[nodiscard]] double priced(const PieceMultipliers& multipliers) const;
  [[nodiscard]] double closing(const PieceMultipliers& multipliers) const;
  /// Those of Pieces.
  [[nodiscard]] PieceMultipliers of_pieces(PieceMultipliers multipliers) const;
  [[nodiscard]] const Pieces& relaxed() const { return relaxation_; }
  [[nodiscard]] Pieces& relaxed() { return relaxation_; }

  /// With two more, for the shares.
  [[nodiscard]] std::size_t pieces() const { return relaxation_.pieces() + 2; }
  [[nodiscard]] std::size_t steps_per_solve() const { return relaxation_.steps_per_solve(); }
  [[nodiscard]] double most_run() const { return relaxation_.most_run(); }
  /// The bound in quarters, with what the groups add, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

  // For BundleAscent, where sizes are known.
  static constexpr std::uint32_t kFullRow = kFullRowPrice;
  [[nodiscard]] std::vector<Part> parts();
  [[nodiscard]] std::vector<Part> rows(const PieceMultipliers& multipliers);
  [[nodiscard]] std::size_t row_steps() const { return relaxation_.row_steps(); }
  /// By MultiplierIndex; of runs at any share.
  [[nodiscard]] MultiplierRange range(std::size_t multiplier) const;
  /// Shares: what pieces cost is in proportion only between two that have views.
  [[nodiscard]] ProximalMaster::Curved curved() const { return {relaxation_.pieces(), 2}; }
  [[nodiscard]] const Incidence& incidence() const { return relaxation_.incidence(); }

 private:
  /// A share between two that have views.
  struct Between {
    std::size_t low = 0;
    std::size_t high = 0;
    double part = 0;  ///< of the way from low to high
  };
  struct Corner {
    const GridView* view = nullptr;
    double weight = 0;  ///< together 1
  };
  using Corners = std::array<Corner, 4>;  ///< the share of prices low and high, for either closing

  [[nodiscard]] static Between between(double share, std::size_t values);
  [[nodiscard]] Corners corners(const Between& priced, const Between& closing) const;
  void measure();
  [[nodiscard]] std::size_t closings() const { return views_.size() / priced_values_; }
  [[nodiscard]] std::span<const RowExcess> excess_at(const Corner& corner) const;
  void see(double priced, double closing);
  void blend(const Corners& corners);
  template <class Cost>
  void add_shares(Slope& slope, const Cost& cost_at) const;
  [[nodiscard]] Part rows_part(const PieceMultipliers& multipliers, std::optional<double> full_row);
  void blend_excess(const Corners& corners);
  template <class Cost>
  [[nodiscard]] std::array<double, 2> by_share(const Cost& cost_at) const;
  [[nodiscard]] double slope(double share, double change) const;

  std::span<const GridView> views_;  // by share of closing, then of prices
  std::size_t priced_values_ = 1;
  std::vector<std::vector<RowExcess>> excess_;  // by view; in the views of its share of prices
  double scale_ = 1;                            // of a share, so that it moves about as prices do
  double groups_ = 0;
  std::optional<std::array<double, 2>> seen_;  // the last shares, and the views around them
  Between priced_at_;
  Between closing_at_;
  Corners around_{};
  PieceMultipliers last_;
  RowModel model_;  // as blended last
  Pieces relaxation_;
};

using BlendedRelaxation = Blended<PieceRelaxation>;
using BlendedByZone = Blended<ZonePieceRelaxation>;
extern template class Blended<PieceRelaxation>;
extern template class Blended<ZonePieceRelaxation>;

}  // namespace zonecut
