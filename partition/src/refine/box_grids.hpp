#pragma once
// Vertices at places of rows and columns, for exchanges of boxes. Rows are the stages of a
// pipeline, or else the places of the outermost axis that applies.
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

struct BoxGrids {
  static constexpr std::uint32_t kNowhere = std::numeric_limits<std::uint32_t>::max();
  struct Row {
    std::uint32_t grid = 0;
    std::uint32_t first = 0;  ///< its first vertex in vertex_at
    std::uint32_t length = 0;
  };
  struct Place {
    std::uint32_t row = kNowhere;
    std::uint32_t column = 0;
  };
  std::vector<Row> rows;  ///< those of one grid side by side, of one length
  std::vector<std::uint32_t> vertex_at;
  std::vector<Place> place;  ///< by vertex

  [[nodiscard]] std::uint32_t vertex(std::size_t row, std::size_t column) const {
    return vertex_at[rows[row].first + column];
  }
};

/// A grid for each set of axes that apply, such as encoder and decoder of a multimodal job; those
/// whose vertices do not fill one have no place. O(vertices).
[[nodiscard]] BoxGrids box_grids(std::span<const Coordinates> coordinates);

}  // namespace zonecut
