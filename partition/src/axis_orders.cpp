#include "axis_orders.hpp"

#include <algorithm>
#include <array>
#include <numeric>

namespace zonecut {
namespace {

/// Axes on which vertices differ at all.
std::vector<std::size_t> live_axes(std::span<const Coordinates> coordinates) {
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < 3; ++axis) {
    const auto differs = [&](const Coordinates& c) { return c[axis] != coordinates[0][axis]; };
    if (std::ranges::any_of(coordinates, differs)) axes.push_back(axis);
  }
  return axes;
}

Sweep sweep(std::span<const Coordinates> coordinates, std::span<const std::size_t> axes,
            bool inner_downwards) {
  std::vector<std::uint32_t> order(coordinates.size());
  std::iota(order.begin(), order.end(), 0u);
  const auto before = [&](std::uint32_t u, std::uint32_t v) {
    for (std::size_t k = 0; k < axes.size(); ++k) {
      const int x = coordinates[u][axes[k]];
      const int y = coordinates[v][axes[k]];
      if (x != y) return (x < y) != (k > 0 && inner_downwards);
    }
    return u < v;
  };
  std::ranges::sort(order, before);
  Sweep rank(order.size());
  for (std::uint32_t i = 0; i < order.size(); ++i) rank[order[i]] = i;
  return rank;
}

}  // namespace

std::vector<Sweep> sweeps(std::size_t vertices, std::span<const Coordinates> coordinates) {
  std::vector<Sweep> result;
  if (coordinates.empty() || vertices == 0) {
    result.emplace_back(vertices);
    std::iota(result.back().begin(), result.back().end(), 0u);
    return result;
  }
  std::vector<std::size_t> axes = live_axes(coordinates);
  do {
    result.push_back(sweep(coordinates, axes, false));
    if (axes.size() > 1) result.push_back(sweep(coordinates, axes, true));
  } while (std::ranges::next_permutation(axes).found);
  return result;
}

}  // namespace zonecut
