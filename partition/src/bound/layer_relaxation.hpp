#pragma once
// Layers in a row, relaxed: zones need not fill a layer together, nor touch layers often enough.
// Each zone then takes what is cheapest for it, by a shortest path over layers and sums.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/layer_patterns.hpp"
#include "bound/layer_shapes.hpp"
#include "bound/layers.hpp"
#include "bound/multipliers.hpp"
#include "bound/price_columns.hpp"
#include "bound/proximal_master.hpp"
#include "bound/shared_sizes.hpp"

namespace zonecut {

/// Whether all zones pay the same for a piece of a layer, or each size of zone has prices of its
/// own. Then a layer is made up of at most one piece of each zone; a step takes longer.
enum class LayerPrices { Shared, ByZone };

class LayerRelaxation {
 public:
  static constexpr std::size_t kAll = ~std::size_t{0};

  /// Borrows the layers. `full`: every zone is full in the end; otherwise zones may hold less, and
  /// take the sizes that add up and cost least, as far as work goes. With `most` they take no more
  /// of a layer: a solution is no bound then, but takes less time. Sizes are multiples of `unit`.
  LayerRelaxation(std::span<const Layer> layers, std::span<const std::uint32_t> capacity, bool full,
                  std::size_t touches, LayerPrices prices = LayerPrices::Shared,
                  std::size_t most = kAll, std::size_t unit = 1);

  [[nodiscard]] std::size_t pieces() const { return pieces_; }
  [[nodiscard]] std::size_t zones() const { return kind_of_zone_.size(); }
  /// What a zone may take; nullptr where it holds nothing.
  [[nodiscard]] const LayerShapes* shapes_of(std::size_t zone) const {
    return kind_of_zone_[zone] == kAll ? nullptr : &kinds_[kind_of_zone_[zone]];
  }
  /// Of a layer: its first multiplier, and one more than a zone can take of it. Of shared prices.
  [[nodiscard]] std::size_t first(std::size_t layer) const { return kinds_[0].first(layer); }
  [[nodiscard]] std::size_t options(std::size_t layer) const { return kinds_[0].options(layer); }
  [[nodiscard]] static double most_run() { return 0; }
  /// O(layers · largest layer · largest zone) for each kind of zone with prices of its own; times
  /// the layer before where two layers beyond the first know pairs.
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// Numbers in its tables.
  [[nodiscard]] std::size_t entries() const;
  /// The most at a time in bound_at().
  [[nodiscard]] std::size_t entries_for_bound() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);
  /// The same bound alone, and shares(), with the table of a layer at a time, or those of two.
  double bound_at(const PieceMultipliers& multipliers);

  /// Gives the room of its tables back; a solution takes it again.
  void forget_tables() {
    for (LayerShapes& kind : kinds_) kind.forget();
  }

  /// Where zones may hold less: the sizes of the last solution, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const;

  /// The most that a zone takes of any layer at these multipliers. Of shared prices.
  [[nodiscard]] std::size_t most_taken(const PieceMultipliers& multipliers);
  /// Shared prices of a relaxation with fewer options: a larger piece gets the least with which no
  /// layer is made up of it and smaller ones for less.
  [[nodiscard]] PieceMultipliers of_fewer(const LayerRelaxation& fewer,
                                          const PieceMultipliers& multipliers) const;
  /// The other way round; those of this one for all zones alike, where it has some for each size.
  [[nodiscard]] PieceMultipliers of_more(const LayerRelaxation& more,
                                         const PieceMultipliers& multipliers) const;
  /// Leaves of shared prices one price a vertex for each layer.
  void coarsen(PieceViolation& violation) const;

  // For BundleAscent, where zones are full. Columns are long.
  static constexpr std::size_t kModelOperations = 1;
  [[nodiscard]] std::vector<Part> parts() const;
  [[nodiscard]] std::vector<Part> rows(const PieceMultipliers& multipliers);
  [[nodiscard]] std::size_t row_steps() const;
  /// By MultiplierIndex; there are no runs.
  [[nodiscard]] MultiplierRange range(std::size_t multiplier) const;
  [[nodiscard]] static ProximalMaster::Curved curved() { return {}; }
  [[nodiscard]] Incidence incidence() const { return {touches_, 0}; }

 private:
  [[nodiscard]] std::size_t zones_with_pieces(const LayerShapes& kind) const;
  [[nodiscard]] Part pattern(std::size_t layer, const PieceMultipliers& multipliers);
  void take(const LayerShapes& kind, std::span<const std::size_t> sizes);
  enum class Tables { All, OfCosts };
  double least_at(const PieceMultipliers& multipliers, Tables tables);
  double size_zones();

  std::span<const Layer> layers_;
  std::vector<LayerShapes> kinds_;         // one, or by size of zone
  std::vector<std::size_t> kind_of_zone_;  // kAll: it holds nothing
  bool by_zone_;
  std::size_t touches_;
  std::optional<SharedSizes> sharing_;  // where zones may hold less
  std::size_t zones_ = 0;               // that hold something
  std::size_t pieces_ = 0;
  LayerShapes::Room room_;
  LayerByZone layer_by_zone_;
  std::vector<std::vector<std::size_t>> sizes_;  // of the last solve, of zones by kind
  std::vector<Part> patterns_;                   // of the last solve, by layer
  std::vector<Part> taken_;                      // the same, by zones of one size
};

}  // namespace zonecut
