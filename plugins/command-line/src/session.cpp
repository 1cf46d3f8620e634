#include "session.hpp"

#include <algorithm>

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

}  // namespace

std::string command_line(const Session& session) {
  std::string text = "zonecut";
  for (const std::string& argument : session.arguments) text += " " + quoted(argument);
  return text;
}

}  // namespace zonecut::cli
