#pragma once
// RFC 4180: fields between commas, quoted where they hold a comma, a quote or a line end. Strict: a
// stray quote is a mistake, not a character.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut::importers {

struct CsvField {
  std::string text;
  std::size_t column = 0;  ///< from 1
};

struct CsvRow {
  int line = 0;  ///< where it begins
  std::vector<CsvField> fields;
};

/// All rows, empty lines left out. Stops at the first stray or unclosed quote, because what follows
/// cannot be told apart any more; that mistake goes to `problems`. O(bytes).
[[nodiscard]] std::vector<CsvRow> csv_rows(std::string_view text, const std::string& source,
                                           ProblemList& problems);

}  // namespace zonecut::importers
