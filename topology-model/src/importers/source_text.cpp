#include "importers/source_text.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::importers {

std::string position(const std::string& source, int line, std::size_t column) {
  return fmt::format("{}:{}:{}", source, line, column);
}

std::string_view checked_text(std::string_view text, const std::string& source) {
  if (text.size() > kMaxTextBytes) {
    throw InputError(source, fmt::format("the text has {} bytes, expected at most {}", text.size(),
                                         kMaxTextBytes));
  }
  if (const auto bad = find_malformed_utf8(text)) {
    throw InputError(position(source, bad->line, static_cast<std::size_t>(bad->column)), bad->what,
                     "save the file as UTF-8");
  }
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with(kByteOrderMark)) text.remove_prefix(kByteOrderMark.size());
  return text;
}

bool Lines::next(Line& line) {
  if (rest_.empty()) return false;
  const std::size_t end = std::min(rest_.find('\n'), rest_.size());
  line.text = rest_.substr(0, end);
  line.number = ++number_;
  if (line.text.ends_with('\r')) line.text.remove_suffix(1);
  rest_.remove_prefix(std::min(end + 1, rest_.size()));
  return true;
}

std::string lower_case(std::string_view text) {
  std::string result(text);
  for (char& c : result) c = lower_case(c);
  return result;
}

}  // namespace zonecut::importers
