#pragma once
// RFC 4180: fields between commas, quoted where they hold a comma, a quote or a line end. Strict: a
// stray quote is a mistake, not a character.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut {

struct CsvField {
  std::string text;
  std::size_t column = 0;  ///< from 1
};

struct CsvRow {
  int line = 0;  ///< where it begins
  std::vector<CsvField> fields;
};

/// Reads the rows of a text one by one; empty lines are left out. Borrows its arguments. Holds one
/// row in memory at a time; O(bytes) in all.
class CsvRows {
 public:
  CsvRows(std::string_view text, const std::string& source, ProblemList& problems)
      : text_(text), source_(source), problems_(problems) {}

  /// Reads the next row. False at the end, and after a stray or unclosed quote or a row of too
  /// many fields, where the rest cannot be taken apart: that mistake goes to the problems.
  [[nodiscard]] bool next(CsvRow& row);

 private:
  [[nodiscard]] bool at_end() const { return at_ == text_.size(); }
  [[nodiscard]] char peek() const { return at_end() ? '\n' : text_[at_]; }
  [[nodiscard]] bool at_row_end() const;
  [[nodiscard]] std::size_t column() const { return at_ - line_start_ + 1; }
  char take();
  void fail(std::string what);
  CsvRow parse_row();
  CsvField parse_field();
  void parse_quoted(std::string& out);

  std::string_view text_;
  const std::string& source_;
  ProblemList& problems_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
  bool broken_ = false;
};

}  // namespace zonecut
