#include "cluster_file/file_format.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

namespace zonecut {
namespace {

/// The line and column at the end of "file:line:column"; last for a place without them.
std::pair<int, int> position(std::string_view where) {
  constexpr std::pair<int, int> kLast = {std::numeric_limits<int>::max(), 0};
  const auto number_after = [&](std::size_t colon) {
    int number = -1;
    std::from_chars(where.data() + colon + 1, where.data() + where.size(), number);
    return number;
  };
  const std::size_t second = where.rfind(':');
  if (second == std::string_view::npos || second == 0) return kLast;
  const std::size_t first = where.rfind(':', second - 1);
  if (first == std::string_view::npos) return kLast;
  const std::pair<int, int> position = {number_after(first), number_after(second)};
  return position.first > 0 && position.second > 0 ? position : kLast;
}

}  // namespace

void throw_in_order(const ProblemList& problems) {
  try {
    problems.throw_if_any();
  } catch (const InputError& error) {
    std::vector<Problem> sorted = error.problems();
    std::stable_sort(sorted.begin(), sorted.end(), [](const Problem& a, const Problem& b) {
      return position(a.where) < position(b.where);
    });
    throw InputError(std::move(sorted));
  }
}

void require_format(Fields& fields, std::string_view format) {
  if (fields.find("format") == nullptr) {
    throw InputError(fields.where(), "the key \"format\" is missing",
                     fmt::format("begin the file with \"format: {}\"", format));
  }
  fields.refuse_other_format(format);
}

}  // namespace zonecut
