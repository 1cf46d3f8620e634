#pragma once
// Rows with several neighbouring vertices taken as one unit, for a first look at their prices.
// Divided where little is cut, a row keeps the sets that matter: of 512 ranks of NCCL's double
// binary tree, 116 units come as near to the prices of all as their neighbours by twos do not.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "bound/stage_shapes.hpp"
#include "grid/grid_traffic.hpp"

namespace zonecut {

/// Of one row. Weights in quarters; counts in vertices, or so many of them where units are even.
struct RowUnits {
  std::size_t scale = 1;             ///< vertices that count as one
  std::vector<std::uint32_t> first;  ///< vertex of every unit, and the length
  RowLine line;
  std::vector<LineEdge> edges;       ///< between units
  std::vector<std::int64_t> inside;  ///< [x]: the least weight that x cut
  std::vector<std::uint32_t> sizes;  ///< of zones
  [[nodiscard]] std::size_t count() const { return first.size() - 1; }
  [[nodiscard]] std::vector<std::uint32_t> widths() const;
};

/// Rows as they are. Weights of the line and `inside` in quarters, of the edges not.
struct PlainRows {
  RowLine line;
  std::span<const LineEdge> edges;
  std::span<const std::int64_t> inside;
  std::span<const std::uint32_t> sizes;

  /// With a scale above 1, a divisor of all widths, counts are in wide units.
  [[nodiscard]] RowUnits by(std::vector<std::uint32_t> first, std::size_t scale) const;
};

/// All of this width, a divisor of the length.
[[nodiscard]] std::vector<std::uint32_t> even_units(std::size_t length, std::size_t width);

/// Divided at the places over which the least weight leads, into about so many units.
[[nodiscard]] std::vector<std::uint32_t> natural_units(std::size_t length,
                                                       std::span<const LineEdge> edges,
                                                       std::size_t about);

}  // namespace zonecut
