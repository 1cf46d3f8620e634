// Contrast as WCAG 2.2 measures it: 4.5 for text (1.4.3), 3 for what a chart is read by (1.4.11).
#include <cmath>
#include <map>
#include <regex>
#include <string>

#include "report/html_parts.hpp"
#include "support/catch.hpp"

using namespace zonecut;

namespace {

using Palette = std::map<std::string, std::string>;

/// The custom properties of one ":root{…}" block.
Palette palette_of(const std::string& block) {
  static const std::regex kColour("--([a-z0-9]+):\\s*#([0-9a-f]{6}|[0-9a-f]{3})\\b");
  Palette palette;
  for (std::sregex_iterator at(block.begin(), block.end(), kColour), end; at != end; ++at) {
    std::string digits = (*at)[2];
    if (digits.size() == 3) {
      digits = {digits[0], digits[0], digits[1], digits[1], digits[2], digits[2]};
    }
    palette[(*at)[1]] = digits;
  }
  return palette;
}

/// Light, dark and print, in the order of the style sheet.
std::vector<Palette> palettes() {
  const std::string css(report::style_sheet());
  std::vector<Palette> found;
  for (auto at = css.find(":root{"); at != std::string::npos; at = css.find(":root{", at + 1)) {
    found.push_back(palette_of(css.substr(at, css.find('}', at) - at)));
  }
  return found;
}

double luminance(const std::string& colour) {
  const auto linear = [&](std::size_t at) {
    const double value = std::stoi(colour.substr(at, 2), nullptr, 16) / 255.0;
    return value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4);
  };
  return 0.2126 * linear(0) + 0.7152 * linear(2) + 0.0722 * linear(4);
}

double contrast(const std::string& one, const std::string& other) {
  const double a = luminance(one);
  const double b = luminance(other);
  return (std::max(a, b) + 0.05) / (std::min(a, b) + 0.05);
}

void require_contrast(const Palette& palette, const std::string& front, const std::string& back,
                      double least) {
  INFO("--" << front << " on --" << back);
  CHECK(contrast(palette.at(front), palette.at(back)) >= least);
}

}  // namespace

TEST_CASE("contrast is that of WCAG's own examples", "[report]") {
  CHECK(contrast("000000", "ffffff") == Approx(21));
  CHECK(contrast("777777", "ffffff") == Approx(4.48).margin(0.01));
}

TEST_CASE("text of the report can be read in light, in dark and on paper", "[report]") {
  const std::vector<Palette> schemes = palettes();
  REQUIRE(schemes.size() == 3);
  for (const Palette& palette : schemes) {
    for (const char* text : {"ink", "soft"}) {
      require_contrast(palette, text, "page", 4.5);
      require_contrast(palette, text, "card", 4.5);
    }
    for (const char step : {'1', '2', '3', '4', '5', '6'}) {
      require_contrast(palette, std::string("hi") + step, std::string("h") + step, 4.5);
    }
  }
}

TEST_CASE("bars and marks of the report stand out from what is behind them", "[report]") {
  for (const Palette& palette : palettes()) {
    for (const char* sign : {"bar", "accent", "mark"}) {
      require_contrast(palette, sign, "page", 3);
      require_contrast(palette, sign, "track", 3);
    }
  }
}
