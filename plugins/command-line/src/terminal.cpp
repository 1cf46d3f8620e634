#include "terminal.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

namespace zonecut::cli {
namespace {

constexpr int kNarrowest = 20;
constexpr int kWidest = 500;

std::string_view variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string_view{} : value;
}

std::optional<int> columns_variable() {
  const std::string_view text = variable("COLUMNS");
  int columns = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), columns);
  if (error != std::errc{} || end != text.data() + text.size() || columns <= 0) return std::nullopt;
  return columns;
}

int terminal_width() {
  if (const auto columns = columns_variable()) return std::clamp(*columns, kNarrowest, kWidest);
  winsize size{};
  if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) {
    return std::clamp(static_cast<int>(size.ws_col), kNarrowest, kWidest);
  }
  return 80;
}

// https://no-color.org: set and not empty, whatever the value.
bool wants_colour() {
  if (!variable("NO_COLOR").empty()) return false;
  if (const auto force = variable("CLICOLOR_FORCE"); !force.empty() && force != "0") return true;
  return isatty(STDOUT_FILENO) == 1 && variable("TERM") != "dumb";
}

bool speaks_unicode() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    std::string locale(variable(name));
    if (locale.empty()) continue;
    std::transform(locale.begin(), locale.end(), locale.begin(), [](unsigned char c) {
      return static_cast<char>(c >= 'A' && c <= 'Z' ? c + 32 : c);
    });
    return locale.find("utf-8") != std::string::npos || locale.find("utf8") != std::string::npos;
  }
  return true;
}

}  // namespace

Terminal detect_terminal() {
  return {.width = terminal_width(),
          .colour = wants_colour(),
          .unicode = speaks_unicode(),
          .errors_shown = isatty(STDERR_FILENO) == 1 && variable("TERM") != "dumb"};
}

int prose_width(const Terminal& terminal) { return std::clamp(terminal.width, 40, 80); }

}  // namespace zonecut::cli
