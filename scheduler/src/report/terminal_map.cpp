#include "report/terminal_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/text.hpp"

namespace zonecut::report {
namespace {

constexpr std::size_t kIndent = 2;

Span glyph(Use use, std::uint8_t group, const RankGroups& groups) {
  switch (use) {
    case Use::Ours:
      return {groups.entries[group].letter, group_tone(group)};
    case Use::Others:
      return {"▒", Tone::Dim};
    case Use::Partly:
      return {"░", Tone::Dim};
    case Use::Unavailable:
      return {"×", Tone::Dim};
    case Use::Free:
      return {"·", Tone::Dim};
  }
  return {};
}

/// What most of a rack is; ours as soon as any of it is.
Span rack_glyph(const MapRack& rack, const RankGroups& groups) {
  std::array<int, RankGroups::kMost> ours{};
  std::array<std::size_t, 5> uses{};
  for (const MapServer& server : rack.servers) {
    ++uses[static_cast<std::size_t>(server.use)];
    if (server.use == Use::Ours) ++ours[server.group];
  }
  const auto count = [&](Use use) { return uses[static_cast<std::size_t>(use)]; };
  if (count(Use::Ours) > 0) {
    const auto most = std::max_element(ours.begin(), ours.end()) - ours.begin();
    return glyph(Use::Ours, static_cast<std::uint8_t>(most), groups);
  }
  if (count(Use::Unavailable) == rack.servers.size()) return glyph(Use::Unavailable, 0, groups);
  if (count(Use::Free) + count(Use::Unavailable) == rack.servers.size())
    return glyph(Use::Free, 0, groups);
  if (count(Use::Free) + count(Use::Partly) > 0) return glyph(Use::Partly, 0, groups);
  return glyph(Use::Others, 0, groups);
}

/// Joins equal tones, so that a line has as few escapes as it can.
void append(std::vector<Span>& spans, const Span& span) {
  if (!spans.empty() && spans.back().tone == span.tone)
    spans.back().text += span.text;
  else
    spans.push_back(span);
}

void write_wrapped(Terminal& terminal, const std::vector<Span>& glyphs) {
  const std::size_t per_line = terminal.width() - kIndent;
  for (std::size_t first = 0; first < glyphs.size(); first += per_line) {
    std::vector<Span> spans{{std::string(kIndent, ' '), Tone::Plain}};
    for (std::size_t i = first; i < std::min(first + per_line, glyphs.size()); ++i)
      append(spans, glyphs[i]);
    terminal.line(spans);
  }
}

std::string counts_of(const GpuCounts& gpus) {
  std::string text = fmt::format("  this job {} · others {} · free {}", grouped(gpus.ours),
                                 grouped(gpus.others), grouped(gpus.free));
  if (gpus.unavailable > 0) text += fmt::format(" · out {}", grouped(gpus.unavailable));
  return text;
}

void write_zone_head(Terminal& terminal, const MapZone& zone, const RankGroups& groups) {
  const std::string letters = letters_of(zone, groups);
  std::vector<Span> spans{{zone.name, Tone::Bold}};
  if (!letters.empty()) spans.push_back({"  " + letters, Tone::Plain});
  spans.push_back({counts_of(zone.gpus), Tone::Dim});
  terminal.line(spans);
}

/// One line a rack, a group of letters a server; more lines where they do not fit.
void write_rack(Terminal& terminal, const MapRack& rack, std::size_t name_width,
                const RankGroups& groups) {
  const std::string name = terminal.cut(rack.name, name_width);
  const std::size_t indent = kIndent + name_width + 1;
  std::vector<Span> spans{
      {std::string(kIndent, ' ') + name + std::string(indent - kIndent - display_width(name), ' '),
       Tone::Plain}};
  std::size_t used = indent;
  for (const MapServer& server : rack.servers) {
    if (used > indent && used + server.gpus.size() + 1 > terminal.width()) {
      terminal.line(spans);
      spans = {{std::string(indent, ' '), Tone::Plain}};
      used = indent;
    }
    for (const MapGpu& gpu : server.gpus) append(spans, glyph(gpu.use, gpu.group, groups));
    append(spans, {" ", Tone::Plain});
    used += server.gpus.size() + 1;
  }
  terminal.line(spans);
}

std::size_t widest_rack_name(const ClusterMap& map, const Terminal& terminal) {
  std::size_t widest = 0;
  for (const MapZone& zone : map.zones) {
    for (const MapRack& rack : zone.racks)
      widest = std::max(widest, display_width(terminal.shown(rack.name)));
  }
  return std::min(widest, terminal.width() / 3);
}

void write_legend(Terminal& terminal, const RankGroups& groups) {
  std::string text = groups.axis + ":";
  for (const auto& entry : groups.entries) text += fmt::format(" {}={}", entry.letter, entry.label);
  terminal.paragraph(text + " · ▒ other jobs, ░ partly free, · free, × out", kIndent, "",
                     Tone::Dim);
}

}  // namespace

void write_terminal_map(Terminal& terminal, const ClusterMap& map) {
  terminal.heading("WHERE THE RANKS ARE",
                   map.is_small() ? "one sign a GPU" : "one sign a rack; counts are GPUs");
  const std::size_t name_width = widest_rack_name(map, terminal);
  const EmptyZones empty = empty_zones(map);
  for (const MapZone& zone : map.zones) {
    if (empty.count > 0 && zone.gpus.ours == 0) continue;
    write_zone_head(terminal, zone, map.groups);
    if (map.is_small()) {
      for (const MapRack& rack : zone.racks) write_rack(terminal, rack, name_width, map.groups);
      continue;
    }
    std::vector<Span> glyphs;
    for (const MapRack& rack : zone.racks) glyphs.push_back(rack_glyph(rack, map.groups));
    write_wrapped(terminal, glyphs);
  }
  if (empty.count > 0) {
    terminal.line({{fmt::format("{} more zones", grouped(empty.count)), Tone::Bold},
                   {counts_of(empty.gpus), Tone::Dim}});
  }
  write_legend(terminal, map.groups);
}

}  // namespace zonecut::report
