// Traffic between zones, before and after on one colour scale. The diagonal stays inside its zone:
// in brackets and without colour.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

constexpr int kHeatSteps = 6;
constexpr std::size_t kMostWithFigures = 12;  ///< zones; above, cells are colour and title only
constexpr std::size_t kMostCells = 48;        ///< zones; above, a list of the largest pairs
constexpr std::size_t kPairs = 24;

int heat(Bytes bytes, Bytes largest) {
  if (bytes.count == 0 || largest.count == 0) return 0;
  const double share = static_cast<double>(bytes.count) / static_cast<double>(largest.count);
  return std::clamp(static_cast<int>(std::ceil(share * kHeatSteps)), 1, kHeatSteps);
}

std::string pair_title(const ZoneTraffic& traffic, std::size_t from, std::size_t to, Bytes bytes) {
  if (from == to) return fmt::format("inside {}: {}", traffic.zones[from], quantity(bytes));
  return fmt::format("{} to {}: {}", traffic.zones[from], traffic.zones[to], quantity(bytes));
}

void write_cell(Markup& out, const ZoneTraffic& traffic, std::size_t from, std::size_t to,
                Bytes bytes, const ByteUnit& unit, bool figures) {
  const std::string style =
      from == to ? "own" : fmt::format("heat{}", heat(bytes, traffic.largest));
  const std::string text = !figures     ? (from == to ? "·" : "")
                           : from == to ? fmt::format("({})", quantity(bytes))
                                        : in_unit(bytes, unit);
  out.element("td", text, {{"class", style}, {"title", pair_title(traffic, from, to, bytes)}});
}

void write_matrix(Markup& out, const ZoneTraffic& traffic, const ZoneMatrix& matrix,
                  const std::string& caption, const ByteUnit& unit) {
  const bool figures = traffic.zones.size() <= kMostWithFigures;
  out.open("table", {{"class", figures ? "matrix" : "matrix dense"}});
  out.element("caption", caption);
  out.open("thead").open("tr");
  out.element("th", figures ? "from \\ to" : "");
  for (const std::string& zone : traffic.zones)
    out.element("th", figures ? zone : "", {{"scope", "col"}, {"title", zone}});
  out.element("th", "sent", {{"scope", "col"}});
  out.close().close().open("tbody");
  for (std::size_t from = 0; from < traffic.zones.size(); ++from) {
    out.open("tr");
    out.element("th", traffic.zones[from], {{"scope", "row"}});
    for (std::size_t to = 0; to < traffic.zones.size(); ++to)
      write_cell(out, traffic, from, to, matrix.bytes[from][to], unit, figures);
    out.element("td", in_unit(matrix.sent[from], unit), {{"class", "sum"}}).close();
  }
  if (figures) {
    out.open("tr").element("th", "received", {{"scope", "row"}});
    for (const Bytes received : matrix.received)
      out.element("td", in_unit(received, unit), {{"class", "sum"}});
    out.open("td", {{"class", "sum"}}).element("b", in_unit(matrix.across, unit)).close().close();
  }
  out.close().close();
}

void write_scale(Markup& out, const ZoneTraffic& traffic, const ByteUnit& unit) {
  out.open("p", {{"class", "scale"}});
  out.element("span", "0", {{"class", "heat0"}});
  for (int step = 1; step <= kHeatSteps; ++step) {
    const Bytes upper{
        static_cast<std::int64_t>(static_cast<double>(traffic.largest.count) * step / kHeatSteps)};
    out.element("span", "≤\u202f" + in_unit(upper, unit), {{"class", fmt::format("heat{}", step)}});
  }
  out.text(std::string(unit.name)).close();
}

struct Pair {
  std::size_t from, to;
  Bytes bytes;
};

std::vector<Pair> largest_pairs(const ZoneMatrix& matrix) {
  std::vector<Pair> pairs;
  for (std::size_t from = 0; from < matrix.bytes.size(); ++from) {
    for (std::size_t to = 0; to < matrix.bytes.size(); ++to) {
      if (from != to && matrix.bytes[from][to].count > 0)
        pairs.push_back({from, to, matrix.bytes[from][to]});
    }
  }
  std::stable_sort(pairs.begin(), pairs.end(),
                   [](const Pair& a, const Pair& b) { return a.bytes > b.bytes; });
  if (pairs.size() > kPairs) pairs.resize(kPairs, Pair{});
  return pairs;
}

void write_pairs(Markup& out, const ZoneTraffic& traffic) {
  out.open("div", {{"class", "scroll"}}).open("table").open("thead").open("tr");
  for (const char* head : {"from", "to"}) out.element("th", head);
  if (traffic.before) out.element("th", "before", {{"class", "n"}});
  out.element("th", "this placement", {{"class", "n"}}).close().close().open("tbody");
  for (const Pair& pair : largest_pairs(traffic.before ? *traffic.before : traffic.after)) {
    out.open("tr").element("td", traffic.zones[pair.from]).element("td", traffic.zones[pair.to]);
    if (traffic.before) out.element("td", quantity(pair.bytes), {{"class", "n"}});
    out.element("td", quantity(traffic.after.bytes[pair.from][pair.to]), {{"class", "n"}}).close();
  }
  out.close().close().close();
}

void write_both(Markup& out, const Scene& scene) {
  const ZoneTraffic& traffic = scene.traffic;
  const ByteUnit unit = unit_for(traffic.unit_of);
  out.open("div", {{"class", "matrices"}});
  if (traffic.before) {
    out.open("div", {{"class", "scroll"}});
    write_matrix(out, traffic, *traffic.before, scene.before, unit);
    out.close();
  }
  out.open("div", {{"class", "scroll"}});
  write_matrix(out, traffic, traffic.after, "this placement", unit);
  out.close();
  out.close();
  if (traffic.largest.count > 0) write_scale(out, traffic, unit);
}

std::string hint_for(const Scene& scene) {
  std::string text = fmt::format(
      "{} per {}, from row to column; in brackets, with its own unit, what stays inside the zone; "
      "totals without it",
      unit_for(scene.traffic.unit_of).name, scene.per);
  if (scene.traffic.quiet_zones > 0) {
    text +=
        fmt::format("; {} without traffic left out", counted(scene.traffic.quiet_zones, "zone"));
  }
  return text;
}

}  // namespace

void write_zone_traffic(Markup& out, const Scene& scene) {
  out.open("section");
  out.element("h2", "Traffic between zones");
  if (scene.traffic.zones.size() > kMostCells) {
    out.element("p", fmt::format("per {}, the largest pairs of zones", scene.per),
                {{"class", "hint"}});
    write_pairs(out, scene.traffic);
  } else {
    out.element("p", hint_for(scene), {{"class", "hint"}});
    write_both(out, scene);
  }
  out.close();
}

}  // namespace zonecut::report
