// Where the ranks are: the legend, and which maps a cluster of this size gets.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

struct UseWords {
  Use use;
  std::string_view style;
  std::string_view words;
};

constexpr std::array kUses = {
    UseWords{Use::Others, "others", "other jobs"},
    UseWords{Use::Partly, "partly", "partly free"},
    UseWords{Use::Free, "free", "free"},
    UseWords{Use::Unavailable, "unavailable", "drained, down or failed"},
};

/// `gpus`: on a square of a GPU; else on a cell of a server.
bool appears(const ClusterMap& map, Use use, bool gpus) {
  for (const MapZone& zone : map.zones) {
    for (const MapRack& rack : zone.racks) {
      for (const MapServer& server : rack.servers) {
        if (!gpus && server.use == use) return true;
        if (gpus && std::any_of(server.gpus.begin(), server.gpus.end(),
                                [&](const MapGpu& gpu) { return gpu.use == use; }))
          return true;
      }
    }
  }
  return false;
}

void group_item(Markup& out, std::size_t group, const RankGroups::Entry& entry) {
  out.open("li");
  out.open("svg", {{"width", "16"}, {"height", "16"}, {"aria-hidden", "true"}});
  out.shape("rect",
            {{"width", "16"}, {"height", "16"}, {"rx", "2"}, {"class", fmt::format("g{}", group)}});
  out.element(
      "text", entry.letter,
      {{"x", "8"}, {"y", "12"}, {"font-size", "11"}, {"class", fmt::format("on on{}", group)}});
  out.close().text(entry.label).close();
}

/// One cell as the patterns draw it, twice its size.
void use_item(Markup& out, const UseWords& use) {
  out.open("li");
  out.open("svg",
           {{"width", "16"}, {"height", "16"}, {"viewBox", "0 0 8 8"}, {"aria-hidden", "true"}});
  out.shape("rect", {{"width", "7"}, {"height", "7"}, {"class", use.style}});
  out.close().text(use.words).close();
}

void write_legend(Markup& out, const ClusterMap& map) {
  out.open("ul", {{"class", "legend"}});
  for (std::size_t i = 0; i < map.groups.entries.size(); ++i) {
    group_item(out, i, map.groups.entries[i]);
  }
  for (const UseWords& use : kUses) {
    if (appears(map, use.use, map.is_small())) use_item(out, use);
  }
  out.close();
}

std::string hint_for(const ClusterMap& map) {
  const std::string number =
      map.groups.number_axis.empty() ? "" : fmt::format("; number: {}", map.groups.number_axis);
  if (map.is_small())
    return fmt::format("One square is one GPU; letter and colour: {}{}.", map.groups.axis, number);
  return fmt::format(
      "One cell is one server, one column of cells a rack or a part of one; letter "
      "and colour: {}.",
      map.groups.axis);
}

}  // namespace

std::string counts_text(const GpuCounts& gpus) {
  std::vector<std::string> parts;
  const auto add = [&](std::string_view words, std::size_t count) {
    parts.push_back(fmt::format("{} {}", words, grouped(count)));
  };
  if (gpus.ours > 0) add("this job", gpus.ours);
  if (gpus.others > 0) add("others", gpus.others);
  add("free", gpus.free);
  if (gpus.unavailable > 0) add("out", gpus.unavailable);
  return joined(parts, " · ") + " GPUs";
}

void write_zone_head(Markup& out, const MapZone& zone, const RankGroups& groups) {
  out.open("header");
  const std::string letters = letters_of(zone, groups);
  out.element("h3", zone.name + (letters.empty() ? "" : " · " + letters));
  out.element("span", counts_text(zone.gpus));
  out.close();
}

void write_patterns(Markup& out) {
  out.open(
      "svg",
      {{"width", "0"}, {"height", "0"}, {"style", "position:absolute"}, {"aria-hidden", "true"}});
  out.open("defs");
  const auto pattern = [&](std::string_view id) {
    out.open("pattern",
             {{"id", id}, {"width", "8"}, {"height", "8"}, {"patternUnits", "userSpaceOnUse"}});
  };
  pattern("gap");
  out.shape("path", {{"d", "M7 0h1v8h-8v-1h7z"}, {"style", "fill:var(--card)"}});
  out.close();
  pattern("free");
  out.shape("rect", {{"x", ".5"},
                     {"y", ".5"},
                     {"width", "6"},
                     {"height", "6"},
                     {"style", "fill:none;stroke:var(--edge)"}});
  out.close();
  pattern("partly");
  out.shape("path", {{"d", "M0 7L7 0V7z"}, {"style", "fill:var(--other)"}});
  out.shape("rect", {{"x", ".5"},
                     {"y", ".5"},
                     {"width", "6"},
                     {"height", "6"},
                     {"style", "fill:none;stroke:var(--edge)"}});
  out.close();
  pattern("unavailable");
  out.shape("path", {{"d", "M.5 .5L6.5 6.5M6.5 .5L.5 6.5M.5 .5h6v6h-6z"},
                     {"style", "fill:none;stroke:var(--soft);stroke-width:.9"}});
  out.close();
  out.close();
  out.close();
}

void write_map(Markup& out, const Scene& scene) {
  const ClusterMap& map = scene.map;
  out.open("section", {{"class", "long"}});
  out.element("h2", "Where the ranks are");
  out.element("p", hint_for(map), {{"class", "hint"}});
  if (!map.is_small()) write_zone_map(out, map);
  if (map.is_small() || map.has_detail()) {
    if (!map.is_small()) {
      out.element("p",
                  "The racks that hold the job, GPU by GPU" +
                      (map.groups.number_axis.empty()
                           ? std::string(".")
                           : fmt::format("; number: {}.", map.groups.number_axis)),
                  {{"class", "hint"}, {"style", "margin-top:12px"}});
    }
    write_detail_map(out, map);
  }
  write_legend(out, map);
  out.close();
}

}  // namespace zonecut::report
