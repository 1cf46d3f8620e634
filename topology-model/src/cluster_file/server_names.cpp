#include "cluster_file/server_names.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

/// "05" or "5" after the colon of a placeholder: a width from 1 to 9.
std::optional<int> parse_width(std::string_view text) {
  if (text.starts_with('0')) text.remove_prefix(1);
  if (text.size() != 1 || text[0] < '1' || text[0] > '9') return std::nullopt;
  return text[0] - '0';
}

}  // namespace

ServerNames ServerNames::standard(std::span<const std::string> levels) {
  ServerNames names;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    names.parts_.push_back({Part::Kind::Level, {}, level, 1});
    names.parts_.push_back({Part::Kind::Text, "-", 0, 1});
  }
  names.parts_.back().text = "-s";
  names.parts_.push_back({Part::Kind::InDomain, {}, 0, 1});
  return names;
}

ServerNames::Part ServerNames::placeholder(std::string_view inside,
                                           std::span<const std::string> levels,
                                           const std::string& where) {
  const std::size_t colon = inside.find(':');
  const std::string_view word = inside.substr(0, colon);
  std::optional<int> width = 1;
  if (colon != std::string_view::npos) width = parse_width(inside.substr(colon + 1));
  if (width && word == "n") return {Part::Kind::InDomain, {}, 0, *width};
  if (width && word == "number") return {Part::Kind::InCluster, {}, 0, *width};
  const auto level = std::find(levels.begin(), levels.end(), word);
  if (level != levels.end() && colon == std::string_view::npos)
    return {Part::Kind::Level, {}, static_cast<std::size_t>(level - levels.begin()), 1};
  throw InputError(where,
                   fmt::format("found the placeholder \"{{{}}}\", expected one of {{{}}}, {{n}}, "
                               "{{number}}",
                               inside, fmt::join(levels, "}, {")),
                   "numbers may have a width, as in {n:02}");
}

ServerNames ServerNames::parse(std::string_view text, std::span<const std::string> levels,
                               const std::string& where) {
  ServerNames names;
  bool counts = false;
  while (!text.empty()) {
    const std::size_t brace = text.find('{');
    if (brace > 0)
      names.parts_.push_back({Part::Kind::Text, std::string(text.substr(0, brace)), 0, 1});
    if (brace == std::string_view::npos) break;
    const std::size_t end = text.find('}', brace);
    if (end == std::string_view::npos)
      throw InputError(where, "a placeholder is not closed, expected '}'");
    names.parts_.push_back(placeholder(text.substr(brace + 1, end - brace - 1), levels, where));
    counts = counts || names.parts_.back().kind >= Part::Kind::InDomain;
    text.remove_prefix(end + 1);
  }
  if (!counts)
    throw InputError(where, "all servers would have the same name",
                     "let it hold {n} (counts in a domain) or {number} (counts in the cluster)");
  return names;
}

std::string ServerNames::name(std::span<const std::string> path, std::uint64_t n,
                              std::uint64_t number) const {
  std::string name;
  const auto out = std::back_inserter(name);
  for (const Part& part : parts_) {
    switch (part.kind) {
      case Part::Kind::Text:
        name += part.text;
        break;
      case Part::Kind::Level:
        name += path[part.level];
        break;
      case Part::Kind::InDomain:
        fmt::format_to(out, "{:0{}}", n, part.width);
        break;
      case Part::Kind::InCluster:
        fmt::format_to(out, "{:0{}}", number, part.width);
        break;
    }
  }
  return name;
}

}  // namespace zonecut
