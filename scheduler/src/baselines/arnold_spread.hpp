#pragma once
// The placement of Arnold (arXiv 2509.15940): which minipod, for us zone, each server's worth of
// ranks goes to, so that α · the most zones of any data-parallel group + β · the most zones of any
// pipeline group is small. Published as an integer program; here a rule that tries grids
// (docs/baselines.md). It knows no bytes, no links and nothing below the zone.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"

namespace zonecut {

/// A job as Arnold sees it: vertices in rows, its data-parallel groups, and in columns, its
/// pipeline groups. Numbered from 0 by first vertex.
struct GroupGrid {
  std::vector<std::uint32_t> row;     ///< by vertex
  std::vector<std::uint32_t> column;  ///< by vertex
  std::uint32_t rows = 0;
  std::uint32_t columns = 0;
};

/// Vertices whose ranks meet in a group of the phase "dp" share a row, in one of "pp" a column. A
/// vertex without such a group has one of its own. O(members).
[[nodiscard]] GroupGrid group_grid(const Traffic& traffic);

struct ArnoldPlan {
  std::vector<std::uint32_t> zone;  ///< by vertex
  std::uint32_t row_spread = 0;     ///< the most zones of a row
  std::uint32_t column_spread = 0;
};

/// With α = β. `room` in vertices by zone; none where it is too little. The grid is cut into equal
/// bands of columns, or of rows, in any number. Each band is walked along, one piece (what one row,
/// or column, has of it) after the other, and zones are filled in that order: whole, or up to a
/// multiple of one piece or of any number of pieces that divides the band. The least
/// row_spread + column_spread wins, then the least sum over all rows and columns, then the fewest
/// zones. Never better than the integer program. Sorts the vertices for every width of bands, and
/// goes through them for every divisor.
[[nodiscard]] std::optional<ArnoldPlan> arnold_plan(const GroupGrid& grid,
                                                    std::span<const std::size_t> room);

}  // namespace zonecut
