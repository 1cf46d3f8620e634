#pragma once
// Small rows of ranks, and the least cuts of their parts found the long way, independent of the
// code under test.
#include <cstdint>
#include <span>
#include <vector>

#include "grid/grid_traffic.hpp"

namespace zonecut::fixture {

[[nodiscard]] LineEdge between(std::size_t u, std::size_t v, std::int64_t weight);

/// The least that x vertices cut, x = 0 … all, by plain enumeration. Where there are prices the
/// vertices are cells of price.size() - 1 each, one after the other, and a cell with k of its
/// vertices taken adds price[k]. For at most about 16 vertices.
[[nodiscard]] std::vector<std::int64_t> enumerated_cuts(std::size_t vertices,
                                                        std::span<const LineEdge> edges,
                                                        std::span<const std::int64_t> price = {});

}  // namespace zonecut::fixture
