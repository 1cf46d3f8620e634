#include "partition/bound/enumerated_cuts.hpp"

#include <algorithm>
#include <bit>
#include <limits>

namespace zonecut::fixture {
namespace {

/// What a set of vertices, one bit each, adds cell by cell.
std::int64_t price_of(std::uint32_t set, std::size_t vertices,
                      std::span<const std::int64_t> price) {
  if (price.empty()) return 0;
  const std::size_t size = price.size() - 1;
  std::int64_t sum = 0;
  for (std::size_t first = 0; first < vertices; first += size) {
    const std::uint32_t cell = set >> first & ((1U << size) - 1);
    sum += price[static_cast<std::size_t>(std::popcount(cell))];
  }
  return sum;
}

}  // namespace

LineEdge between(std::size_t u, std::size_t v, std::int64_t weight) {
  const auto [low, high] = std::minmax(u, v);
  return {static_cast<std::uint32_t>(low), static_cast<std::uint32_t>(high), weight};
}

std::vector<std::int64_t> enumerated_cuts(std::size_t vertices, std::span<const LineEdge> edges,
                                          std::span<const std::int64_t> price) {
  std::vector<std::int64_t> least(vertices + 1, std::numeric_limits<std::int64_t>::max());
  for (std::uint32_t set = 0; set < 1U << vertices; ++set) {
    std::int64_t cost = price_of(set, vertices, price);
    for (const auto& [low, high, weight] : edges) {
      if ((set >> low & 1) != (set >> high & 1)) cost += weight;
    }
    std::int64_t& entry = least[static_cast<std::size_t>(std::popcount(set))];
    entry = std::min(entry, cost);
  }
  return least;
}

}  // namespace zonecut::fixture
