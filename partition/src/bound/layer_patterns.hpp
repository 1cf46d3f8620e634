#pragma once
// The cheapest way to make up a layer of pieces, as a column of their multipliers.
#include <cstddef>
#include <span>
#include <vector>

#include "bound/price_columns.hpp"

namespace zonecut {

/// What pieces of a layer cost some zones.
struct LayerPiecePrices {
  std::span<const double> price;  ///< [x]: of x vertices, its multiplier `first` + x
  std::size_t first = 0;
  std::size_t zones = 1;
};

/// Of any pieces. O(size · pieces).
[[nodiscard]] Column cheapest_layer(std::size_t size, const LayerPiecePrices& prices);

/// Of at most one piece of each zone. O(zones · size · pieces).
class LayerByZone {
 public:
  [[nodiscard]] Column cheapest(std::size_t size, std::span<const LayerPiecePrices> kinds);

 private:
  std::vector<double> least_;  // by zones so far and sum
};

}  // namespace zonecut
