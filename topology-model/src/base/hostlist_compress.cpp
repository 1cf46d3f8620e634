#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>

#include "hostlist_pattern.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/hostlist.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

/// A name, cut into texts and numbers; then, step by step, a pattern for a run of names: a number
/// becomes a bracket when the next item differs in nothing else.
struct Piece {
  std::string text;                  // as written, when not a bracket
  bool is_number = false;            // text is all digits
  std::optional<NumberRanges> many;  // a bracket
  friend bool operator==(const Piece&, const Piece&) = default;
};
using Item = std::vector<Piece>;

bool is_digit(char character) { return character >= '0' && character <= '9'; }

Item cut(std::string_view name) {
  Item item;
  for (std::size_t at = 0; at < name.size();) {
    const bool digits = is_digit(name[at]);
    std::size_t end = at;
    while (end < name.size() && is_digit(name[end]) == digits) ++end;
    const std::string_view text = name.substr(at, end - at);
    item.push_back({std::string(text), digits && text.size() <= kMostDigits, std::nullopt});
    at = end;
  }
  return item;
}

NumberRange single(std::string_view digits) {
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return {value, value, static_cast<int>(digits.size())};
}

/// Puts `digits` behind the ranges, prolonging the last one where its width allows.
void append(NumberRanges& ranges, std::string_view digits) {
  NumberRange& last = ranges.back();
  const bool prolongs = fmt::format("{:0{}}", last.last + 1, last.width) == digits;
  if (prolongs) {
    ++last.last;
  } else {
    ranges.push_back(single(digits));
  }
}

/// The one place in which two items differ; none when they differ elsewhere or in several.
std::optional<std::size_t> only_difference(const Item& a, const Item& b) {
  if (a.size() != b.size()) return std::nullopt;
  std::optional<std::size_t> place;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (a[i] == b[i]) continue;
    if (place) return std::nullopt;
    place = i;
  }
  return place;
}

/// Whether the run may take up one more name that differs at `place`. A run that has begun goes on
/// at its own place; a new bracket must be left of those it has, as the leftmost varies slowest.
bool may_grow(const Item& run, std::size_t place, bool has_begun) {
  if (has_begun) return run[place].many.has_value();
  return std::none_of(run.begin(), run.begin() + static_cast<std::ptrdiff_t>(place),
                      [](const Piece& piece) { return piece.many.has_value(); });
}

/// Joins each run of neighbours that differ in one number. O(total length).
std::vector<Item> join_neighbours(const std::vector<Item>& items) {
  std::vector<Item> runs;
  bool has_begun = false;  // the last run has more than one item
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto place = i > 0 ? only_difference(items[i - 1], items[i]) : std::nullopt;
    const bool both_numbers = place && items[i - 1][*place].is_number && items[i][*place].is_number;
    if (both_numbers && may_grow(runs.back(), *place, has_begun)) {
      Piece& piece = runs.back()[*place];
      if (!has_begun) piece = Piece{"", false, NumberRanges{single(piece.text)}};
      append(*piece.many, items[i][*place].text);
      has_begun = true;
    } else {
      runs.push_back(items[i]);
      has_begun = false;
    }
  }
  return runs;
}

void write(const Item& item, std::string& text) {
  const auto out = std::back_inserter(text);
  for (const Piece& piece : item) {
    if (!piece.many) {
      text += piece.text;
      continue;
    }
    char separator = '[';
    for (const NumberRange& range : *piece.many) {
      fmt::format_to(out, "{}{:0{}}", separator, range.first, range.width);
      if (range.last != range.first) fmt::format_to(out, "-{:0{}}", range.last, range.width);
      separator = ',';
    }
    text += ']';
  }
}

void check(const std::string& name) {
  if (!is_host_name(name)) {
    throw InputError("host list", fmt::format("\"{}\" cannot stand in a host list", excerpt(name)),
                     "a name without blanks, commas and brackets");
  }
}

}  // namespace

bool is_host_name(std::string_view name) {
  return !name.empty() && name.size() <= kLongestHostName &&
         std::all_of(name.begin(), name.end(), is_host_character);
}

std::string compress_hostlist(std::span<const std::string> names) {
  std::vector<Item> items;
  items.reserve(names.size());
  for (const std::string& name : names) {
    check(name);
    items.push_back(cut(name));
  }
  for (std::size_t before = 0; before != items.size();) {  // each round adds one bracket
    before = items.size();
    items = join_neighbours(items);
  }
  std::string text;
  for (const Item& item : items) {
    if (!text.empty()) text += ',';
    write(item, text);
  }
  return text;
}

}  // namespace zonecut
