#pragma once
// Layers in a row, relaxed: zones need not fill a layer together, nor touch layers often enough.
// Each zone then takes what is cheapest for it, by a shortest path over layers and sums.
#include <cstdint>
#include <span>
#include <vector>

#include "layers.hpp"
#include "multipliers.hpp"

namespace zonecut {

class LayerRelaxation {
 public:
  /// Borrows the layers. `full`: every zone is full in the end; otherwise it may hold less.
  LayerRelaxation(std::span<const Layer> layers, std::span<const std::uint32_t> capacity, bool full,
                  std::size_t touches);

  [[nodiscard]] std::size_t pieces() const { return pieces_; }
  /// Of a layer: its first multiplier, and one more than a zone can take of it.
  [[nodiscard]] std::size_t first(std::size_t layer) const { return tables_[layer].first; }
  [[nodiscard]] std::size_t options(std::size_t layer) const { return tables_[layer].options; }
  [[nodiscard]] static double most_run() { return 0; }
  /// O(layers · largest layer · largest zone).
  [[nodiscard]] std::size_t steps_per_solve() const;
  /// The bound in quarters, what rounding may add taken off.
  double solve(const PieceMultipliers& multipliers, PieceViolation& violation);

  /// Leaves of the prices of pieces one price a vertex for each layer.
  void coarsen(PieceViolation& violation) const;

 private:
  struct Table {                ///< of one layer
    std::size_t first = 0;      ///< its pieces among the multipliers
    std::size_t options = 0;    ///< 0 to options − 1 vertices of it
    std::vector<double> cost;   ///< inside, by vertices taken
    std::vector<double> least;  ///< by vertices taken and sum so far
  };

  double fill_patterns(const PieceMultipliers& multipliers, PieceViolation& violation);
  double fill_pattern(std::size_t layer, const PieceMultipliers& multipliers,
                      PieceViolation& violation);
  void fill_table(std::size_t layer);
  void reach(std::size_t layer);
  [[nodiscard]] double link_cost(std::size_t layer, std::size_t before, std::size_t here) const;
  void take(std::size_t sum, double count, PieceViolation& violation) const;

  std::span<const Layer> layers_;
  std::vector<std::uint32_t> capacity_;
  bool full_;
  double touches_;
  std::size_t pieces_ = 0;
  std::size_t sums_ = 1;
  std::vector<Table> tables_;
  std::vector<double> from_below_;  // like Table::least, for reach()
  std::vector<double> from_above_;
  std::vector<double> crossed_;  // by sum
};

}  // namespace zonecut
