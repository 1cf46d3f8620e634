#include "choice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/document.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut::cli {

std::size_t chosen(std::string_view option, std::string_view word,
                   std::span<const std::string> choices) {
  const auto found = std::find(choices.begin(), choices.end(), word);
  if (found != choices.end()) return static_cast<std::size_t>(found - choices.begin());
  const auto nearest = nearest_word(word, choices);
  throw InputError(std::string(option),
                   fmt::format("found \"{}\", expected {}", word, one_of(choices)),
                   nearest ? fmt::format("did you mean {}?", *nearest) : "");
}

std::string one_of(std::span<const std::string> choices) {
  std::string text;
  for (std::size_t i = 0; i < choices.size(); ++i) {
    if (i > 0) text += i + 1 == choices.size() ? " or " : ", ";
    text += choices[i];
  }
  return text;
}

std::vector<std::string> split_at_commas(std::string_view text) {
  std::vector<std::string> parts;
  while (true) {
    const auto comma = text.find(',');
    parts.emplace_back(text.substr(0, comma));
    if (comma == std::string_view::npos) return parts;
    text.remove_prefix(comma + 1);
  }
}

}  // namespace zonecut::cli
