// Times and counts as traces write them.
#include <charconv>
#include <chrono>
#include <cmath>

#include "trace/trace_readers.hpp"

namespace zonecut {
namespace {

/// So many digits at the front, which are taken away.
std::optional<unsigned> take_digits(std::string_view& text, std::size_t digits) {
  if (text.size() < digits) return std::nullopt;
  unsigned value = 0;
  for (const char c : text.substr(0, digits)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = 10 * value + static_cast<unsigned>(c - '0');
  }
  text.remove_prefix(digits);
  return value;
}

bool take(std::string_view& text, std::string_view any_of) {
  if (text.empty() || any_of.find(text.front()) == std::string_view::npos) return false;
  text.remove_prefix(1);
  return true;
}

/// Of a time of the day; nothing at all is midnight.
std::optional<std::int64_t> seconds_of_day(std::string_view text) {
  if (text.empty()) return 0;
  if (!take(text, " T")) return std::nullopt;
  const auto hours = take_digits(text, 2);
  if (!hours || !take(text, ":")) return std::nullopt;
  const auto minutes = take_digits(text, 2);
  if (!minutes || !take(text, ":")) return std::nullopt;
  const auto seconds = take_digits(text, 2);
  if (!seconds) return std::nullopt;
  take(text, "Z");
  constexpr unsigned kLeapSecond = 60;
  if (!text.empty() || *hours > 23 || *minutes > 59 || *seconds > kLeapSecond) return std::nullopt;
  return (std::int64_t{*hours} * 60 + *minutes) * 60 + *seconds;
}

}  // namespace

std::optional<std::int64_t> parse_count(std::string_view text, std::int64_t most) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (text.starts_with('-') || value > most) return std::nullopt;
  return value;
}

std::optional<std::int64_t> parse_milliseconds(std::string_view text) {
  constexpr double kLongest = 1e10;
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  if (!(value >= 0 && value <= kLongest) || std::signbit(value)) return std::nullopt;
  return std::llround(value * 1000);
}

std::optional<std::int64_t> parse_date(std::string_view text) {
  const auto year = take_digits(text, 4);
  if (!year || !take(text, "-")) return std::nullopt;
  const auto month = take_digits(text, 2);
  if (!month || !take(text, "-")) return std::nullopt;
  const auto day = take_digits(text, 2);
  if (!day) return std::nullopt;
  const std::chrono::year_month_day date{std::chrono::year(static_cast<int>(*year)),
                                         std::chrono::month(*month), std::chrono::day(*day)};
  const auto seconds = seconds_of_day(text);
  if (!date.ok() || !seconds) return std::nullopt;
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (days * 86'400 + *seconds) * 1000;
}

}  // namespace zonecut
