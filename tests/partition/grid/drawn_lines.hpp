#pragma once
// Lines of ranks, and pieces that divide them, drawn at random.
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "partition/bound/enumerated_cuts.hpp"
#include "traffic/binary_tree.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut::fixture {

inline std::int64_t below(Random& random, std::uint64_t most) {
  return static_cast<std::int64_t>(random.below(most));
}

/// Every edge of both trees.
inline std::vector<LineEdge> double_tree(std::size_t ranks, std::int64_t weight) {
  std::vector<LineEdge> edges;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (const auto up = tree_parent(rank, ranks)) edges.push_back(between(rank, *up, weight));
    if (const auto up = second_tree_parent(rank, ranks)) {
      edges.push_back(between(rank, *up, weight));
    }
  }
  return edges;
}

/// The trees of a collective, or any graph.
inline std::vector<LineEdge> draw_lines(Random& random, std::size_t ranks) {
  if (random.below(2) == 0) return double_tree(ranks, 1 + below(random, 20));
  std::vector<LineEdge> edges{between(0, ranks - 1, 1 + below(random, 9))};
  for (std::size_t e = 0; e < 2 * ranks; ++e) {
    const std::size_t u = random.below(ranks);
    const std::size_t v = random.below(ranks);
    if (u != v) edges.push_back(between(u, v, below(random, 9)));
  }
  return edges;
}

/// So many of one vertex at least that add up to the length.
inline std::vector<std::uint32_t> draw_pieces(Random& random, std::size_t length,
                                              std::size_t count) {
  std::vector<std::uint32_t> pieces(count, 1);
  for (std::size_t i = count; i < length; ++i) ++pieces[random.below(count)];
  return pieces;
}

/// Of a set of vertices, one a bit.
inline std::int64_t cut_of(std::uint32_t set, const std::vector<LineEdge>& edges) {
  std::int64_t cut = 0;
  for (const LineEdge& e : edges) {
    if ((set >> e.low & 1U) != (set >> e.high & 1U)) cut += e.weight;
  }
  return cut;
}

/// Of places, some below 0, small or large beside weights.
inline std::vector<double> draw_prices(Random& random, std::size_t count) {
  const std::uint64_t span = std::array<std::uint64_t, 4>{1, 20, 200, 3000}[random.below(4)];
  std::vector<double> prices(count, 0);
  for (double& price : prices) {
    price = static_cast<double>(random.below(4 * span)) / 4 - static_cast<double>(span) / 3;
  }
  return prices;
}

}  // namespace zonecut::fixture
