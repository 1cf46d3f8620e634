#include "starts/equal_rows.hpp"

#include <algorithm>
#include <numeric>

#include "grid/row_model.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {

std::optional<GridTraffic> grid_of_lines(const PartitionProblem& problem) {
  if (problem.coordinates.empty()) return std::nullopt;
  std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  if (grids.size() != 1 || grids[0].vertices() != problem.graph.vertices()) return std::nullopt;
  if (!rows_of_lines(grids[0]) || grids[0].size[1] > EqualRows::kLongest) return std::nullopt;
  return std::move(grids[0]);
}

RowOrder row_order(const GridTraffic& grid) {
  const std::optional<Rows> lines = rows_of_lines(grid);
  ZONECUT_ENSURES(lines);
  RowOrder order{static_cast<std::uint32_t>(grid.vertices() / grid.size[1]), grid.size[1], grid.at};
  if (*lines == Rows::Stages) return order;
  for (std::uint32_t row = 0; row < order.rows; ++row) {
    for (std::uint32_t place = 0; place < order.length; ++place) {
      order.at[row * order.length + place] = grid.at[place * order.rows + row];
    }
  }
  return order;
}

EqualRows::EqualRows(const GridTraffic& grid) : length_(grid.size[1]) {
  const std::optional<Rows> lines = rows_of_lines(grid);
  ZONECUT_ENSURES(lines && length_ <= kLongest);
  const std::size_t across = *lines == Rows::Stages ? 2 : 0;
  rows_ = grid.size[across];
  std::int64_t weight = 0;
  for (const LineEdge& edge : grid.lines) weight += edge.weight;
  constexpr int kBits = 30;
  const std::int64_t heaviest = std::max({weight, grid.step[across], grid.wrap[across]});
  const std::int64_t unit = (heaviest >> kBits) + 1;
  step_ = grid.step[across] / unit;
  wrap_ = grid.wrap[across] / unit;
  const std::size_t width = std::size_t{length_} + 1;
  within_.assign(width * width, 0);
  for (const LineEdge& edge : grid.lines) {
    const std::int64_t each = edge.weight / unit;
    total_ += each;
    within_[edge.low * width + edge.high + 1] += static_cast<std::int32_t>(each);
  }
  // What two shorter intervals have, and what both have only once.
  for (std::size_t begin = length_; begin-- > 0;) {
    for (std::size_t end = begin + 1; end < width; ++end) {
      within_[begin * width + end] += within_[begin * width + end - 1] +
                                      within_[(begin + 1) * width + end] -
                                      within_[(begin + 1) * width + end - 1];
    }
  }
}

std::vector<std::uint32_t> cheapest_places(const EqualRows& rows, std::size_t most) {
  std::vector<std::uint32_t> places(rows.length() - 1);
  std::iota(places.begin(), places.end(), 1U);
  std::ranges::stable_sort(places, {}, [&](std::uint32_t place) { return rows.over(place); });
  if (places.size() > most) places.resize(most);
  return places;
}

}  // namespace zonecut
