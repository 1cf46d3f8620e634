#pragma once
// The least weight that x vertices of a row cut inside it, for every x: rows that are rings of
// cells, where a cell is a ring or clique of its own. Each is a shortest closed walk.
#include <cstdint>
#include <functional>
#include <vector>

namespace zonecut {

using CutBySize = std::vector<std::int64_t>;  ///< [x], x = 0 … length of the row

/// A ring of `cells` of `size` vertices: taking k of a cell cuts cell(k) inside; neighbours of
/// which k and k' are taken cut slope·|k−k'|, and `chain` more where one is empty and the other
/// full. A cell's price, of either sign, is added to what it cuts. O(cells² · size³); beyond
/// 6·10⁷ steps the ring is taken as open.
struct CellRing {
  std::size_t cells = 0;
  std::size_t size = 0;
  std::function<std::int64_t(std::size_t)> cell;
  std::int64_t slope = 0;
  std::int64_t chain = 0;
  std::vector<std::int64_t> price{};  ///< [k] of a cell of which k are taken; empty: none
  std::int64_t lacking = 0;  ///< of the slope between the last cell and the first, where there are
                             ///< more than two
  std::int64_t end_price = 0;  ///< of each vertex of the first cell and of the last, added to what
                               ///< is cut; for more than two cells
};
[[nodiscard]] CutBySize least_cuts(const CellRing& ring);

/// The same, and of a walk that is as short how many cells have k vertices taken.
struct CountedCuts {
  CutBySize cut;
  std::vector<std::uint32_t> cells;  ///< [x · (size + 1) + k]
};
[[nodiscard]] CountedCuts counted_cuts(const CellRing& ring);
/// Of counted_cuts, of cells in a ring or in a path.
[[nodiscard]] std::size_t counted_steps(std::size_t cells, std::size_t size, bool ring);

/// Cells are paths of weight `step`, closed by an edge `closing`; a chain joins the last vertex of
/// each cell to the first of the next, around the ring. O((cells · size)²).
struct ChainOfRings {
  std::size_t cells = 0;
  std::size_t size = 0;
  std::int64_t step = 0;
  std::int64_t closing = 0;
  std::int64_t chain = 0;
  std::vector<std::int64_t> price{};  ///< [k] of a cell of which k are taken; empty: none
};
[[nodiscard]] CutBySize least_cuts(const ChainOfRings& chain);

}  // namespace zonecut
