#include "number_checks.hpp"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string>

namespace zonecut::cli {
namespace {

/// The whole text as a number, or none.
template <class Number>
std::optional<Number> parsed(const std::string& text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace

WholeNumber::WholeNumber(std::uint64_t least, std::uint64_t most) {
  func_ = [least, most](std::string& text) {
    const auto number = parsed<std::uint64_t>(text);
    const bool octal = text.size() > 1 && text.front() == '0';
    if (number && !octal && *number >= least && *number <= most) return std::string();
    return fmt::format("found \"{}\", expected a whole number from {} to {}{}", text, least, most,
                       octal ? ", without zeros before it" : "");
  };
}

NumberBetween::NumberBetween(double least, double most) {
  func_ = [least, most](std::string& text) {
    const auto number = parsed<double>(text);
    if (number && *number >= least && *number <= most) return std::string();
    return fmt::format("found \"{}\", expected a number from {} to {}", text, least, most);
  };
}

}  // namespace zonecut::cli
