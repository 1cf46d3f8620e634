#include "what_if/change_text.hpp"
#include "zonecut/base/trim.hpp"

namespace zonecut {
namespace {

/// The parts between commas that stand in no brackets and no quotes.
std::vector<std::string_view> at_commas(std::string_view text) {
  std::vector<std::string_view> parts;
  int depth = 0;
  bool quoted = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= text.size(); ++at) {
    const char here = at < text.size() ? text[at] : ',';
    if (here == '"') quoted = !quoted;
    if (here == '[' && !quoted) ++depth;
    if (here == ']' && !quoted) --depth;
    if (at < text.size() && (here != ',' || depth > 0 || quoted)) continue;
    parts.push_back(trimmed(text.substr(begin, at - begin)));
    begin = at + 1;
  }
  return parts;
}

}  // namespace

std::vector<std::string_view> listed(std::string_view text) {
  std::vector<std::string_view> parts = at_commas(text);
  std::erase_if(parts, [](std::string_view part) { return part.empty(); });
  return parts;
}

std::string_view unquoted(std::string_view text) {
  const bool is_quoted = text.size() > 1 && text.front() == '"' && text.back() == '"';
  return is_quoted ? text.substr(1, text.size() - 2) : text;
}

std::vector<std::pair<std::string, std::string>> split_changes(std::string_view text) {
  std::vector<std::pair<std::string, std::string>> changes;
  for (const std::string_view piece : at_commas(text)) {
    const auto equals = piece.find('=');
    if (equals != std::string_view::npos && equals < piece.find('"')) {
      changes.emplace_back(trimmed(piece.substr(0, equals)), trimmed(piece.substr(equals + 1)));
    } else if (!changes.empty()) {
      changes.back().second.append(",").append(piece);
    } else {
      changes.emplace_back(piece, "");
    }
  }
  return changes;
}

}  // namespace zonecut
