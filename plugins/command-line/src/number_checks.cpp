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

CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
  return {[least, most](std::string& text) {
            const auto number = parsed<std::uint64_t>(text);
            if (!number || *number < least || *number > most) {
              return fmt::format("found \"{}\", expected a whole number from {} to {}", text, least,
                                 most);
            }
            text = std::to_string(*number);
            return std::string();
          },
          ""};
}

CLI::Validator number_between(double least, double most) {
  return {[least, most](std::string& text) {
            const auto number = parsed<double>(text);
            if (number && *number >= least && *number <= most) return std::string();
            return fmt::format("found \"{}\", expected a number from {} to {}", text, least, most);
          },
          ""};
}

}  // namespace zonecut::cli
