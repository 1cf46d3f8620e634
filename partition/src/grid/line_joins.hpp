#pragma once
// How what the halves of a part of a line cut makes up what the part does, state by state
// (line_parts.hpp). A state of some vertices says which of them belong to a set, the first one in
// the lowest bit.
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/line_parts.hpp"

namespace zonecut {

struct LineJoin {
  /// To a state of what is seen of a half, from one of its open vertices.
  struct Way {
    std::uint32_t to = 0;
    std::uint32_t from = 0;
    std::int64_t cut = 0;  ///< of edges between its hidden vertices and the other half
  };
  /// To a state of the part's open vertices, from what is seen of the halves.
  struct Pair {
    std::uint32_t to = 0;
    std::array<std::uint32_t, 2> from{};
    std::int64_t cut = 0;  ///< of edges between known vertices
  };
  std::array<std::vector<Way>, 2> ways;  ///< in order of `to`
  std::vector<Pair> pairs;               ///< in order of `to`
};

/// By part; that of a single vertex has none. O(2^known and 2^(seen + hidden) of all parts).
[[nodiscard]] std::vector<LineJoin> line_joins(std::span<const LinePart> parts);

}  // namespace zonecut
