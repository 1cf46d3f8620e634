#include "cluster_file/yaml_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Plain texts begin with a letter, so that none is a number, and are no word that YAML reads as
/// something else.
bool may_stand_plain(std::string_view text, std::string_view punctuation) {
  constexpr std::array<std::string_view, 12> kTakenWords = {
      "null", "Null", "NULL", "true", "True", "TRUE", "false", "False", "FALSE", "yes", "no", "on"};
  if (text.empty() || !is_letter(text.front())) return false;
  if (std::find(kTakenWords.begin(), kTakenWords.end(), text) != kTakenWords.end()) return false;
  return std::all_of(text.begin(), text.end(), [&](char c) {
    return is_letter(c) || is_digit(c) || punctuation.find(c) != std::string_view::npos;
  });
}

std::string quoted(std::string_view text) {
  if (const auto control = find_control_character(text)) {
    throw InputError("name",
                     fmt::format("the control character {} cannot be written to a file", *control));
  }
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\t') {
      result += "\\t";
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\r') {
      result += "\\r";
    } else {
      result += c;
    }
  }
  return result + '"';
}

}  // namespace

std::string yaml_line_text(std::string_view text) {
  return may_stand_plain(text, "-_./[],") ? std::string(text) : quoted(text);
}

std::string yaml_flow_text(std::string_view text) {
  return may_stand_plain(text, "-_./") ? std::string(text) : quoted(text);
}

std::string exact_duration(Seconds time) {
  struct Unit {
    std::string_view name;
    double seconds;
  };
  constexpr std::array<Unit, 3> kUnits = {{{"us", 1e-6}, {"ns", 1e-9}, {"ms", 1e-3}}};
  std::string shortest = fmt::format("{}s", time.count);
  for (const Unit& unit : kUnits) {
    // 15 digits hide the rounding of the division; whether they suffice is checked by reading.
    std::string text = fmt::format("{:.15g}{}", time.count / unit.seconds, unit.name);
    if (text.size() < shortest.size() && parse_duration(text) == time) shortest = std::move(text);
  }
  return shortest;
}

}  // namespace zonecut
