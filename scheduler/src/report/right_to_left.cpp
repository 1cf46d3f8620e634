#include "report/right_to_left.hpp"

#include <algorithm>
#include <optional>

#include "report/utf8.hpp"

namespace zonecut::report {
namespace {

/// Hebrew, Arabic, Syriac, Thaana, N'Ko and what follows them; their presentation forms; the
/// scripts of antiquity, Adlam and others beyond the first plane.
bool is_right_to_left(std::uint32_t code) {
  return (code >= 0x0590 && code <= 0x08ff) || (code >= 0xfb1d && code <= 0xfdff) ||
         (code >= 0xfe70 && code <= 0xfefe) || (code >= 0x10800 && code <= 0x10fff) ||
         (code >= 0x1e800 && code <= 0x1efff);
}

bool is_letter_or_digit(std::uint32_t code) {
  if (code < 0x80) {
    return (code >= '0' && code <= '9') || (code >= 'a' && code <= 'z') ||
           (code >= 'A' && code <= 'Z');
  }
  const bool is_sign = code < 0xc0 || code == 0xd7 || code == 0xf7 ||  // "·", "×", "÷"
                       (code >= 0x2000 && code <= 0x2bff) ||           // "–", "…", "→", "≥"
                       (code >= 0x3000 && code <= 0x303f);
  return !is_sign;
}

bool joins(std::uint32_t code) {
  return code == '-' || code == '_' || code == '.' || code == 0x2026;  // "…" of a shortened name
}

/// The word at `at`, which is a letter or a digit; none unless it is written from right to left.
/// `at` is then behind it.
std::optional<Stretch> take_word(std::string_view text, std::size_t& at) {
  Stretch word{at, at};
  bool is_one = false;
  while (at < text.size()) {
    const CodePoint point = code_point_at(text, at);
    const bool belongs = point.valid && is_letter_or_digit(point.value);
    if (!belongs && !(point.valid && joins(point.value))) break;
    at += point.length;
    if (belongs) word.end = at;
    is_one = is_one || is_right_to_left(point.value);
  }
  return is_one ? std::optional(word) : std::nullopt;
}

}  // namespace

std::vector<Stretch> right_to_left_names(std::string_view text) {
  std::vector<Stretch> names;
  // The first byte of U+0590.
  const auto may_begin = [](char c) { return static_cast<unsigned char>(c) >= 0xd6; };
  if (std::none_of(text.begin(), text.end(), may_begin)) return names;
  for (std::size_t at = 0; at < text.size();) {
    const CodePoint point = code_point_at(text, at);
    if (!point.valid || !is_letter_or_digit(point.value)) {
      at += point.length;
      continue;
    }
    const std::optional<Stretch> word = take_word(text, at);
    if (!word) continue;
    const bool goes_on =
        !names.empty() && names.back().end + 1 == word->begin && text[names.back().end] == ' ';
    if (goes_on)
      names.back().end = word->end;
    else
      names.push_back(*word);
  }
  return names;
}

}  // namespace zonecut::report
