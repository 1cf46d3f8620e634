// Bytes by tier and the busiest links, as rows of text with a drawing between: the drawing
// stretches with the page and the text keeps its size.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "report/html_parts.hpp"
#include "report/text.hpp"

namespace zonecut::report {
namespace {

std::string at_percent(double share) { return fmt::format("{:.2f}%", share * 100); }

/// A logarithmic axis from a power of ten to another; zero stands at its left end, apart.
struct LogAxis {
  int first = 0, last = 1;  ///< exponents

  [[nodiscard]] double position(Bytes bytes) const {
    if (bytes.count <= 0) return 0.01;
    constexpr double kLeft = 0.07;
    constexpr double kRight = 0.98;
    const double share =
        (std::log10(static_cast<double>(bytes.count)) - first) / static_cast<double>(last - first);
    return kLeft + std::clamp(share, 0.0, 1.0) * (kRight - kLeft);
  }
  /// So that four names stand side by side at most: the outermost two reach inwards.
  [[nodiscard]] int step() const { return (last - first + 4) / 4; }
};

LogAxis axis_for(const std::vector<TierBar>& bars) {
  std::int64_t least = 0;
  std::int64_t most = 0;
  const auto take = [&](Bytes bytes) {
    if (bytes.count <= 0) return;
    least = least == 0 ? bytes.count : std::min(least, bytes.count);
    most = std::max(most, bytes.count);
  };
  for (const TierBar& bar : bars) {
    take(bar.after);
    if (bar.before) take(*bar.before);
  }
  LogAxis axis;
  if (most == 0) return axis;
  axis.first = static_cast<int>(std::floor(std::log10(static_cast<double>(least))));
  axis.last = static_cast<int>(std::ceil(std::log10(static_cast<double>(most))));
  axis.last = std::max(axis.last, axis.first + 1);
  return axis;
}

Bytes power_of_ten(int exponent) {
  return {static_cast<std::int64_t>(std::llround(std::pow(10.0, std::min(exponent, 18))))};
}

/// "100 GB": the name of a power of ten.
std::string tick_name(int exponent) {
  const ByteUnit unit = unit_for(power_of_ten(exponent));
  const double value = static_cast<double>(power_of_ten(exponent).count) / unit.bytes;
  return fmt::format("{:.0f}\u202f{}", value, unit.name);
}

void write_rules(Markup& out, const LogAxis& axis, std::string_view height) {
  for (int exponent = axis.first; exponent <= axis.last; exponent += axis.step()) {
    const std::string x = at_percent(axis.position(power_of_ten(exponent)));
    out.shape("line", {{"class", "rule"}, {"x1", x}, {"x2", x}, {"y1", "-4"}, {"y2", height}});
  }
}

std::string tier_words(const Scene& scene, const TierBar& bar) {
  if (!bar.before) return quantity(bar.after);
  return fmt::format("{}: {}, this placement: {}", scene.before, quantity(*bar.before),
                     quantity(bar.after));
}

void write_tier(Markup& out, const Scene& scene, const LogAxis& axis, const TierBar& bar) {
  out.element("div", bar.label, {{"class", "label"}});
  out.open("svg", {{"height", "20"}, {"role", "img"}});
  out.element("title", fmt::format("{}, {}", bar.label, tier_words(scene, bar)));
  write_rules(out, axis, "24");
  const std::string after = at_percent(axis.position(bar.after));
  if (bar.before) {
    const std::string before = at_percent(axis.position(*bar.before));
    out.shape("line",
              {{"class", "span"}, {"x1", before}, {"x2", after}, {"y1", "10"}, {"y2", "10"}});
    out.shape("circle", {{"class", "ring"}, {"cx", before}, {"cy", "10"}, {"r", "6"}});
  }
  out.shape("circle", {{"class", "dot"}, {"cx", after}, {"cy", "10"}, {"r", "5"}});
  out.close();
  out.open("div", {{"class", "figure"}});
  out.element("b", quantity(bar.after));
  if (bar.before) out.element("small", "was " + quantity(*bar.before));
  out.close();
}

void write_axis(Markup& out, const LogAxis& axis) {
  out.element("div", "", {{"class", "label"}});
  out.open("svg", {{"height", "16"}, {"aria-hidden", "true"}});
  for (int exponent = axis.first; exponent <= axis.last; exponent += axis.step()) {
    out.element("text", tick_name(exponent),
                {{"class", "axis"},
                 {"y", "11"},
                 {"x", at_percent(axis.position(power_of_ten(exponent)))},
                 {"text-anchor", exponent == axis.first  ? "start"
                                 : exponent == axis.last ? "end"
                                                         : "middle"}});
  }
  out.close();
  out.element("div", "", {{"class", "figure"}});
}

/// The longest time any row shows; the end of all bars.
double longest(const std::vector<LinkBar>& links) {
  double most = 0;
  for (const LinkBar& link : links) {
    for (const double time : {link.after.count, link.before.value_or(Seconds{0}).count}) {
      if (std::isfinite(time)) most = std::max(most, time);
    }
  }
  return most > 0 ? most : 1;
}

double share_of(Seconds time, double most) {
  return std::isfinite(time.count) ? std::clamp(time.count / most, 0.0, 1.0) : 1.0;
}

void write_link(Markup& out, const Scene& scene, const LinkBar& link, double most) {
  out.open("div", {{"class", "label"}}).text(link.name);
  out.element("small", fmt::format("{}{}{}", link.binding ? "binds · " : "",
                                   link.bytes.count > 0 ? quantity(link.bytes) + " through " : "",
                                   quantity(link.capacity)));
  out.close();
  out.open("svg", {{"height", "20"}, {"role", "img"}});
  out.element("title", fmt::format("{}: {}{}", link.name, quantity(link.after),
                                   link.before ? fmt::format(", {}: {}", scene.before,
                                                             quantity(*link.before))
                                               : std::string()));
  out.shape("rect",
            {{"class", "track"}, {"y", "4"}, {"width", "100%"}, {"height", "12"}, {"rx", "2"}});
  out.shape("rect", {{"class", link.binding ? "binds" : "bar"},
                     {"y", "4"},
                     {"width", at_percent(share_of(link.after, most))},
                     {"height", "12"},
                     {"rx", "2"}});
  if (link.before) {
    const std::string x = at_percent(share_of(*link.before, most));
    out.shape("line", {{"class", "tick"}, {"x1", x}, {"x2", x}, {"y1", "1"}, {"y2", "19"}});
  }
  out.close();
  out.open("div", {{"class", "figure"}});
  out.element("b", quantity(link.after));
  if (link.before) out.element("small", "was " + quantity(*link.before));
  out.close();
}

}  // namespace

void write_tiers(Markup& out, const Scene& scene) {
  const LogAxis axis = axis_for(scene.tiers);
  out.open("section");
  out.element("h2", "Bytes by the highest tier they cross");
  out.element("p", fmt::format("per {}, logarithmic; tiers from the inside out", scene.per),
              {{"class", "hint"}});
  out.open("div", {{"class", "rows"}});
  for (const TierBar& bar : scene.tiers) write_tier(out, scene, axis, bar);
  write_axis(out, axis);
  out.close();
  if (!scene.before.empty()) {
    out.element("p", fmt::format("○ {}   ● this placement", scene.before), {{"class", "key"}});
  }
  out.close();
}

void write_links(Markup& out, const Scene& scene) {
  out.open("section");
  out.element("h2", "Busiest links");
  out.element(
      "p",
      fmt::format("seconds per {} to carry its bytes; the busiest bundles of each tier{}",
                  scene.per,
                  scene.before.empty() ? "" : fmt::format("; the stroke is {}", scene.before)),
      {{"class", "hint"}});
  if (scene.links.empty()) out.element("p", "No link between servers carries anything.");
  out.open("div", {{"class", "rows"}});
  const double most = longest(scene.links);
  for (const LinkBar& link : scene.links) write_link(out, scene, link, most);
  out.close();
  out.close();
}

}  // namespace zonecut::report
