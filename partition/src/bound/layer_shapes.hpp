#pragma once
// How much a zone takes of each of several layers in a row, with prices for what it takes: a
// shortest path over layers and sums.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bound/layers.hpp"
#include "bound/multipliers.hpp"
#include "bound/price_columns.hpp"

namespace zonecut {

/// Of zones that pay the same.
class LayerShapes {
 public:
  /// What price() works in; of several kinds of zones one after the other.
  struct Room {
    std::vector<double> strip;  ///< of the layer before, by vertices taken and sum
    std::vector<double> least;  ///< by sum
  };

  /// Borrows the layers. A zone takes at most `most` of a layer, and a multiple of `unit` of all.
  /// What it takes are the multipliers from `first` on.
  LayerShapes(std::span<const Layer> layers, std::vector<std::uint32_t> capacity, std::size_t most,
              std::size_t unit, std::size_t first);

  /// Of every zone.
  [[nodiscard]] std::span<const std::uint32_t> capacity() const { return capacity_; }
  /// The first multiplier of a layer.
  [[nodiscard]] std::size_t first(std::size_t layer) const { return tables_[layer].first; }
  /// One more than a zone can take of it.
  [[nodiscard]] std::size_t options(std::size_t layer) const { return tables_[layer].options; }
  /// One more than the last multiplier.
  [[nodiscard]] std::size_t end() const { return tables_.back().first + tables_.back().options; }
  /// Numbers in its tables.
  [[nodiscard]] std::size_t entries() const;
  /// The most at a time in price_costs().
  [[nodiscard]] std::size_t entries_for_costs() const;
  /// Of price(): O(layers · largest layer · largest zone); times the layer before where two layers
  /// beyond the first know pairs.
  [[nodiscard]] std::size_t steps() const;

  void price(const PieceMultipliers& multipliers, Room& room);
  /// Gives cost() and dearest() only, with the table of one layer at a time, or of two that know
  /// pairs.
  void price_costs(const PieceMultipliers& multipliers, Room& room);

  /// Gives the room of its tables back.
  void forget() {
    for (Table& table : tables_) table.least = std::vector<double>();
  }

  // At the last prices:
  /// Of the cheapest way to take so many vertices.
  [[nodiscard]] std::span<const double> cost() const { return cost_; }
  /// So many ways at most, the cheapest first, then the cheapest that take something else of the
  /// last layer. A way has one piece of every layer that it touches. After price().
  [[nodiscard]] std::vector<Column> ways(std::size_t vertices, std::size_t most) const;
  /// Piece or link, of either sign.
  [[nodiscard]] double dearest() const { return dearest_; }

 private:
  struct Table {                ///< of one layer
    std::size_t first = 0;      ///< its pieces among the multipliers
    std::size_t options = 0;    ///< 0 to options − 1 vertices of it
    std::vector<double> cost;   ///< inside, by vertices taken
    std::vector<double> least;  ///< by vertices taken and sum so far
  };

  /// From `low` on, and below `high`, a link neither falls nor rises.
  struct Level {
    std::size_t low = 0;
    std::size_t high = 0;
  };

  [[nodiscard]] std::size_t level_steps(std::size_t layer) const;
  [[nodiscard]] double link_cost(std::size_t layer, std::size_t before, std::size_t here) const;
  [[nodiscard]] std::size_t reached(std::size_t layer) const;
  void price_pieces(std::size_t layer, const PieceMultipliers& multipliers);
  void sum_up();
  void fill_table(std::size_t layer, Room& room);
  void fill_pairs(std::size_t layer);
  [[nodiscard]] std::vector<Level> levels(std::size_t layer) const;
  void fill_linked(std::size_t layer, std::span<const double> before, std::span<double> here,
                   Room& room);
  void fill_strip(std::size_t layer, std::size_t first, std::span<const Level> level,
                  std::span<double> here, Room& room) const;
  [[nodiscard]] std::size_t best_of(std::size_t layer, std::size_t sum, std::size_t above) const;
  [[nodiscard]] Column way_with(std::size_t vertices, std::size_t last) const;
  void note_dearest(const LayerLink& link, std::size_t layer);

  std::span<const Layer> layers_;
  std::vector<std::uint32_t> capacity_;
  std::size_t unit_;
  std::size_t sums_;
  std::vector<Table> tables_;
  std::vector<double> cost_;  // by vertices
  double dearest_ = 0;
};

}  // namespace zonecut
