#include "zonecut/base/text_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace zonecut {
namespace {

unsigned byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

bool is_continuation(std::string_view text, std::size_t index) {
  return index < text.size() && (byte_at(text, index) & 0xC0) == 0x80;
}

/// Bytes of the character that begins at `at`; 0 when it is malformed: cut short, overlong, a
/// surrogate or beyond U+10FFFF (RFC 3629).
std::size_t character_size(std::string_view text, std::size_t at) {
  const unsigned first = byte_at(text, at);
  if (first < 0x80) return first == 0 ? 0 : 1;
  if (first < 0xC2 || first > 0xF4 || !is_continuation(text, at + 1)) return 0;
  if (first < 0xE0) return 2;
  const unsigned second = byte_at(text, at + 1);
  if (!is_continuation(text, at + 2)) return 0;
  if (first < 0xF0) {
    const bool malformed = (first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F);
    return malformed ? 0 : 3;
  }
  const bool malformed = (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F);
  return malformed || !is_continuation(text, at + 3) ? 0 : 4;
}

/// Of a character as character_size() measures it; a malformed byte is none of those below.
unsigned code_point(std::string_view character) {
  const unsigned first = byte_at(character, 0);
  if (character.size() == 1) return first < 0x80 ? first : 0xFFFD;
  unsigned code = first & (0xFFU >> (character.size() + 1));
  for (std::size_t i = 1; i < character.size(); ++i)
    code = code << 6U | (byte_at(character, i) & 0x3FU);
  return code;
}

bool is_control(unsigned code) {
  const bool terminals = code < 0x20 || (code >= 0x7F && code < 0xA0);
  const bool line_end = code == 0x2028 || code == 0x2029;
  const bool direction = code == 0x061C || code == 0x200E || code == 0x200F ||
                         (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
  return terminals || line_end || direction;
}

MalformedText describe(std::string_view text, std::size_t at) {
  const std::string_view before = text.substr(0, at);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          static_cast<int>(at - line_start) + 1,
          fmt::format("found the byte 0x{:02X}, expected UTF-8 text", byte_at(text, at))};
}

}  // namespace

std::optional<MalformedText> find_malformed_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    if (size == 0) return describe(text, at);
    at += size;
  }
  return std::nullopt;
}

std::optional<std::string> find_control_character(std::string_view text, std::string_view allowed) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = std::max<std::size_t>(1, character_size(text, at));
    const unsigned code = code_point(text.substr(at, size));
    if (is_control(code) && (size > 1 || allowed.find(text[at]) == std::string_view::npos))
      return size > 1 ? fmt::format("U+{:04X}", code) : fmt::format("0x{:02X}", code);
    at += size;
  }
  return std::nullopt;
}

std::string harmless(std::string_view text) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t size = character_size(text, at);
    const std::string_view character = text.substr(at, std::max<std::size_t>(1, size));
    if (size == 0 || is_control(code_point(character))) {
      result += '?';
    } else {
      result += character;
    }
    at += character.size();
  }
  return result;
}

std::string excerpt(std::string_view text) {
  constexpr std::size_t kLongest = 60;
  if (text.size() <= kLongest) return std::string(text);
  std::size_t size = kLongest;
  while (size > 0 && is_continuation(text, size)) --size;
  return std::string(text.substr(0, size)) + "…";
}

}  // namespace zonecut
