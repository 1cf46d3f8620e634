#pragma once
// The orders in which a grid of lines can be swept: an outer axis, within it a middle one, within
// that the innermost; each axis upwards, or the inner ones downwards.
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "starts/line_layout.hpp"

namespace zonecut {

/// What runs along the lines: one axis, or axes 0 and 1 together in groups of `block`.
struct LineCourse {
  std::size_t axis = 0;
  bool merged = false;
  std::uint32_t block = 1;
};

/// Where a line stands: its two other coordinates in ascending order of the axes, and its begin.
struct LineKey {
  std::array<std::uint32_t, 2> row;
  std::uint32_t begin;
};

/// All sweeps that differ, at most 18.
[[nodiscard]] std::vector<LineSweep> line_sweeps(std::span<const LineKey> lines,
                                                 const LineCourse& course);

}  // namespace zonecut
