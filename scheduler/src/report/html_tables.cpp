// The parts of the report that are read rather than looked at.
#include <fmt/format.h>

#include <span>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

struct Head {
  std::string_view text;
  bool number = true;
};

void open_table(Markup& out, std::initializer_list<Head> heads) {
  out.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  for (const Head& head : heads)
    out.element("th", head.text, {{"scope", "col"}, {"class", head.number ? "n" : ""}});
  out.close().close().open("tbody");
}

void close_table(Markup& out) { out.close().close().close(); }

void number(Markup& out, const std::string& text, const std::string& below = {}) {
  out.open("td", {{"class", "n"}}).text(text);
  if (!below.empty()) out.element("small", below);
  out.close();
}

void row_head(Markup& out, const std::string& text, const std::string& below = {}) {
  out.open("th", {{"scope", "row"}}).element("span", text, {{"class", "name"}});
  if (!below.empty()) out.element("small", below);
  out.close();
}

std::string times_ours(double theirs, double ours) {
  if (theirs == ours) return "1.00×";
  return ours == 0 ? "" : factor(theirs / ours);
}

void write_figures(Markup& out, const PlacementFigures& row, const PlacementFigures& ours) {
  number(out, quantity(row.cross_zone),
         times_ours(static_cast<double>(row.cross_zone.count),
                    static_cast<double>(ours.cross_zone.count)));
  number(out, quantity(row.communication),
         times_ours(row.communication.count, ours.communication.count));
  number(out, brief(row.cost),
         times_ours(static_cast<double>(row.cost), static_cast<double>(ours.cost)));
  number(out, grouped(row.servers));
  number(out, grouped(row.racks));
  number(out, grouped(row.zones));
  number(out, grouped(row.leftover.half_used_racks));
}

const PhaseFigures* find_phase(const PlacementFigures* figures, const std::string& name) {
  if (!figures) return nullptr;
  for (const PhaseFigures& phase : figures->phases) {
    if (phase.name == name) return &phase;
  }
  return nullptr;
}

}  // namespace

void write_comparison(Markup& out, const Scene& scene) {
  if (scene.baselines.empty()) return;
  out.open("section");
  out.element("h2", "Against other schedulers");
  out.element("p",
              "The same job on the same free servers by their published rules; below each figure, "
              "how many times ours. J is the sum of bytes times distance.",
              {{"class", "hint"}});
  open_table(out, {{"rule", false},
                   {"between zones"},
                   {"communication"},
                   {"J"},
                   {"servers"},
                   {"racks"},
                   {"zones"},
                   {"half-used racks"}});
  out.open("tr", {{"class", "ours"}});
  row_head(out, "zonecut", scene.ours.method);
  write_figures(out, scene.ours, scene.ours);
  out.close();
  for (const Compared& row : scene.baselines) {
    out.open("tr");
    row_head(out, row.name, row.summary);
    if (row.figures)
      write_figures(out, *row.figures, scene.ours);
    else
      out.element("td", "this rule finds no room", {{"colspan", "7"}});
    out.close();
  }
  close_table(out);
  out.close();
}

void write_phases(Markup& out, const Scene& scene) {
  if (scene.ours.phases.empty()) return;
  out.open("section");
  out.element("h2", "Phases");
  out.element("p",
              fmt::format("bytes and predicted seconds per {}; exposed is what does not hide "
                          "behind computation",
                          scene.per),
              {{"class", "hint"}});
  open_table(
      out, {{"phase", false}, {"bytes"}, {"latency"}, {"transfer"}, {"exposed"}, {"binds", false}});
  const PlacementFigures* before = before_of(scene);
  for (const PhaseFigures& phase : scene.ours.phases) {
    const PhaseFigures* then = find_phase(before, phase.name);
    out.open("tr");
    row_head(out, phase.name);
    number(out, quantity(phase.bytes));
    number(out, quantity(phase.latency));
    number(out, quantity(phase.transfer), then ? "was " + quantity(then->transfer) : "");
    number(out, quantity(phase.exposed), then ? "was " + quantity(then->exposed) : "");
    out.element("td", binds(phase));
    out.close();
  }
  close_table(out);
  out.close();
}

void write_reasons(Markup& out, const Scene& scene) {
  if (scene.reasons.empty()) return;
  out.open("section");
  out.element("h2", "Why here");
  out.open("ol", {{"class", "why"}});
  for (const std::string& reason : scene.reasons) out.element("li", reason);
  out.close();
  out.close();
}

void write_candidates(Markup& out, const Scene& scene) {
  if (scene.candidates.empty()) return;
  out.open("section");
  out.element("h2", "What else was tried");
  out.element("p", "Candidates, best first, and what decided.", {{"class", "hint"}});
  open_table(out, {{"candidate", false},
                   {"communication"},
                   {"between zones"},
                   {"J"},
                   {"half-used racks"},
                   {"verdict", false}});
  for (const Candidate& candidate : scene.candidates) {
    out.open("tr", {{"class", candidate.verdict == "chosen" ? "ours" : ""}});
    row_head(out, candidate.name);
    number(out, quantity(candidate.communication));
    number(out, quantity(candidate.cross_zone));
    number(out, brief(candidate.cost));
    number(out, grouped(candidate.half_used_racks));
    out.element("td", candidate.verdict);
    out.close();
  }
  close_table(out);
  out.close();
}

void write_zone_shares(Markup& out, const Scene& scene) {
  out.open("section");
  out.element("h2", "What each zone holds");
  out.element("p", fmt::format("letters: {}", scene.map.groups.axis), {{"class", "hint"}});
  open_table(out, {{"zone", false},
                   {"servers"},
                   {"racks"},
                   {"GPUs of this job"},
                   {"of others"},
                   {"free"},
                   {"out"},
                   {"groups", false},
                   {"ranks", false}});
  for (const MapZone& zone : scene.map.zones) {
    out.open("tr");
    row_head(out, zone.name);
    for (const std::size_t count : {zone.servers_used, zone.racks_used, zone.gpus.ours,
                                    zone.gpus.others, zone.gpus.free, zone.gpus.unavailable})
      number(out, grouped(count));
    const std::string letters = letters_of(zone, scene.map.groups);
    out.element("td", letters.empty() ? "–" : letters);
    out.element("td", zone.ranks.empty() ? "–" : zone.ranks);
    out.close();
  }
  close_table(out);
  out.close();
}

void write_provenance(Markup& out, const Scene& scene) {
  out.open("section");
  out.element("h2", "Where this came from");
  out.open("dl", {{"class", "provenance"}});
  for (const auto& [label, value] : scene.provenance) out.element("dt", label).element("dd", value);
  out.close();
  out.close();
}

}  // namespace zonecut::report
