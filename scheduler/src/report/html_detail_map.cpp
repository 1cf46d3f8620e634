// The map of a small cluster, or of the racks that hold a small job: one square a GPU. The first
// square of a run says the group's letter, the second the number along the other axis.
#include <fmt/format.h>

#include <algorithm>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

constexpr std::size_t kSquaresALine = 8;
constexpr std::size_t kPitch = 17;
constexpr std::size_t kSquare = 15;
constexpr std::size_t kNameColumns = 16;

bool same_run(const MapGpu& a, const MapGpu& b) {
  return a.use == Use::Ours && b.use == Use::Ours && a.group == b.group && a.number == b.number;
}

std::string style_of(const MapGpu& gpu) {
  switch (gpu.use) {
    case Use::Ours:
      return fmt::format("g{}", gpu.group);
    case Use::Others:
      return "others";
    case Use::Unavailable:
      return "sq-out";
    case Use::Free:
    case Use::Partly:
      return "sq-free";
  }
  return {};
}

void write_square(Markup& out, const MapServer& server, std::size_t index,
                  const RankGroups& groups) {
  const MapGpu& gpu = server.gpus[index];
  const std::size_t x = (index % kSquaresALine) * kPitch;
  const std::size_t y = (index / kSquaresALine) * kPitch;
  out.shape("rect", {{"x", fmt::format("{}.5", x)},
                     {"y", fmt::format("{}.5", y)},
                     {"width", fmt::format("{}", kSquare)},
                     {"height", fmt::format("{}", kSquare)},
                     {"rx", "2"},
                     {"class", style_of(gpu)}});
  if (gpu.use == Use::Unavailable) {
    out.shape("path", {{"class", "sq-out"},
                       {"d", fmt::format("M{0}.5 {1}.5l{2} {2}m0 -{2}l-{2} {2}", x, y, kSquare)}});
  }
  if (gpu.use != Use::Ours) return;
  const bool starts = index == 0 || !same_run(server.gpus[index - 1], gpu);
  const bool follows_start =
      !starts && (index == 1 || !same_run(server.gpus[index - 2], server.gpus[index - 1]));
  if (!starts && (!follows_start || groups.number_axis.empty())) return;
  const std::string text =
      starts ? groups.entries[gpu.group].letter : fmt::format("{}", gpu.number);
  out.element("text", text,
              {{"x", fmt::format("{}", x + 8)},
               {"y", fmt::format("{}", y + 12)},
               {"font-size", text.size() < 3 ? "10.5" : "7.5"},
               {"class", fmt::format("on on{}", gpu.group)}});
}

void write_server(Markup& out, const MapServer& server, const RankGroups& groups) {
  const std::size_t lines = (server.gpus.size() + kSquaresALine - 1) / kSquaresALine;
  const std::size_t columns = std::min(server.gpus.size(), kSquaresALine);
  out.open("div", {{"class", "server"}});
  out.element("span", fitted_in_middle(server.name, kNameColumns, "…"), {{"title", server.name}});
  out.open("svg", {{"role", "img"},
                   {"width", fmt::format("{}", columns * kPitch)},
                   {"height", fmt::format("{}", lines * kPitch)},
                   {"viewBox", fmt::format("0 0 {} {}", columns * kPitch, lines * kPitch)}});
  out.element("title", fmt::format("{}: {}", server.name, server.note));
  for (std::size_t i = 0; i < server.gpus.size(); ++i) write_square(out, server, i, groups);
  out.close();
  out.close();
}

void write_rack(Markup& out, const MapRack& rack, const RankGroups& groups) {
  out.open("div", {{"class", "rack"}});
  out.element("b", rack.name);
  for (const MapServer& server : rack.servers) write_server(out, server, groups);
  out.close();
}

/// Pixels a zone wants at least: two racks side by side, where any zone has two.
int least_width(const ClusterMap& map) {
  for (const MapZone& zone : map.zones) {
    if ((map.is_small() ? zone.racks.size() : zone.racks_used) > 1) return 420;
  }
  return 240;
}

}  // namespace

void write_detail_map(Markup& out, const ClusterMap& map) {
  out.open("div", {{"class", "zones"},
                   {"style",
                    fmt::format("grid-template-columns:repeat(auto-fit,minmax(min(100%,{}px),1fr))",
                                least_width(map))}});
  for (const MapZone& zone : map.zones) {
    if (!map.is_small() && zone.racks_used == 0) continue;
    out.open("div", {{"class", "zone"}});
    write_zone_head(out, zone, map.groups);
    out.open("div", {{"class", "racks"}});
    for (const MapRack& rack : zone.racks) {
      if (map.is_small() || rack.ours > 0) write_rack(out, rack, map.groups);
    }
    out.close();
    out.close();
  }
  out.close();
}

}  // namespace zonecut::report
