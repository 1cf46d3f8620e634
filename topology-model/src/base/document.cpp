#include "zonecut/base/document.hpp"

#include <fmt/format.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <streambuf>

#include "zonecut/base/gather_document.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

std::string position(const std::string& source, int line, int column) {
  return fmt::format("{}:{}:{}", source, line, column);
}

/// Reads the caller's text in place.
class TextBuffer : public std::streambuf {
 public:
  explicit TextBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // a get area is never written to
    setg(begin, begin, begin + text.size());
  }
};

/// Turns the parser's events into a Value. Limits hold at every event, so before the parser goes
/// one level deeper or reads on. What is refused but does not confuse the rest of the text is
/// gathered; the rest throws.
class Reader final : public YAML::EventHandler {
 public:
  Reader(const std::string& source, const DocumentLimits& limits, ProblemList& problems)
      : source_(source), limits_(limits), problems_(problems) {}

  Value finish() {
    if (confused_) problems_.throw_if_any();
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) {
      fail(mark, "a second document begins here, expected one document in a file",
           "remove the line '---' or split the file");
    }
  }
  void OnDocumentEnd() override {}

  void OnAnchor(const YAML::Mark& mark, const std::string& name) override {
    problems_.add(at(mark), fmt::format("found the anchor \"&{}\", anchors are not read", name),
                  "write the value out where it is used");
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t) override {
    problems_.add(at(mark), "found an alias (\"*\"), aliases are not read",
                  "write the value out here");
    confused_ = true;
    accept(start(Value::Kind::Null, mark));
  }
  void OnNull(const YAML::Mark& mark, YAML::anchor_t) override {
    Value value = start(Value::Kind::Null, mark);
    if (expects_value()) {  // the parser puts an absent value at whatever follows it
      value.line = open_.back().value.entries.back().line;
      value.column = open_.back().value.entries.back().column;
    }
    accept(std::move(value));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                const std::string& text) override {
    check_tag(mark, tag);
    if (const auto control = find_control_character(text)) {
      problems_.add(at(mark), fmt::format("found the control character {} in a text", *control));
    }
    Value value = start(Value::Kind::Scalar, mark);
    value.scalar = text;
    value.quoted = tag == "!";
    accept(std::move(value));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                       YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(Value::Kind::List, mark);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t,
                  YAML::EmitterStyle::value) override {
    check_tag(mark, tag);
    open(Value::Kind::Mapping, mark);
  }
  void OnMapEnd() override { close(); }

 private:
  struct Open {
    Value value;
    bool expects_value = false;         // a mapping whose last key has no value yet
    std::map<std::string, int> key_of;  // key -> line; ordered, so no input makes it slow
    bool repeated = false;              // the last key is to be dropped with its value
  };

  [[nodiscard]] std::string at(const YAML::Mark& mark) const {
    return position(source_, mark.line + 1, mark.column + 1);
  }
  [[noreturn]] void fail(const YAML::Mark& mark, std::string what, std::string hint = {}) {
    problems_.add(at(mark), std::move(what), std::move(hint));
    problems_.throw_if_any();
    ZONECUT_ENSURES(false);
    __builtin_unreachable();
  }
  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!") return;
    problems_.add(at(mark), fmt::format("found the tag \"{}\", tags are not read", excerpt(tag)),
                  "put a text in quotes instead");
  }
  [[nodiscard]] bool expects_value() const {
    return !open_.empty() && open_.back().value.kind == Value::Kind::Mapping &&
           open_.back().expects_value;
  }
  [[nodiscard]] bool expects_key() const {
    return !open_.empty() && open_.back().value.kind == Value::Kind::Mapping &&
           !open_.back().expects_value;
  }

  Value start(Value::Kind kind, const YAML::Mark& mark) {
    if (++values_ > limits_.values)
      fail(mark, fmt::format("the text has more than {} values", limits_.values));
    if (expects_key() && kind != Value::Kind::Scalar) {
      fail(mark, "found no plain text where a key is expected",
           "is a bracket or brace left open, or a name before ':' missing?");
    }
    Value value;
    value.kind = kind;
    value.line = mark.line + 1;
    value.column = mark.column + 1;
    return value;
  }

  void open(Value::Kind kind, const YAML::Mark& mark) {
    if (open_.size() >= static_cast<std::size_t>(limits_.depth))
      fail(mark, fmt::format("the text is nested deeper than {} levels", limits_.depth));
    open_.push_back(Open{start(kind, mark), false, {}, false});
  }

  void close() {
    Value value = std::move(open_.back().value);
    open_.pop_back();
    accept(std::move(value));
  }

  void accept(Value value) {
    if (open_.empty()) {
      root_ = std::move(value);
    } else if (open_.back().value.kind == Value::Kind::List) {
      open_.back().value.items.push_back(std::move(value));
    } else if (open_.back().expects_value) {
      accept_value(open_.back(), std::move(value));
    } else {
      accept_key(open_.back(), std::move(value));
    }
  }

  void accept_key(Open& mapping, Value key) {
    const std::string where = position(source_, key.line, key.column);
    if (key.scalar == "<<" && !key.quoted) {
      problems_.add(where, "found the merge key \"<<\", merging is not read",
                    "write the merged keys out");
      confused_ = true;
    }
    const auto [first, is_new] = mapping.key_of.try_emplace(key.scalar, key.line);
    if (!is_new) {
      problems_.add(where, fmt::format("the key \"{}\" is given twice, first in line {}",
                                       excerpt(key.scalar), first->second));
    }
    mapping.repeated = !is_new;
    mapping.expects_value = true;
    mapping.value.entries.push_back({std::move(key.scalar), key.line, key.column, {}});
  }

  static void accept_value(Open& mapping, Value value) {
    mapping.expects_value = false;
    if (mapping.repeated) {
      mapping.value.entries.pop_back();
    } else {
      mapping.value.entries.back().value = std::move(value);
    }
  }

  const std::string& source_;
  const DocumentLimits& limits_;
  ProblemList& problems_;
  bool confused_ = false;  // a value is missing that the file does not say itself
  std::vector<Open> open_;
  Value root_;
  std::size_t values_ = 0;
  int documents_ = 0;
};

/// Within brackets the parser holds all tokens of a line in memory before the first event, so the
/// limits must also hold on what tokens are made of: here a small factor above any honest text.
void check_token_count(std::string_view text, const std::string& source,
                       const DocumentLimits& limits) {
  const auto count = [&](std::string_view marks) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [&](char character) {
      return marks.find(character) != std::string_view::npos;
    }));
  };
  constexpr std::size_t kMarksPerValue = 6;  // "key": "value",
  if (count("[{,") > limits.values + 1 || count(":?&*!\"']}") / kMarksPerValue > limits.values)
    throw InputError(source, fmt::format("the text has more than {} values", limits.values));
}

/// What mostly lies behind a complaint of the parser.
std::string hint_for(std::string_view complaint) {
  if (complaint.find("flow") != std::string_view::npos)
    return "a bracket or brace is left open, or a text with brackets inside braces needs quotes";
  return "";
}

}  // namespace

std::string Document::where(const Value& value) const {
  return position(source, value.line, value.column);
}

Document gather_document(std::string_view text, std::string source, ProblemList& problems,
                         const DocumentLimits& limits) {
  if (text.size() > limits.bytes)
    throw InputError(source, fmt::format("the text has {} bytes, expected at most {}", text.size(),
                                         limits.bytes));
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);  // a byte order mark
  if (const auto bad = find_malformed_utf8(text))
    throw InputError(position(source, bad->line, bad->column), bad->what, "save the file as UTF-8");

  check_token_count(text, source, limits);

  Reader reader(source, limits, problems);
  TextBuffer buffer(text);
  std::istream stream(&buffer);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(reader)) {
    }
  } catch (const YAML::Exception& error) {
    const bool placed = !error.mark.is_null();
    problems.add(
        position(source, placed ? error.mark.line + 1 : 1, placed ? error.mark.column + 1 : 1),
        fmt::format("not valid YAML: {}", error.msg), hint_for(error.msg));
    problems.throw_if_any();
  }
  Document document{std::move(source), reader.finish()};
  if (document.root.line == 0) document.root.line = document.root.column = 1;
  return document;
}

Document parse_document(std::string_view text, std::string source, const DocumentLimits& limits) {
  ProblemList problems;
  Document document = gather_document(text, std::move(source), problems, limits);
  problems.throw_if_any();
  return document;
}

}  // namespace zonecut
