// The HTML report: one file without scripts, network or fonts from elsewhere.
#include <array>

#include "report/html_parts.hpp"
#include "zonecut/scheduler/report.hpp"

namespace zonecut::report {
namespace {

void write_head(Markup& out, const Scene& scene) {
  out.open("head");
  out.shape("meta", {{"charset", "utf-8"}});
  out.shape("meta", {{"name", "viewport"}, {"content", "width=device-width, initial-scale=1"}});
  out.shape("meta", {{"name", "color-scheme"}, {"content", "light dark"}});
  // Names come from files of others: even if one slipped through the escaping, nothing would load.
  out.shape("meta", {{"http-equiv", "Content-Security-Policy"},
                     {"content", "default-src 'none'; style-src 'unsafe-inline'"}});
  out.element("title", scene.job + " · " + scene.shape + " · placement");
  out.open("style").verbatim(style_sheet()).close();
  out.close();
}

void write_summary(Markup& out, const Scene& scene) {
  out.open("header");
  out.open("h1").text(scene.job).text(" ");
  out.element("span", scene.shape, {{"class", "shape"}}).close();
  out.element("p", scene.cluster_line, {{"class", "sub"}});
  out.element("p", scene.verdict, {{"class", "verdict"}});
  if (!scene.overload.empty())
    out.element("p", "Overload: " + scene.overload + ".", {{"class", "verdict"}});
  if (!scene.assumed_model.empty()) out.element("p", scene.assumed_model + ".", {{"class", "sub"}});
  out.open("dl", {{"class", "tiles"}});
  for (const Tile& tile : scene.tiles) {
    out.open("div", {{"class", "tile"}});
    out.element("dt", tile.title);
    out.element("dd", tile.value, {{"class", "value"}});
    out.element("dd", tile.note, {{"class", "note"}});
    out.close();
  }
  out.close();
  out.close();
}

/// Two matrices of more than a few zones need the whole width to stand side by side.
void write_pictures(Markup& out, const Scene& scene) {
  constexpr std::size_t kFewZones = 4;
  const bool wide = scene.traffic.zones.size() > kFewZones;
  if (wide) write_zone_traffic(out, scene);
  out.open("div", {{"class", "pair"}});
  if (!wide) write_zone_traffic(out, scene);
  if (wide) write_links(out, scene);
  out.open("div");
  write_tiers(out, scene);
  if (wide) write_reasons(out, scene);
  out.close();
  if (!wide) write_links(out, scene);
  if (!wide) write_reasons(out, scene);
  out.close();
}

void write_body(Markup& out, const Scene& scene) {
  out.open("body");
  write_patterns(out);
  out.open("main");
  write_summary(out, scene);
  write_map(out, scene);
  write_pictures(out, scene);
  write_comparison(out, scene);
  out.open("div", {{"class", "pair"}});
  write_phases(out, scene);
  write_candidates(out, scene);
  out.close();
  write_zone_shares(out, scene);
  write_provenance(out, scene);
  out.close();
  out.close();
}

}  // namespace

std::string html_of(const Scene& scene) {
  Markup out;
  out.verbatim("<!DOCTYPE html>\n");
  out.open("html", {{"xmlns", "http://www.w3.org/1999/xhtml"}, {"lang", "en"}});
  write_head(out, scene);
  write_body(out, scene);
  out.close();
  return std::move(out).finish();
}

}  // namespace zonecut::report

namespace zonecut {

std::string write_html(const Report& report) {
  return report::html_of(report::build_scene(report));
}

}  // namespace zonecut
