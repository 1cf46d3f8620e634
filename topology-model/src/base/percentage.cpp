#include "zonecut/base/percentage.hpp"

#include <charconv>

namespace zonecut {

std::optional<double> parse_percentage(std::string_view text) {
  if (!text.ends_with('%')) return std::nullopt;
  text.remove_suffix(1);
  double number = -1;
  if (text.starts_with('-')) return std::nullopt;
  const auto [stop, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  const bool is_share =
      error == std::errc{} && stop == text.data() + text.size() && number >= 0 && number <= 100;
  return is_share ? std::optional(number / 100) : std::nullopt;
}

}  // namespace zonecut
