#pragma once
// A strict view of a YAML (or JSON) text with the position of every value. The parser stays behind
// this header. Repeated keys, anchors, merge keys, several documents in one text and anything over
// the limits are refused when the text is read; unknown keys are refused by Fields, which a loader
// uses to take a mapping apart. Immutable, so any number of threads may read one.
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/base/units.hpp"

namespace zonecut {

struct DocumentLimits {
  std::size_t bytes = 32u << 20;
  int depth = 32;
  std::size_t values = 1'000'000;
};

/// One value of a document: a scalar, a list, a mapping or null.
class Value {
 public:
  enum class Kind { Null, Scalar, List, Mapping };
  struct Entry;

  Kind kind = Kind::Null;
  std::string scalar;          ///< the text of a scalar, unquoted
  bool quoted = false;         ///< "8" in quotes is a text, not a number
  std::vector<Value> items;    ///< of a list
  std::vector<Entry> entries;  ///< of a mapping, in the order of the text; keys are unique
  int line = 0;                ///< from 1
  int column = 0;              ///< from 1
};

struct Value::Entry {
  std::string key;
  int line = 0;
  int column = 0;
  Value value;
};

struct Document {
  std::string source;  ///< name of the file, for messages
  Value root;
  /// "file:line:column"
  [[nodiscard]] std::string where(const Value& value) const;
};

/// Throws InputError with the position of what cannot be read.
[[nodiscard]] Document parse_document(std::string_view text, std::string source,
                                      const DocumentLimits& limits = {});
/// Reads a whole file, at most `limit` bytes. Throws InputError when it cannot be opened or is too
/// large ("-" is stdin).
[[nodiscard]] std::string read_file(const std::string& path, std::size_t limit = 64u << 20);

/// Reads the fields of one mapping. finish() reports every key that no getter asked for, with the
/// nearest known key as a hint. A getter reports a mistake to the ProblemList and returns the
/// fallback, so that a loader reads on and finds all mistakes. Borrows its arguments.
class Fields {
 public:
  Fields(const Document& document, const Value& mapping, ProblemList& problems);

  [[nodiscard]] const Value* find(std::string_view key);     ///< null when absent
  [[nodiscard]] const Value* require(std::string_view key);  ///< reports when absent
  [[nodiscard]] std::string text(std::string_view key, std::string fallback = {});
  [[nodiscard]] std::string required_text(std::string_view key);
  /// A text without control characters, tabs and line ends among them: a name of one line.
  [[nodiscard]] std::string required_name(std::string_view key);
  [[nodiscard]] std::int64_t integer(std::string_view key, std::int64_t fallback,
                                     std::int64_t least, std::int64_t most);
  [[nodiscard]] double number(std::string_view key, double fallback, double least, double most);
  [[nodiscard]] bool boolean(std::string_view key, bool fallback);
  [[nodiscard]] BytesPerSecond bandwidth(std::string_view key, BytesPerSecond fallback);
  [[nodiscard]] Bytes bytes(std::string_view key, Bytes fallback);
  [[nodiscard]] Seconds duration(std::string_view key, Seconds fallback);
  [[nodiscard]] std::vector<std::string> texts(
      std::string_view key);  ///< a list of scalars, or one scalar
  /// The index of the scalar in `choices`; reports the choices when it is none of them.
  [[nodiscard]] std::size_t choice(std::string_view key, std::span<const std::string_view> choices,
                                   std::size_t fallback);
  [[nodiscard]] bool has(std::string_view key) const;
  /// Throws InputError where the key `format` says something else than `format`, such as
  /// "cluster/v1": no other mistake is worth reporting then.
  void refuse_other_format(std::string_view format);

  [[nodiscard]] std::string where() const { return document_.where(mapping_); }
  [[nodiscard]] std::string where(const Value& value) const { return document_.where(value); }
  [[nodiscard]] const Document& document() const { return document_; }
  ProblemList& problems() { return problems_; }
  void finish();  ///< reports unknown keys; call once, at the end

 private:
  const Document& document_;
  const Value& mapping_;
  ProblemList& problems_;
  std::set<std::string, std::less<>> known_;
};

/// Scalar conversions that report to `problems` and return nothing on a mistake.
[[nodiscard]] std::optional<std::int64_t> as_integer(const Document& document, const Value& value,
                                                     std::int64_t least, std::int64_t most,
                                                     ProblemList& problems);
[[nodiscard]] std::optional<double> as_number(const Document& document, const Value& value,
                                              double least, double most, ProblemList& problems);
[[nodiscard]] std::optional<std::string> as_text(const Document& document, const Value& value,
                                                 ProblemList& problems);

/// The word of `known` closest to `word` by edit distance, when it is close enough to be a slip of
/// the finger.
[[nodiscard]] std::optional<std::string> nearest_word(std::string_view word,
                                                      std::span<const std::string> known);

}  // namespace zonecut
