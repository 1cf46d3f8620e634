#include "grid/row_cut.hpp"

#include <cstdint>
#include <vector>

#include "grid/line_cut.hpp"
#include "partition/bound/enumerated_cuts.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;
using fixture::between;
using fixture::enumerated_cuts;

TEST_CASE("the least cuts of a row are those of enumeration", "[partition]") {
  Random random(3);
  for (int i = 0; i < 60; ++i) {
    const std::size_t cells = 2 + random.below(3);
    const std::size_t size = 2 + random.below(2);
    const auto step = static_cast<std::int64_t>(random.below(9));
    const auto closing = size > 2 ? static_cast<std::int64_t>(random.below(9)) : 0;
    const auto chain = static_cast<std::int64_t>(random.below(9));
    std::vector<LineEdge> edges;
    for (std::size_t c = 0; c < cells; ++c) {
      for (std::size_t k = 0; k + 1 < size; ++k) {
        edges.push_back(between(c * size + k, c * size + k + 1, step));
      }
      if (size > 2) edges.push_back(between(c * size + size - 1, c * size, closing));
      edges.push_back(between(c * size + size - 1, (c + 1) % cells * size, chain));
    }
    const auto expected = enumerated_cuts(cells * size, edges);
    CHECK(least_cuts(ChainOfRings{cells, size, step, closing, chain}) == expected);
    CHECK(least_cuts(cells * size, edges) == expected);
  }
}

TEST_CASE("cells of a ring cut no more than enumeration finds", "[partition]") {
  Random random(4);
  for (int i = 0; i < 40; ++i) {
    const std::size_t cells = 3 + random.below(2);
    const std::size_t size = 2 + random.below(2);
    const auto clique = static_cast<std::int64_t>(random.below(9));
    const auto slope = static_cast<std::int64_t>(random.below(9));
    std::vector<LineEdge> edges;
    for (std::size_t c = 0; c < cells; ++c) {
      for (std::size_t k = 0; k < size; ++k) {
        for (std::size_t h = k + 1; h < size; ++h) {
          edges.push_back(between(c * size + k, c * size + h, clique));
        }
        edges.push_back(between(c * size + k, (c + 1) % cells * size + k, slope));
      }
    }
    const auto cell = [&](std::size_t k) {
      return clique * static_cast<std::int64_t>(k * (size - k));
    };
    const auto bound = least_cuts(CellRing{cells, size, cell, slope, 0});
    CHECK(bound == enumerated_cuts(cells * size, edges));
  }
}
