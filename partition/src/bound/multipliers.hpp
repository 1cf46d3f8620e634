#pragma once
// What the relaxations of the stronger bounds have in common: their multipliers and how far a
// solution violates what was relaxed.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <vector>

namespace zonecut {

/// Zones and the rows they touch as a graph with an edge for every touch.
struct Incidence {
  std::size_t touches = 0;     ///< edges it has at least
  std::size_t components = 0;  ///< that it has at most
};

struct PieceMultipliers {
  std::vector<double> piece;  ///< by size of the piece (and layer)
  double touch = 0;           ///< per row that a zone touches, at least 0
  double run = 0;             ///< per run of divided rows, from 0 to the relaxation's most_run()
};

/// Of a piece, of either sign.
[[nodiscard]] inline double largest_price(const PieceMultipliers& multipliers) {
  double largest = 0;
  for (const double each : multipliers.piece) largest = std::max(largest, std::abs(each));
  return largest;
}

/// A subgradient of the bound.
struct PieceViolation {
  std::vector<double> piece;
  double touch = 0;
  double run = 0;
};

}  // namespace zonecut
