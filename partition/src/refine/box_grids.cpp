#include "refine/box_grids.hpp"

#include <algorithm>
#include <array>

namespace zonecut {
namespace {

constexpr std::size_t kAxes = 3;

/// Vertices with the same axes.
struct Members {
  std::vector<std::uint32_t> vertices;
  std::array<std::size_t, kAxes> size{1, 1, 1};
};

std::array<Members, 1 << kAxes> members_by_axes(std::span<const Coordinates> coordinates) {
  std::array<Members, 1 << kAxes> all;
  for (std::uint32_t v = 0; v < coordinates.size(); ++v) {
    std::size_t axes = 0;
    for (std::size_t a = 0; a < kAxes; ++a) axes |= std::size_t{coordinates[v][a] >= 0} << a;
    Members& members = all[axes];
    members.vertices.push_back(v);
    for (std::size_t a = 0; a < kAxes; ++a) {
      const auto places = static_cast<std::size_t>(std::max(0, coordinates[v][a])) + 1;
      members.size[a] = std::max(members.size[a], places);
    }
  }
  return all;
}

bool is_full(const Members& members) {
  std::size_t places = 1;
  for (const std::size_t size : members.size) {
    if (places > members.vertices.size() / size) return false;
    places *= size;
  }
  return places == members.vertices.size();
}

void add(const Members& members, std::span<const Coordinates> coordinates, std::uint32_t number,
         BoxGrids& grids) {
  std::size_t axis = kAxes - 1;
  while (axis > 0 && members.size[axis] == 1) --axis;
  const std::size_t rows = members.size[axis];
  const std::size_t columns = members.vertices.size() / rows;
  const std::size_t first_row = grids.rows.size();
  const std::size_t first = grids.vertex_at.size();
  grids.vertex_at.resize(first + members.vertices.size(), BoxGrids::kNowhere);
  for (const std::uint32_t v : members.vertices) {
    std::size_t column = 0;
    for (std::size_t a = kAxes; a-- > 0;) {
      if (a == axis) continue;
      column = column * members.size[a] + static_cast<std::size_t>(std::max(0, coordinates[v][a]));
    }
    const auto row = static_cast<std::size_t>(std::max(0, coordinates[v][axis]));
    grids.vertex_at[first + row * columns + column] = v;
    grids.place[v] = {static_cast<std::uint32_t>(first_row + row),
                      static_cast<std::uint32_t>(column)};
  }
  for (std::size_t r = 0; r < rows; ++r) {
    grids.rows.push_back({number, static_cast<std::uint32_t>(first + r * columns),
                          static_cast<std::uint32_t>(columns)});
  }
}

/// Two vertices may have the same coordinates.
bool has_hole(const BoxGrids& grids) {
  return std::ranges::find(grids.vertex_at, BoxGrids::kNowhere) != grids.vertex_at.end();
}

}  // namespace

BoxGrids box_grids(std::span<const Coordinates> coordinates) {
  BoxGrids grids;
  grids.place.resize(coordinates.size());
  std::uint32_t number = 0;
  for (const Members& members : members_by_axes(coordinates)) {
    if (!members.vertices.empty() && is_full(members)) add(members, coordinates, number++, grids);
  }
  if (has_hole(grids)) return {};
  return grids;
}

}  // namespace zonecut
