// The report for a terminal: the sections of the HTML one, in characters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/scene.hpp"
#include "report/terminal.hpp"
#include "report/terminal_map.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

using Column = TextTable::Column;

/// Below this width the cables of a bundle, "(4 x 4 x 400 Gbps)", would crowd out its figures.
constexpr std::size_t kRoomForCables = 120;

std::string link_name(const Terminal& terminal, const std::string& name) {
  const auto open = name.find(" (");
  const auto close = name.find(')', open);
  if (terminal.width() >= kRoomForCables || close == std::string::npos) return name;
  return name.substr(0, open) + name.substr(close + 1);
}

std::string count_text(std::size_t count) { return grouped(count); }

void write_summary(Terminal& terminal, const Scene& scene) {
  terminal.line({{scene.job, Tone::Bold}, {"  " + scene.shape, Tone::Plain}});
  terminal.paragraph(scene.cluster_line, 0, "", Tone::Dim);
  terminal.blank();
  terminal.paragraph(scene.verdict, 0);
  if (!scene.overload.empty()) terminal.paragraph("Overload: " + scene.overload + ".", 0);
  if (!scene.assumed_model.empty()) terminal.paragraph(scene.assumed_model + ".", 0);
  terminal.blank();
  TextTable table({Column{"", false}, Column{"", false}, Column{"", false, 1}});
  for (const Tile& tile : scene.tiles) table.row({tile.title, tile.value, tile.note});
  table.write(terminal);
}

TextTable matrix_table(const ZoneTraffic& traffic, const ZoneMatrix& matrix, const ByteUnit& unit) {
  std::vector<Column> columns{Column{"from \\ to", false}};
  for (const std::string& zone : traffic.zones) columns.push_back({zone});
  columns.push_back({"sent"});
  TextTable table(std::move(columns));
  for (std::size_t from = 0; from < traffic.zones.size(); ++from) {
    std::vector<std::string> cells{traffic.zones[from]};
    for (std::size_t to = 0; to < traffic.zones.size(); ++to) {
      const std::string text = in_unit(matrix.bytes[from][to], unit);
      cells.push_back(from == to ? "(" + text + ")" : text);
    }
    cells.push_back(in_unit(matrix.sent[from], unit));
    table.row(std::move(cells));
  }
  std::vector<std::string> last{"received"};
  for (const Bytes received : matrix.received) last.push_back(in_unit(received, unit));
  last.push_back(in_unit(matrix.across, unit));
  table.row(std::move(last));
  return table;
}

/// What each zone sends and receives, where the matrix itself is too wide.
TextTable totals_table(const ZoneTraffic& traffic, const ZoneMatrix& matrix) {
  TextTable table({Column{"zone", false}, Column{"sends"}, Column{"receives"}});
  for (std::size_t zone = 0; zone < traffic.zones.size(); ++zone) {
    table.row({traffic.zones[zone], quantity(matrix.sent[zone]), quantity(matrix.received[zone])});
  }
  table.row({"all zones", quantity(matrix.across), quantity(matrix.across)}, Tone::Bold);
  return table;
}

void write_matrix(Terminal& terminal, const Scene& scene, const ZoneMatrix& matrix,
                  const std::string& name) {
  const ByteUnit unit = unit_for(scene.traffic.unit_of);
  const TextTable table = matrix_table(scene.traffic, matrix, unit);
  if (table.natural_width(terminal) <= terminal.width()) {
    terminal.line(fmt::format("{}, {} per {}", name, unit.name, scene.per), Tone::Dim);
    table.write(terminal);
  } else {
    terminal.line(fmt::format("{}, per {}", name, scene.per), Tone::Dim);
    totals_table(scene.traffic, matrix).write(terminal);
  }
}

void write_zone_traffic(Terminal& terminal, const Scene& scene) {
  terminal.heading("TRAFFIC BETWEEN ZONES", "(inside the zone)");
  if (scene.traffic.before) write_matrix(terminal, scene, *scene.traffic.before, scene.before);
  write_matrix(terminal, scene, scene.traffic.after, "this placement");
}

void write_tiers(Terminal& terminal, const Scene& scene) {
  terminal.heading("BYTES BY THE HIGHEST TIER THEY CROSS", "per " + scene.per);
  const bool compares = !scene.before.empty();
  TextTable table({Column{"tier", false}, Column{compares ? scene.before : "", true, 1},
                   Column{"this placement"}});
  for (const TierBar& bar : scene.tiers)
    table.row({bar.label, bar.before ? quantity(*bar.before) : "", quantity(bar.after)});
  table.write(terminal);
}

std::string bar_text(double share, std::size_t width) {
  const double cells = std::clamp(share, 0.0, 1.0) * static_cast<double>(width);
  std::string text;
  const auto whole = static_cast<std::size_t>(cells);
  for (std::size_t i = 0; i < whole; ++i) text += "█";
  if (cells - static_cast<double>(whole) >= 0.5) text += "▌";
  return text;
}

void write_links(Terminal& terminal, const Scene& scene) {
  if (scene.links.empty()) return;
  terminal.heading("BUSIEST LINKS", fmt::format("* binds; seconds per {}, all phases", scene.per));
  double most = 0;
  for (const LinkBar& link : scene.links) {
    if (std::isfinite(link.after.count)) most = std::max(most, link.after.count);
  }
  TextTable table({Column{"", false}, Column{"link", false}, Column{"", false, 2}, Column{"now"},
                   Column{scene.before.empty() ? "" : "was", true, 1},
                   Column{"capacity", true, 3}});
  for (const LinkBar& link : scene.links) {
    const double share = most > 0 ? link.after.count / most : 0;
    table.row(
        {link.binding ? "*" : "", link_name(terminal, link.name), bar_text(share, 16),
         quantity(link.after), link.before ? quantity(*link.before) : "", quantity(link.capacity)},
        link.binding ? Tone::Warm : Tone::Plain);
  }
  table.write(terminal);
}

std::vector<std::string> comparison_row(const std::string& name, const PlacementFigures& row,
                                        const PlacementFigures& ours) {
  const double times = ours.cross_zone.count == 0 ? (row.cross_zone.count == 0 ? 1.0 : 0.0)
                                                  : static_cast<double>(row.cross_zone.count) /
                                                        static_cast<double>(ours.cross_zone.count);
  return {name,
          quantity(row.cross_zone),
          times > 0 ? factor(times) : "",
          quantity(row.communication),
          count_text(row.servers),
          count_text(row.zones),
          count_text(static_cast<std::size_t>(std::max(0, row.leftover.half_used_racks))),
          brief(row.cost)};
}

void write_comparison(Terminal& terminal, const Scene& scene) {
  if (scene.baselines.empty()) return;
  terminal.heading("AGAINST OTHER SCHEDULERS", "same job, same free servers");
  TextTable table({Column{"rule", false}, Column{"between zones"}, Column{"× ours", true, 1},
                   Column{"time"}, Column{"servers", true, 4}, Column{"zones", true, 2},
                   Column{"half racks", true, 3}, Column{"J", true, 5}});
  table.row(comparison_row("zonecut", scene.ours, scene.ours), Tone::Bold);
  for (const Compared& row : scene.baselines) {
    if (row.figures)
      table.row(comparison_row(row.name, *row.figures, scene.ours));
    else
      table.row({row.name, "no room", "", "", "", "", "", ""});
  }
  table.write(terminal);
}

void write_phases(Terminal& terminal, const Scene& scene) {
  if (scene.ours.phases.empty()) return;
  terminal.heading("PHASES", "exposed: not hidden behind computation");
  TextTable table({Column{"phase", false}, Column{"bytes"}, Column{"latency", true, 3},
                   Column{"transfer", true, 2}, Column{"exposed"}, Column{"binds", false, 1}});
  for (const PhaseFigures& phase : scene.ours.phases) {
    table.row({phase.name, quantity(phase.bytes), quantity(phase.latency), quantity(phase.transfer),
               quantity(phase.exposed), link_name(terminal, binds(phase))});
  }
  table.write(terminal);
}

void write_reasons(Terminal& terminal, const Scene& scene) {
  if (scene.reasons.empty()) return;
  terminal.heading("WHY HERE");
  for (std::size_t i = 0; i < scene.reasons.size(); ++i)
    terminal.paragraph(scene.reasons[i], 5, fmt::format("{:>3}. ", i + 1));
}

void write_candidates(Terminal& terminal, const Scene& scene) {
  if (scene.candidates.empty()) return;
  terminal.heading("WHAT ELSE WAS TRIED");
  TextTable table({Column{.head = "candidate", .number = false, .folds = true}, Column{"time"},
                   Column{"between zones", true, 1}, Column{"J", true, 2},
                   Column{.head = "verdict", .number = false, .folds = true}});
  for (const Candidate& candidate : scene.candidates) {
    table.row({candidate.name, quantity(candidate.communication), quantity(candidate.cross_zone),
               brief(candidate.cost), candidate.verdict},
              candidate.verdict == "chosen" ? Tone::Bold : Tone::Plain);
  }
  table.write(terminal);
}

void write_shares(Terminal& terminal, const Scene& scene) {
  terminal.heading("WHAT EACH ZONE HOLDS");
  TextTable table({Column{"zone", false}, Column{"servers"}, Column{"racks", true, 2},
                   Column{"GPUs", true, 3}, Column{"free", true, 1}, Column{"groups", false, 4},
                   Column{"ranks", false}});
  for (const MapZone& zone : scene.map.zones) {
    table.row({zone.name, count_text(zone.servers_used), count_text(zone.racks_used),
               count_text(zone.gpus.ours), count_text(zone.gpus.free),
               letters_of(zone, scene.map.groups), zone.ranks.empty() ? "-" : zone.ranks});
  }
  table.write(terminal);
}

void write_provenance(Terminal& terminal, const Scene& scene) {
  terminal.heading("WHERE THIS CAME FROM");
  for (const auto& [label, value] : scene.provenance)
    terminal.paragraph(value, 11, fmt::format("  {:<9}", label));
}

}  // namespace

std::string terminal_text_of(const Scene& scene, const TerminalStyle& style) {
  Terminal terminal(style);
  write_summary(terminal, scene);
  write_terminal_map(terminal, scene.map);
  write_zone_traffic(terminal, scene);
  write_tiers(terminal, scene);
  write_links(terminal, scene);
  write_reasons(terminal, scene);
  write_comparison(terminal, scene);
  write_phases(terminal, scene);
  write_candidates(terminal, scene);
  write_shares(terminal, scene);
  write_provenance(terminal, scene);
  return std::move(terminal).finish();
}

}  // namespace zonecut::report

namespace zonecut {

std::string write_terminal(const Report& report, const TerminalStyle& style) {
  return report::terminal_text_of(report::build_scene(report), style);
}

}  // namespace zonecut
