#include "objects/time.hpp"

#include <charconv>
#include <chrono>
#include <optional>

namespace zonecut::kubernetes {
namespace {

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int number = 0;
  const char* const begin = text.data() + at;
  const auto [end, error] = std::from_chars(begin, begin + count, number);
  if (error != std::errc{} || end != begin + count || number < 0) return std::nullopt;
  return number;
}

}  // namespace

std::int64_t milliseconds_of(std::string_view time) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00Z";
  if (time.size() < kShape.size() || time[4] != '-' || time[10] != 'T' || time.back() != 'Z')
    return 0;
  const auto year = digits(time, 0, 4);
  const auto month = digits(time, 5, 2);
  const auto day = digits(time, 8, 2);
  const auto hour = digits(time, 11, 2);
  const auto minute = digits(time, 14, 2);
  const auto second = digits(time, 17, 2);
  if (!year || !month || !day || !hour || !minute || !second) return 0;
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return 0;
  int fraction = 0;
  if (time[19] == '.' && time.size() >= 24) fraction = digits(time, 20, 3).value_or(0);
  const std::int64_t days = std::chrono::sys_days(date).time_since_epoch().count();
  return (((days * 24 + *hour) * 60 + *minute) * 60 + *second) * 1000 + fraction;
}

}  // namespace zonecut::kubernetes
