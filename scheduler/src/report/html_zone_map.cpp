// The map of a large cluster: one cell a server, racks side by side. Equal neighbours are one path
// each, so the file stays small, and a pattern laid over them draws the gaps between cells.
//
//   rack  1 2 3 4 5 6 …          a rack of up to eight servers is one column,
//         A A A A B B            a larger one a block of columns with a gap after it
//         A A A . B B
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

constexpr std::size_t kCell = 8;              // user units, the size of the patterns
constexpr std::size_t kTallestRack = 8;       // servers one above the other
constexpr std::size_t kRoomyGrid = 32;        // columns up to which every cell holds a letter
constexpr std::size_t kTitledServers = 8192;  // above this, what to read on pointing is left out

/// How the racks of all zones lie, the same for every zone so that cells have one size.
struct Grid {
  std::size_t rows = 1;     ///< servers one above the other
  std::size_t columns = 1;  ///< of one rack
  std::size_t stride = 1;   ///< from rack to rack, a gap included
  std::size_t racks_a_line = 1;
  [[nodiscard]] std::size_t width() const { return racks_a_line * stride; }
  [[nodiscard]] std::size_t line_height() const { return rows + 1; }
};

Grid grid_of(const ClusterMap& map) {
  std::size_t servers = 1;
  std::size_t racks = 1;
  for (const MapZone& zone : map.zones) {
    racks = std::max(racks, zone.racks.size());
    for (const MapRack& rack : zone.racks) servers = std::max(servers, rack.servers.size());
  }
  Grid grid;
  grid.rows = std::min(servers, kTallestRack);
  grid.columns = (servers + grid.rows - 1) / grid.rows;
  grid.stride = grid.columns > 1 ? grid.columns + 1 : 1;
  const std::size_t total = racks * grid.stride;
  const std::size_t most = grid.rows == 1 ? 48 : 96;
  const std::size_t lines = (total + most - 1) / most;
  const std::size_t width = std::max<std::size_t>(24, (total + lines - 1) / lines);
  grid.racks_a_line = std::max<std::size_t>(1, (width + grid.stride - 1) / grid.stride);
  return grid;
}

/// What a cell shows: a use, or a group when ours. Ordered so that output is.
using Look = std::pair<Use, std::uint8_t>;

std::string style_of(const Look& look) {
  switch (look.first) {
    case Use::Free:
      return "free";
    case Use::Partly:
      return "partly";
    case Use::Others:
      return "others";
    case Use::Unavailable:
      return "unavailable";
    case Use::Ours:
      return fmt::format("g{}", look.second);
  }
  return {};
}

/// One line of racks as rows of cells.
using Cells = std::vector<std::vector<std::optional<Look>>>;

Cells cells_of_line(const MapZone& zone, const Grid& grid, std::size_t first_rack) {
  Cells cells(grid.rows, std::vector<std::optional<Look>>(grid.width()));
  const std::size_t end = std::min(first_rack + grid.racks_a_line, zone.racks.size());
  for (std::size_t r = first_rack; r < end; ++r) {
    const auto& servers = zone.racks[r].servers;
    for (std::size_t s = 0; s < servers.size(); ++s) {
      const std::size_t column = (r - first_rack) * grid.stride + s / grid.rows;
      const std::uint8_t group = servers[s].use == Use::Ours ? servers[s].group : std::uint8_t{0};
      cells[s % grid.rows][column] = Look{servers[s].use, group};
    }
  }
  return cells;
}

/// Equal neighbours of a row as one rectangle each, gathered by look.
void add_runs(const Cells& cells, std::size_t top, std::map<Look, std::string>& paths) {
  for (std::size_t row = 0; row < cells.size(); ++row) {
    const auto& line = cells[row];
    for (std::size_t x = 0; x < line.size();) {
      std::size_t end = x + 1;
      while (end < line.size() && line[end] == line[x]) ++end;
      if (line[x]) {
        const std::size_t length = (end - x) * kCell;
        paths[*line[x]] +=
            fmt::format("M{} {}h{}v{}h-{}z", x * kCell, (top + row) * kCell, length, kCell, length);
      }
      x = end;
    }
  }
}

/// The group a whole column belongs to.
std::optional<std::uint8_t> group_of_column(const Cells& cells, std::size_t x) {
  std::optional<std::uint8_t> group;
  for (const auto& row : cells) {
    if (!row[x]) continue;
    if (row[x]->first != Use::Ours || (group && *group != row[x]->second)) return std::nullopt;
    group = row[x]->second;
  }
  return group;
}

/// A letter in the middle of every run of columns of one group that has room for it.
void write_letters(Markup& out, const Cells& cells, std::size_t top, const RankGroups& groups) {
  const std::size_t needed = cells.size() == 1 ? 1 : 2;
  for (std::size_t x = 0; x < cells.front().size();) {
    const auto group = group_of_column(cells, x);
    std::size_t end = x + 1;
    while (end < cells.front().size() && group && group_of_column(cells, end) == group) ++end;
    if (group && end - x >= needed) {
      const double middle_x = static_cast<double>((x + end) * kCell) / 2;
      const double size = cells.size() == 1 ? 7 : 12;
      const double baseline =
          static_cast<double>((2 * top + cells.size()) * kCell) / 2 + size * 0.36;
      out.element("text", groups.entries[*group].letter,
                  {{"x", fmt::format("{:.1f}", middle_x - 0.5)},
                   {"y", fmt::format("{:.1f}", baseline - 0.5)},
                   {"font-size", fmt::format("{:.0f}", size)},
                   {"class", fmt::format("on on{}", *group)}});
    }
    x = end;
  }
}

/// In a roomy grid row by row; else over the columns, where a single row of cells is too low.
void write_line_letters(Markup& out, const Cells& cells, std::size_t top,
                        const RankGroups& groups) {
  if (cells.front().size() > kRoomyGrid) {
    write_letters(out, cells, top, groups);
    return;
  }
  for (std::size_t row = 0; row < cells.size(); ++row)
    write_letters(out, Cells{cells[row]}, top + row, groups);
}

/// Pixels a zone wants at least: large cells where there are few.
std::size_t least_width(const Grid& grid) {
  const std::size_t tenths_a_cell = grid.width() <= kRoomyGrid ? 130 : grid.width() <= 64 ? 90 : 65;
  return std::max<std::size_t>(grid.width() * tenths_a_cell / 10, 240);
}

std::string rack_title(const MapRack& rack) {
  std::string title = rack.name;
  for (const MapServer& server : rack.servers)
    title += fmt::format("\n{}: {}", server.name, server.note);
  return title;
}

void write_titles(Markup& out, const MapZone& zone, const Grid& grid) {
  for (std::size_t r = 0; r < zone.racks.size(); ++r) {
    const std::size_t x = (r % grid.racks_a_line) * grid.stride * kCell;
    const std::size_t y = (r / grid.racks_a_line) * grid.line_height() * kCell;
    out.open("rect", {{"class", "hit"},
                      {"x", fmt::format("{}", x)},
                      {"y", fmt::format("{}", y)},
                      {"width", fmt::format("{}", grid.columns * kCell)},
                      {"height", fmt::format("{}", grid.rows * kCell)}});
    out.element("title", rack_title(zone.racks[r])).close();
  }
}

void write_cells(Markup& out, const MapZone& zone, const Grid& grid, const RankGroups& groups,
                 bool titled) {
  const std::size_t lines = (zone.racks.size() + grid.racks_a_line - 1) / grid.racks_a_line;
  if (lines == 0) return;
  const std::size_t height = (lines * grid.line_height() - 1) * kCell;
  out.open("svg", {{"class", "cells"},
                   {"role", "img"},
                   {"viewBox", fmt::format("0 0 {} {}", grid.width() * kCell, height)}});
  out.element("title", zone.name);
  out.element("desc", fmt::format("{}; ranks {}", counts_text(zone.gpus),
                                  zone.ranks.empty() ? "none" : zone.ranks));
  std::map<Look, std::string> paths;
  std::vector<Cells> cells;
  for (std::size_t line = 0; line < lines; ++line) {
    cells.push_back(cells_of_line(zone, grid, line * grid.racks_a_line));
    add_runs(cells.back(), line * grid.line_height(), paths);
  }
  for (const auto& [look, path] : paths)
    out.shape("path", {{"class", style_of(look)}, {"d", path}});
  out.shape("rect", {{"class", "gap"}, {"width", "100%"}, {"height", "100%"}});
  for (std::size_t line = 0; line < lines; ++line)
    write_line_letters(out, cells[line], line * grid.line_height(), groups);
  if (titled) write_titles(out, zone, grid);
  out.close();
}

void write_zones(Markup& out, const ClusterMap& map, const Grid& grid, const auto& is_drawn) {
  out.open("div", {{"class", "zones"},
                   {"style", fmt::format("grid-template-columns:repeat(auto-fill,minmax(min(100%,"
                                         "{}px),1fr))",
                                         least_width(grid))}});
  for (const MapZone& zone : map.zones) {
    if (!is_drawn(zone)) continue;
    out.open("div", {{"class", "zone"}});
    write_zone_head(out, zone, map.groups);
    write_cells(out, zone, grid, map.groups, map.servers <= kTitledServers);
    out.close();
  }
  out.close();
}

}  // namespace

void write_zone_map(Markup& out, const ClusterMap& map) {
  const Grid grid = grid_of(map);
  const EmptyZones empty = empty_zones(map);
  write_zones(out, map, grid,
              [&](const MapZone& zone) { return empty.count == 0 || zone.gpus.ours > 0; });
  if (empty.count == 0) return;
  out.open("details");
  out.element("summary", fmt::format("{} zones without ranks of this job · {}",
                                     grouped(empty.count), counts_text(empty.gpus)));
  write_zones(out, map, grid, [](const MapZone& zone) { return zone.gpus.ours == 0; });
  out.close();
}

}  // namespace zonecut::report
