#pragma once
// Text files of integers, one record a line, as the graph, tree and coordinate formats are. Reads
// in place, knows where every number stands, and reports instead of guessing. Linear in the text.
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut {

class IntegerLines {
 public:
  /// Lines that begin with `comment` are skipped; '\0': none are. Borrows everything.
  /// A byte order mark before the text is passed over.
  IntegerLines(std::string_view text, const std::string& source, char comment,
               ProblemList& problems)
      : rest_(text), source_(source), comment_(comment), problems_(problems) {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (rest_.starts_with(kByteOrderMark)) rest_.remove_prefix(kByteOrderMark.size());
  }

  /// The integers of the next line, or none at the end of the text. A word that is no 64-bit
  /// integer is reported and read as 0. `blank_lines`: whether an empty line is a record.
  [[nodiscard]] bool next(std::vector<std::int64_t>& numbers, bool blank_lines);

  /// "file:line:column" of the k-th number of the line read last; its end if it has fewer.
  [[nodiscard]] std::string where(std::size_t k) const;
  [[nodiscard]] std::size_t line() const noexcept { return line_; }

 private:
  void split(std::vector<std::int64_t>& numbers);

  std::string_view rest_;
  const std::string& source_;
  char comment_;
  ProblemList& problems_;
  std::string_view current_;
  std::vector<std::size_t> columns_;
  std::size_t line_ = 0;
};

}  // namespace zonecut
