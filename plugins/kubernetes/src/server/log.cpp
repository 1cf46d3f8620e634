#include "server/log.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>

namespace zonecut::kubernetes {
namespace {

/// RFC 3339 in UTC, to the millisecond.
std::string now_text() {
  using namespace std::chrono;
  const auto now = floor<milliseconds>(system_clock::now());
  const auto second = floor<seconds>(now);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(system_clock::to_time_t(second)),
                     (now - second).count());
}

const char* name_of(LogLevel level) {
  switch (level) {
    case LogLevel::Info:
      return "info";
    case LogLevel::Warning:
      return "warning";
    case LogLevel::Error:
      break;
  }
  return "error";
}

std::string line_of(LogLevel level, std::string_view message, Log::Fields fields) {
  nlohmann::ordered_json line{
      {"time", now_text()}, {"level", name_of(level)}, {"message", message}};
  for (const auto& [key, value] : fields)
    std::visit([&](const auto& plain) { line[std::string(key)] = plain; }, value);
  return line.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

std::string missing_lines(std::size_t count) {
  return line_of(LogLevel::Warning, "lines of the log were dropped",
                 {{"count", static_cast<std::int64_t>(count)}});
}

}  // namespace

Log::Log(int descriptor) : lines_(descriptor, missing_lines) {}

void Log::info(std::string_view message, Fields fields) { write(LogLevel::Info, message, fields); }

void Log::warning(std::string_view message, Fields fields) {
  write(LogLevel::Warning, message, fields);
}

void Log::error(std::string_view message, Fields fields) {
  write(LogLevel::Error, message, fields);
}

void Log::write(LogLevel level, std::string_view message, Fields fields) {
  lines_.add(line_of(level, message, fields));
}

}  // namespace zonecut::kubernetes
