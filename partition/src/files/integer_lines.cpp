#include "files/integer_lines.hpp"

#include <fmt/format.h>

#include <charconv>

namespace zonecut {
namespace {

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }

bool is_blank(std::string_view line) {
  for (const char c : line) {
    if (!is_space(c)) return false;
  }
  return true;
}

/// A word as it may stand in a message: short, and nothing a terminal would obey.
std::string quoted(std::string_view word) {
  std::string text;
  for (const char c : word.substr(0, 24)) text += c >= ' ' && c <= '~' ? c : '?';
  return fmt::format("'{}{}'", text, word.size() > 24 ? "…" : "");
}

}  // namespace

bool IntegerLines::next(std::vector<std::int64_t>& numbers, bool blank_lines) {
  numbers.clear();
  while (!rest_.empty()) {
    const std::size_t end = rest_.find('\n');
    current_ = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end + 1);
    ++line_;
    if (comment_ != '\0' && current_.starts_with(comment_)) continue;
    if (!blank_lines && is_blank(current_)) continue;
    split(numbers);
    return true;
  }
  current_ = {};
  columns_.clear();
  return false;
}

void IntegerLines::split(std::vector<std::int64_t>& numbers) {
  columns_.clear();
  for (std::size_t i = 0; i < current_.size();) {
    if (is_space(current_[i])) {
      ++i;
      continue;
    }
    const std::size_t begin = i;
    while (i < current_.size() && !is_space(current_[i])) ++i;
    const std::string_view word = current_.substr(begin, i - begin);
    std::int64_t number = 0;
    const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    columns_.push_back(begin + 1);
    if (error != std::errc{} || stop != word.data() + word.size()) {
      problems_.add(where(columns_.size() - 1),
                    fmt::format("{} is not an integer of 64 bits", quoted(word)));
      number = 0;
    }
    numbers.push_back(number);
  }
}

std::string IntegerLines::where(std::size_t k) const {
  const std::size_t column = k < columns_.size() ? columns_[k] : current_.size() + 1;
  return fmt::format("{}:{}:{}", source_, line_ == 0 ? 1 : line_, column);
}

}  // namespace zonecut
