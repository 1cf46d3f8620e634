#pragma once
// One step through UTF-8 that never trusts it.
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace zonecut::report {

struct CodePoint {
  std::uint32_t value = 0;
  std::size_t length = 1;  ///< bytes to go on by; 1 where the text is not valid
  bool valid = false;
};

/// The code point at `at` < text.size(). Overlong forms, surrogates and cut-off sequences are not
/// valid.
[[nodiscard]] constexpr CodePoint code_point_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(text[i]));
  };
  const std::uint32_t first = byte(at);
  if (first < 0x80) return {first, 1, true};
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || at + length > text.size()) return {};
  std::uint32_t value = first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(at + i) & 0xc0U) != 0x80) return {};
    value = (value << 6U) | (byte(at + i) & 0x3fU);
  }
  constexpr std::uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = value >= 0xd800 && value <= 0xdfff;
  if (value < kLeast[length] || value > 0x10ffff || surrogate) return {};
  return {value, length, true};
}

}  // namespace zonecut::report
