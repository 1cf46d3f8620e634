#include "starts/line_layout.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <tuple>

#include "starts/line_sweeps.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNoGrid = std::numeric_limits<std::uint32_t>::max();

/// Vertices of one grid and how far each axis goes.
struct Members {
  std::uint32_t number;  ///< of the grid
  std::vector<std::uint32_t> vertices;
  std::array<std::uint32_t, 3> size{};
};

class LayoutBuilder {
 public:
  LayoutBuilder(const CommunicationGraph& graph, std::span<const Coordinates> coordinates)
      : graph_(graph), coordinates_(coordinates), grid_of_(graph.vertices(), kNoGrid) {
    layout_.place.resize(graph.vertices());
  }

  LineLayout build() {
    for (const Members& grid : grids()) add(grid, best_course(grid));
    return std::move(layout_);
  }

  std::optional<LineLayout> build_jointly() {
    const std::vector<Members> separate = grids();
    if (separate.size() < 2) return std::nullopt;
    for (const std::size_t axis : {1u, 0u, 2u}) {
      const auto lacks = [&](const Coordinates& c) { return c[axis] < 0; };
      if (std::ranges::any_of(coordinates_, lacks)) continue;
      Members all{0, {}, {}};
      for (const Members& grid : separate) {
        all.vertices.insert(all.vertices.end(), grid.vertices.begin(), grid.vertices.end());
        all.size[axis] = std::max(all.size[axis], grid.size[axis]);
      }
      add(all, {.axis = axis});
      Grid& grid = layout_.grids.back();
      for (LineLayout::Line& line : layout_.lines) {
        const std::uint32_t own = separate[grid_of_[layout_.vertex(line, line.begin)]].size[axis];
        line.stretch = std::max(1u, all.size[axis] / own);
        grid.stretched |= line.stretch > 1;
      }
      return std::move(layout_);
    }
    return std::nullopt;
  }

 private:
  using Grid = LineLayout::Grid;

  [[nodiscard]] static unsigned axes(const Coordinates& c) {
    return (c[0] >= 0 ? 1u : 0u) | (c[1] >= 0 ? 2u : 0u) | (c[2] >= 0 ? 4u : 0u);
  }
  /// An axis that does not apply counts as the lowest place of all.
  [[nodiscard]] std::uint32_t at(std::uint32_t v, std::size_t axis) const {
    return static_cast<std::uint32_t>(coordinates_[v][axis] + 1);
  }
  /// A vertex to which no axis applies is the first of a line.
  [[nodiscard]] std::uint32_t position(std::uint32_t v, const LineCourse& course) const {
    if (at(v, course.axis) == 0) return 0;
    return at(v, course.axis) - 1 + (course.merged ? course.block * (at(v, 1) - 1) : 0);
  }
  /// The axes that tell lines apart.
  [[nodiscard]] std::pair<std::uint32_t, std::uint32_t> row(std::uint32_t v,
                                                            const LineCourse& course) const {
    if (course.merged) return {0, at(v, 2)};
    return {at(v, course.axis == 0 ? 1 : 0), at(v, course.axis == 2 ? 1 : 2)};
  }

  std::vector<Members> grids() {
    std::vector<Members> result;
    std::array<std::uint32_t, 8> number;
    number.fill(kNoGrid);
    for (std::uint32_t v = 0; v < coordinates_.size(); ++v) {
      std::uint32_t& grid = number[axes(coordinates_[v])];
      if (grid == kNoGrid) {
        grid = static_cast<std::uint32_t>(result.size());
        result.push_back({grid, {}, {}});
      }
      result[grid].vertices.push_back(v);
      grid_of_[v] = grid;
      for (std::size_t axis = 0; axis < 3; ++axis) {
        std::uint32_t& size = result[grid].size[axis];
        size = std::max(size, at(v, axis));
      }
    }
    return result;
  }

  /// Do the last of a group of axis 0 and the first of the next exchange anything, as a rule?
  [[nodiscard]] bool chained(const Members& grid) const {
    if (grid.size[0] < 3 || grid.size[1] < 2) return false;
    // Grids with hardly a place taken are none, and positions must stay numbers.
    if (std::uint64_t{grid.size[0]} * grid.size[1] > 2 * coordinates_.size()) return false;
    std::size_t chain = 0;
    for (const std::uint32_t v : grid.vertices) {
      if (at(v, 0) != grid.size[0]) continue;
      for (const auto& [u, weight] : graph_.neighbours(v)) {
        chain += grid_of_[u] == grid.number && at(u, 0) == 1 && at(u, 2) == at(v, 2) &&
                 at(u, 1) == at(v, 1) + 1;
      }
    }
    return 2 * chain * grid.size[0] >= grid.vertices.size() * (grid.size[1] - 1) / grid.size[1];
  }

  [[nodiscard]] LineCourse best_course(const Members& grid) const {
    LineCourse best;
    std::size_t least = std::numeric_limits<std::size_t>::max();
    const auto consider = [&](const LineCourse& course) {
      const std::size_t cost = evaluation_cost(grid, course);
      if (cost < least) {
        least = cost;
        best = course;
      }
    };
    if (chained(grid)) consider({.axis = 0, .merged = true, .block = grid.size[0]});
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (grid.size[axis] > 1) consider({.axis = axis});
    }
    // A single place: one line for each vertex, along an axis that applies.
    while (grid.size[best.axis] == 0 && best.axis < 2) ++best.axis;
    return best;
  }

  /// What it costs, roughly, to weigh one region: lines, links between lines, loose edges.
  [[nodiscard]] std::size_t evaluation_cost(const Members& grid, const LineCourse& course) const {
    const std::size_t length =
        course.merged ? std::size_t{grid.size[0]} * grid.size[1] : grid.size[course.axis];
    std::size_t level = 0;
    std::size_t loose = 0;
    for (const std::uint32_t v : grid.vertices) {
      for (const auto& [u, weight] : graph_.neighbours(v)) {
        if (u < v || grid_of_[u] != grid.number || row(u, course) == row(v, course)) continue;
        ++(position(u, course) == position(v, course) ? level : loose);
      }
    }
    return (grid.vertices.size() + level) / length + 8 * loose;
  }

  void add(const Members& grid, const LineCourse& course) {
    std::vector<std::uint32_t> sorted = grid.vertices;
    std::ranges::sort(sorted, {}, [&](std::uint32_t v) {
      const auto [first, second] = row(v, course);
      return std::tuple(second, first, position(v, course), v);
    });
    const auto first_line = static_cast<std::uint32_t>(layout_.lines.size());
    std::vector<LineKey> keys;
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      const std::uint32_t v = sorted[i];
      const std::uint32_t p = position(v, course);
      const bool next =
          i > 0 && row(v, course) == row(sorted[i - 1], course) && p == layout_.lines.back().end;
      if (!next) {
        layout_.lines.push_back({p, p, static_cast<std::uint32_t>(layout_.vertex_at.size())});
        const auto [first, second] = row(v, course);
        keys.push_back({{first, second}, p});
      }
      layout_.place[v] = {static_cast<std::uint32_t>(layout_.lines.size() - 1), p};
      layout_.lines.back().end = p + 1;
      layout_.vertex_at.push_back(v);
    }
    const auto lines = static_cast<std::uint32_t>(layout_.lines.size()) - first_line;
    layout_.grids.push_back(
        {first_line, lines, static_cast<std::uint32_t>(sorted.size()), line_sweeps(keys, course)});
  }

  const CommunicationGraph& graph_;
  std::span<const Coordinates> coordinates_;
  std::vector<std::uint32_t> grid_of_;
  LineLayout layout_;
};

}  // namespace

LineLayout lay_out_lines(const CommunicationGraph& graph,
                         std::span<const Coordinates> coordinates) {
  return LayoutBuilder(graph, coordinates).build();
}

std::optional<LineLayout> lay_out_jointly(const CommunicationGraph& graph,
                                          std::span<const Coordinates> coordinates) {
  return LayoutBuilder(graph, coordinates).build_jointly();
}

}  // namespace zonecut
