#include "report/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "report/utf8.hpp"

namespace zonecut::report {
namespace {

constexpr std::string_view kNarrowSpace = "\u202f";

/// Marks that could reorder or hide what follows, and code points XML does not allow.
bool is_harmful(std::uint32_t c) {
  const bool control = c < 0x20 || (c >= 0x7f && c < 0xa0);
  const bool direction =
      c == 0x200e || c == 0x200f || (c >= 0x202a && c <= 0x202e) || (c >= 0x2066 && c <= 0x2069);
  const bool line = c == 0x2028 || c == 0x2029;
  const bool outside_xml = c == 0xfffe || c == 0xffff;
  return control || direction || line || outside_xml;
}

bool is_combining(std::uint32_t c) {
  return (c >= 0x300 && c <= 0x36f) || (c >= 0x200b && c <= 0x200d) ||
         (c >= 0xfe00 && c <= 0xfe0f) || (c >= 0x20d0 && c <= 0x20ff);
}

bool is_wide(std::uint32_t c) {
  return (c >= 0x1100 && c <= 0x115f) || (c >= 0x2e80 && c <= 0xa4cf) ||
         (c >= 0xac00 && c <= 0xd7a3) || (c >= 0xf900 && c <= 0xfaff) ||
         (c >= 0xfe30 && c <= 0xfe6f) || (c >= 0xff00 && c <= 0xff60) ||
         (c >= 0xffe0 && c <= 0xffe6) || (c >= 0x1f300 && c <= 0x1faff) ||
         (c >= 0x20000 && c <= 0x3fffd);
}

std::size_t columns_of(std::uint32_t c) { return is_combining(c) ? 0 : is_wide(c) ? 2 : 1; }

/// "4.80 TB" with the space that keeps number and unit together, and the true sign for micro.
std::string with_narrow_space(std::string text) {
  if (const auto space = text.rfind(' '); space != std::string::npos) {
    if (text.compare(space, std::string::npos, " us") == 0) text.replace(space + 1, 1, "µ");
    text.replace(space, 1, kNarrowSpace);
  }
  return text;
}

constexpr std::array<std::pair<std::string_view, std::string_view>, 18> kLikeness = {{
    {"\u202f", " "},
    {"\u00a0", " "},
    {"×", "x"},
    {"–", "-"},
    {"—", "-"},
    {"−", "-"},
    {"·", "."},
    {"µ", "u"},
    {"…", "~"},
    {"█", "#"},
    {"▌", "#"},
    {"░", ":"},
    {"▒", "%"},
    {"│", "|"},
    {"─", "-"},
    {"●", "*"},
    {"○", "o"},
    {"→", ">"},
}};

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point_at(text, i);
    if (point.valid && !is_harmful(point.value)) {
      out += text.substr(i, point.length);
    } else {
      out += "\ufffd";
    }
    i += point.length;
  }
  return out;
}

std::string quantity(Bytes bytes) { return with_narrow_space(to_text(bytes)); }
std::string quantity(BytesPerSecond rate) { return with_narrow_space(to_text(rate)); }
std::string quantity(Seconds time) { return with_narrow_space(to_text(time)); }

ByteUnit unit_for(Bytes largest) {
  static constexpr std::array<ByteUnit, 7> kUnits = {
      {{"B", 1}, {"kB", 1e3}, {"MB", 1e6}, {"GB", 1e9}, {"TB", 1e12}, {"PB", 1e15}, {"EB", 1e18}}};
  std::size_t unit = 0;
  while (unit + 1 < kUnits.size() &&
         static_cast<double>(largest.count) >= 0.9995 * kUnits[unit + 1].bytes)
    ++unit;
  return kUnits[unit];
}

std::string in_unit(Bytes bytes, const ByteUnit& unit) {
  const double value = static_cast<double>(bytes.count) / unit.bytes;
  if (bytes.count == 0) return "0";
  if (value < 0.005) return "<0.01";
  if (value >= 99.95 || unit.bytes == 1) return grouped(std::int64_t{std::llround(value)});
  return fmt::format("{:.{}f}", value, value >= 9.995 ? 1 : 2);
}

std::string brief(std::int64_t count) {
  if (std::abs(count) < 1'000'000) return grouped(count);
  std::string text = fmt::format("{:.2e}", static_cast<double>(count));
  if (const auto plus = text.find("e+"); plus != std::string::npos) text.erase(plus + 1, 1);
  return text;
}

std::string percent(double share, int decimals) {
  return fmt::format("{:.{}f}{}%", share * 100, decimals, kNarrowSpace);
}

std::string factor(double ratio) {
  if (!std::isfinite(ratio)) return "∞";
  return ratio < 99.95 ? fmt::format("{:.2f}×", ratio)
                       : grouped(static_cast<std::int64_t>(std::min(ratio, 1e15))) + "×";
}

std::string ranges(std::span<const std::uint32_t> ascending, std::size_t limit) {
  std::string out;
  std::size_t written = 0;
  std::size_t omitted = 0;
  for (std::size_t i = 0; i < ascending.size();) {
    std::size_t end = i + 1;
    while (end < ascending.size() && ascending[end] == ascending[end - 1] + 1) ++end;
    if (written == limit) {
      ++omitted;
    } else {
      if (written++ > 0) out += ", ";
      out += end - i == 1 ? fmt::format("{}", ascending[i])
                          : fmt::format("{}–{}", ascending[i], ascending[end - 1]);
    }
    i = end;
  }
  if (omitted > 0) out += fmt::format(", … {} more", grouped(omitted));
  return out;
}

std::string joined(std::span<const std::string> parts, std::string_view separator) {
  std::string out;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    if (!out.empty()) out += separator;
    out += part;
  }
  return out;
}

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point_at(text, i);
    width += columns_of(point.value);
    i += point.length;
  }
  return width;
}

std::string fitted(std::string_view text, std::size_t width, std::string_view mark) {
  if (display_width(text) <= width) return std::string(text);
  const std::size_t mark_width = display_width(mark);
  if (mark_width > width) return {};
  std::size_t used = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const CodePoint point = code_point_at(text, end);
    if (used + columns_of(point.value) > width - mark_width) break;
    used += columns_of(point.value);
    end += point.length;
  }
  return std::string(text.substr(0, end)).append(mark);
}

std::string fitted_in_middle(std::string_view text, std::size_t width, std::string_view mark) {
  if (display_width(text) <= width) return std::string(text);
  const std::string begin = fitted(text, width / 3, "");
  const std::size_t used = display_width(begin) + display_width(mark);
  std::string_view end = text.substr(begin.size());
  while (!end.empty() && used + display_width(end) > width)
    end.remove_prefix(code_point_at(end, 0).length);
  return begin + std::string(mark) + std::string(end);
}

std::string to_plain(std::string_view text) {
  std::string out(text);
  for (std::size_t at = 0; (at = out.find(kNarrowSpace, at)) != std::string::npos; ++at) {
    out.replace(at, kNarrowSpace.size(), " ");
  }
  return out;
}

std::string to_ascii(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const CodePoint point = code_point_at(text, i);
    const std::string_view sign = text.substr(i, point.length);
    i += point.length;
    if (point.value < 0x80 && point.valid) {
      out += sign;
      continue;
    }
    std::string_view likeness = "?";
    for (const auto& [from, to] : kLikeness) {
      if (from == sign) likeness = to;
    }
    if (columns_of(point.value) > 0) out += likeness;
  }
  return out;
}

}  // namespace zonecut::report
