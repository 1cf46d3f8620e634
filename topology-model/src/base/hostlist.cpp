#include "zonecut/base/hostlist.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "hostlist_pattern.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::string_view kDigits = "0123456789";

/// Writes out the names of one pattern; the last bracket varies fastest.
void expand(const HostPattern& pattern, std::size_t part, std::string& name,
            std::vector<std::string>& names) {
  if (part == pattern.parts.size()) {
    names.push_back(name);
    return;
  }
  const std::size_t size = name.size();
  if (const auto* text = std::get_if<std::string>(&pattern.parts[part])) {
    name += *text;
    expand(pattern, part + 1, name, names);
  } else {
    for (const NumberRange& range : std::get<NumberRanges>(pattern.parts[part])) {
      for (std::uint64_t number = range.first; number <= range.last; ++number) {
        fmt::format_to(std::back_inserter(name), "{:0{}}", number, range.width);
        expand(pattern, part + 1, name, names);
        name.resize(size);
      }
    }
  }
  name.resize(size);
}

/// A run of digits without its leading zeros.
std::string_view significant(std::string_view digits) {
  const std::size_t zeros = digits.find_first_not_of('0');
  return zeros == std::string_view::npos ? std::string_view{} : digits.substr(zeros);
}

std::string_view digits_at(std::string_view text, std::size_t at) {
  return text.substr(at, text.find_first_not_of(kDigits, at) - at);
}

bool is_digit(char character) { return character >= '0' && character <= '9'; }

}  // namespace

std::vector<std::string> expand_hostlist(std::string_view list, const std::string& where,
                                         std::size_t most) {
  const std::vector<HostPattern> patterns = read_host_patterns(list, where, most);
  std::size_t total = 0;
  for (const HostPattern& pattern : patterns) {
    const std::size_t count = pattern.count();
    if (count > most - total) refuse_more_names(where, most);
    total += count;
  }
  std::vector<std::string> names;
  names.reserve(total);
  std::string name;
  for (const HostPattern& pattern : patterns) expand(pattern, 0, name, names);
  return names;
}

bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < a.size() && j < b.size()) {
    if (is_digit(a[i]) && is_digit(b[j])) {
      const std::string_view x = digits_at(a, i);
      const std::string_view y = digits_at(b, j);
      const std::string_view p = significant(x);
      const std::string_view q = significant(y);
      if (p.size() != q.size()) return p.size() < q.size();
      if (p != q) return p < q;
      i += x.size();
      j += y.size();
    } else {
      if (a[i] != b[j]) return static_cast<unsigned char>(a[i]) < static_cast<unsigned char>(b[j]);
      ++i;
      ++j;
    }
  }
  if ((i < a.size()) != (j < b.size())) return j < b.size();
  return a < b;  // equal but for leading zeros
}

}  // namespace zonecut
