#pragma once
// Lines of Slurm's configuration files: "Key=value Key="quoted value" # comment", a backslash at
// the end goes on in the next line, also within a value, keys in any case.
#include <string>
#include <string_view>
#include <vector>

#include "zonecut/base/error.hpp"

namespace zonecut::importers {

struct SlurmPair {
  std::string key;  ///< in lower case
  std::string value;
  std::string where;  ///< of the key
};

struct SlurmStatement {
  std::vector<SlurmPair> pairs;  ///< at least one
  /// The value of a key, null when absent.
  [[nodiscard]] const SlurmPair* find(std::string_view key) const;
};

/// Hands out the statements of a text one by one. Borrows the text. What is no "Key=value" goes to
/// the problems, as does a key given twice in one statement. O(bytes) in all.
class SlurmStatements {
 public:
  SlurmStatements(std::string_view text, const std::string& source, ProblemList& problems)
      : text_(text), source_(source), problems_(problems) {}
  [[nodiscard]] bool next(SlurmStatement& statement);

 private:
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\n'; }
  [[nodiscard]] std::string here() const;
  void take_line_end();
  bool take_continuation();
  void skip_blanks();
  void skip_line();
  SlurmStatement parse_statement();
  bool parse_pair(SlurmPair& pair);
  bool parse_quoted(SlurmPair& pair);
  bool parse_plain(SlurmPair& pair);

  std::string_view text_;
  const std::string& source_;
  ProblemList& problems_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  int line_ = 1;
};

}  // namespace zonecut::importers
