#pragma once
// Coordinates seen as lines: which axis runs along them, and in which orders the lines can be
// swept. Vertices with different sets of axes (encoder and decoder of a multimodal job) form a grid
// each. A line is a run of positions without a hole, so grids need not be full.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "partition_problem.hpp"

namespace zonecut {

/// One order in which a grid can be swept: plane after plane; within a plane by blocks of
/// positions, within a block line by line, within a line by position.
struct LineSweep {
  std::vector<std::uint32_t> line;       ///< of the grid, counted from its first
  std::vector<std::uint32_t> plane_end;  ///< into `line`
  std::uint32_t block = 1;               ///< positions that are filled line by line
  bool downwards = false;                ///< positions from the highest to the lowest
};

struct LineLayout {
  struct Place {
    std::uint32_t line, position;
  };
  struct Line {
    std::uint32_t begin, end;    ///< positions
    std::uint32_t first_vertex;  ///< where `begin` stands in vertex_at
    std::uint32_t stretch = 1;   ///< steps of the grid's common scale from one position to the next
    [[nodiscard]] std::uint32_t length() const noexcept { return end - begin; }
  };
  struct Grid {
    std::uint32_t first_line, lines, vertices;
    std::vector<LineSweep> sweeps;
    bool stretched = false;  ///< some line is
  };

  std::vector<Grid> grids;
  std::vector<Line> lines;
  std::vector<std::uint32_t> vertex_at;
  std::vector<Place> place;  ///< by vertex

  [[nodiscard]] std::uint32_t vertex(const Line& line, std::uint32_t position) const {
    return vertex_at[line.first_vertex + position - line.begin];
  }
};

/// Lines run along the axis that leaves fewest lines and fewest edges that neither stay in a line
/// nor join equal positions. Where groups of axis 0 form a chain (context-parallel rings, expert
/// cliques), axes 0 and 1 may make one line together. O(edges + vertices log vertices).
[[nodiscard]] LineLayout lay_out_lines(const CommunicationGraph& graph,
                                       std::span<const Coordinates> coordinates);

/// All vertices as one grid whose lines run along an axis that applies to all; shorter lines are
/// stretched to the length of the longest, so that a share of the one faces the same share of the
/// other. None where there is only one set of axes, or no such axis.
[[nodiscard]] std::optional<LineLayout> lay_out_jointly(const CommunicationGraph& graph,
                                                        std::span<const Coordinates> coordinates);

}  // namespace zonecut
