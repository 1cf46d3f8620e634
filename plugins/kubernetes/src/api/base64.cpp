#include "api/base64.hpp"

#include <cstdint>

namespace zonecut::kubernetes {
namespace {

constexpr std::string_view kAlphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

std::string without_line_breaks(std::string_view text) {
  std::string line(text);
  std::erase_if(line, [](char character) { return character == '\n' || character == '\r'; });
  return line;
}

/// Without the one or two '=' that fill the last group of four.
std::string_view without_padding(std::string_view text) {
  if (text.ends_with('=')) text.remove_suffix(1);
  if (text.ends_with('=')) text.remove_suffix(1);
  return text;
}

}  // namespace

std::optional<std::string> decode_base64(std::string_view text) {
  const std::string line = without_line_breaks(text);
  if (line.size() % 4 != 0) return std::nullopt;
  const std::string_view digits = without_padding(line);

  std::string bytes;
  bytes.reserve(digits.size() * 3 / 4);
  std::uint32_t bits = 0;
  int held = 0;
  for (const char digit : digits) {
    const std::size_t value = kAlphabet.find(digit);
    if (value == std::string_view::npos) return std::nullopt;
    bits = (bits << 6 | static_cast<std::uint32_t>(value)) & 0xffffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push_back(static_cast<char>(bits >> held & 0xff));
  }
  const bool bits_left_over = (bits & ((1u << held) - 1)) != 0;
  if (bits_left_over) return std::nullopt;
  return bytes;
}

}  // namespace zonecut::kubernetes
