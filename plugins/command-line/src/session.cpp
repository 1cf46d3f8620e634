#include "session.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace zonecut::cli {
namespace {

bool needs_no_quotes(char c) {
  constexpr std::string_view kPlain = "-_./,:=@%+";
  return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
         kPlain.find(c) != std::string_view::npos;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && std::all_of(word.begin(), word.end(), needs_no_quotes)) return word;
  std::string text = "'";
  for (const char c : word) text += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return text + "'";
}

/// Options that say where a result goes or how fast it comes, not what it is.
bool shapes_no_result(std::string_view option) {
  static constexpr std::array<std::string_view, 6> kOptions = {"--threads", "-o",     "--output",
                                                               "--html",    "--json", "--jobs-out"};
  return std::find(kOptions.begin(), kOptions.end(), option) != kOptions.end();
}

bool is_option(std::string_view word) { return word.size() > 1 && word.front() == '-'; }

}  // namespace

std::string command_line(const Session& session) {
  std::string text = "zonecut";
  for (std::size_t i = 0; i < session.arguments.size(); ++i) {
    const std::string& argument = session.arguments[i];
    const std::size_t equals = argument.find('=');
    if (!is_option(argument) || !shapes_no_result(argument.substr(0, equals))) {
      text += " " + quoted(argument);
    } else if (equals == std::string::npos && i + 1 < session.arguments.size() &&
               !is_option(session.arguments[i + 1])) {
      ++i;  // its value
    }
  }
  return text;
}

}  // namespace zonecut::cli
