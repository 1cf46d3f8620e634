#pragma once
// A grid of traffic seen as equal rows: what it costs a zone to hold some vertices of a row, and to
// end between rows. All bounds are computed on this. Weights count in quarters of a unit, so that
// halves of halves stay whole.
#include <cstdint>
#include <string>
#include <vector>

#include "grid_traffic.hpp"

namespace zonecut {

struct RowModel {
  std::size_t rows = 0;    ///< in cyclic order
  std::size_t length = 0;  ///< vertices of a row
  std::vector<std::int64_t> inside;  ///< [x]: least weight that a set of x vertices of a row cuts
  std::vector<std::int64_t> across;  ///< [m]: half the weight at both ends of a run of rows in which
                                     ///< a zone has at most m vertices
  std::int64_t per_divided_row = 0;  ///< what the cut of a row that several zones share lacks
                                     ///< against a cycle
  std::int64_t deduction = 0;        ///< what the whole cut lacks against rows in cyclic order
  std::string name;
};

/// Every way to see the grid; any of them gives a bound.
[[nodiscard]] std::vector<RowModel> row_models(const GridTraffic& grid);

}  // namespace zonecut
