#pragma once
// Text without the blanks around it.
#include <string_view>

namespace zonecut {

/// Without spaces, tabs and line ends at both ends, ASCII only. A view of the same text. O(blanks).
[[nodiscard]] constexpr std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(kBlanks) - begin + 1);
}

}  // namespace zonecut
