#pragma once
// Layers in a row, relaxed: zones need not fill a layer together, nor touch layers often enough.
// Each zone then takes what is cheapest for it, by a shortest path over layers and sums.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/layer_patterns.hpp"
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
  /// Of a layer: its first multiplier, and one more than a zone can take of it. Of shared prices.
  [[nodiscard]] std::size_t first(std::size_t layer) const { return kinds_[0].tables[layer].first; }
  [[nodiscard]] std::size_t options(std::size_t layer) const {
    return kinds_[0].tables[layer].options;
  }
  [[nodiscard]] static double most_run() { return 0; }
  /// O(layers · largest layer · largest zone) for each kind of zone with prices of its own; times
  /// the layer before where two layers beyond the first know pairs.
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// Numbers in its tables.
  [[nodiscard]] std::size_t entries() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

  /// Where zones may hold less: the sizes of the last solution, by zone, unless they do not add up.
  [[nodiscard]] std::optional<Shares> shares() const;

  /// The most that a zone takes of any layer at these multipliers. Of shared prices.
  [[nodiscard]] std::size_t most_taken(const PieceMultipliers& multipliers);
  /// Shared prices of a relaxation with fewer options: a larger piece gets the least with which no
  /// layer is made up of it and smaller ones for less.
  [[nodiscard]] PieceMultipliers of_fewer(const LayerRelaxation& fewer,
                                          const PieceMultipliers& multipliers) const;
  /// The other way round.
  [[nodiscard]] PieceMultipliers of_more(const LayerRelaxation& more,
                                         const PieceMultipliers& multipliers) const;
  /// Leaves of shared prices one price a vertex for each layer.
  void coarsen(PieceViolation& violation) const;
  /// The same prices for all zones, from those that `shared` has.
  [[nodiscard]] PieceMultipliers of_shared(const LayerRelaxation& shared,
                                           const PieceMultipliers& multipliers) const;

  // For BundleAscent, where zones are full.
  [[nodiscard]] std::vector<Part> parts() const;
  [[nodiscard]] std::vector<Part> rows(const PieceMultipliers& multipliers);
  [[nodiscard]] std::size_t row_steps() const;
  /// By MultiplierIndex; there are no runs.
  [[nodiscard]] MultiplierRange range(std::size_t multiplier) const;
  [[nodiscard]] static ProximalMaster::Curved curved() { return {}; }
  [[nodiscard]] Incidence incidence() const { return {touches_, 0}; }

 private:
  struct Table {                ///< of one layer
    std::size_t first = 0;      ///< its pieces among the multipliers
    std::size_t options = 0;    ///< 0 to options − 1 vertices of it
    std::vector<double> cost;   ///< inside, by vertices taken
    std::vector<double> least;  ///< by vertices taken and sum so far
  };
  struct Kind {  ///< zones with the same prices
    std::vector<std::uint32_t> capacity;
    std::size_t sums = 0;
    std::vector<Table> tables;
    std::vector<double> cost;  ///< by size
  };

  void add_kind(std::vector<std::uint32_t> capacity);
  [[nodiscard]] Part pattern(std::size_t layer, const PieceMultipliers& multipliers);
  void price(Kind& kind, const PieceMultipliers& multipliers);
  void take(const Kind& kind, std::span<const std::size_t> sizes);
  double take_shared();
  double take_full();
  void fill_table(Kind& kind, std::size_t layer);
  void fill_pairs(Kind& kind, std::size_t layer);
  [[nodiscard]] static std::size_t reached(const Kind& kind, std::size_t layer);
  void reach(const Kind& kind, std::size_t layer);
  [[nodiscard]] double link_cost(std::size_t layer, std::size_t before, std::size_t here) const;
  [[nodiscard]] std::size_t level_steps(const Kind& kind, std::size_t layer) const;
  [[nodiscard]] Column taken(const Kind& kind, std::size_t sum) const;
  void count(const Part& part, PieceViolation& violation) const;

  std::span<const Layer> layers_;
  std::vector<Kind> kinds_;
  bool by_zone_;
  std::size_t touches_;
  std::optional<SharedSizes> sharing_;  // where zones may hold less
  std::size_t zones_ = 0;
  std::size_t pieces_ = 0;
  std::size_t most_ = kAll;  // vertices of a layer that a zone takes
  std::size_t unit_ = 1;
  double dearest_ = 0;              // piece or link, of either sign, of the last solve
  std::vector<double> from_below_;  // like Table::least, for reach()
  std::vector<double> from_above_;
  std::vector<double> crossed_;  // by sum
  LayerByZone layer_by_zone_;
  std::vector<Part> patterns_;  // of the last solve, by layer
  std::vector<Part> taken_;     // the same, by zones of one size
};

}  // namespace zonecut
