#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <charconv>
#include <cmath>

#include "zonecut/base/document.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

/// What a value is, in the words of a message.
std::string found(const Value& value) {
  switch (value.kind) {
    case Value::Kind::Null:
      return "nothing";
    case Value::Kind::Scalar:
      return fmt::format("\"{}\"", excerpt(value.scalar));
    case Value::Kind::List:
      return "a list";
    case Value::Kind::Mapping:
      return "a mapping";
  }
  return "something else";
}

/// A list or mapping must have its kind; null stands for one without contents, as in "health:"
/// with every line below it commented out.
bool is_or_empty(const Value& value, Value::Kind kind) {
  return value.kind == kind || value.kind == Value::Kind::Null;
}

template <class Number>
std::optional<Number> whole_number(const std::string& text) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return number;
}

/// How to write the number that was meant by 1e3 or 1_000.
std::string integer_hint(const Value& value) {
  if (value.quoted) return "without quotes";
  if (value.kind != Value::Kind::Scalar) return "";
  std::string text = value.scalar;
  std::erase(text, '_');
  const auto meant = whole_number<double>(text);
  if (!meant || *meant != std::floor(*meant) || std::abs(*meant) > 1e15) return "";
  const std::string plain = fmt::format("{:.0f}", *meant);
  return plain == value.scalar ? "" : fmt::format("such a number is written {}", plain);
}

/// What to say of a quantity that cannot be read: of one with a unit that its number is too large.
template <class Parse>
std::string_view fault_of_quantity(const Value& value, const Parse& parse,
                                   std::string_view expected) {
  const std::string& text = value.scalar;
  double number = 0;
  const auto stop = std::from_chars(text.data(), text.data() + text.size(), number).ptr;
  const bool begins_with_number = !text.empty() && text[0] >= '0' && text[0] <= '9';
  const bool has_unit = begins_with_number && parse("1" + std::string(stop)).has_value();
  return has_unit ? "which is too large" : expected;
}

}  // namespace

std::optional<std::int64_t> as_integer(const Document& document, const Value& value,
                                       std::int64_t least, std::int64_t most,
                                       ProblemList& problems) {
  if (value.kind == Value::Kind::Scalar && !value.quoted) {
    const auto number = whole_number<std::int64_t>(value.scalar);
    if (number && *number >= least && *number <= most) return number;
  }
  problems.add(
      document.where(value),
      fmt::format("found {}, expected a whole number from {} to {}", found(value), least, most),
      integer_hint(value));
  return std::nullopt;
}

std::optional<double> as_number(const Document& document, const Value& value, double least,
                                double most, ProblemList& problems) {
  if (value.kind == Value::Kind::Scalar && !value.quoted) {
    const auto number = whole_number<double>(value.scalar);
    if (number && std::isfinite(*number) && *number >= least && *number <= most) return number;
  }
  problems.add(document.where(value),
               fmt::format("found {}, expected a number from {} to {}", found(value), least, most),
               value.quoted ? "without quotes" : "");
  return std::nullopt;
}

std::optional<std::string> as_text(const Document& document, const Value& value,
                                   ProblemList& problems) {
  if (value.kind == Value::Kind::Scalar) return value.scalar;
  problems.add(document.where(value), fmt::format("found {}, expected a text", found(value)));
  return std::nullopt;
}

Fields::Fields(const Document& document, const Value& mapping, ProblemList& problems)
    : document_(document), mapping_(mapping), problems_(problems) {
  if (!is_or_empty(mapping, Value::Kind::Mapping)) {
    problems_.add(where(), fmt::format("found {}, expected a mapping (\"key: value\" lines)",
                                       found(mapping)));
  }
}

const Value* Fields::find(std::string_view key) {
  known_.emplace(key);
  for (const Value::Entry& entry : mapping_.entries) {
    if (entry.key == key) return &entry.value;
  }
  return nullptr;
}

const Value* Fields::require(std::string_view key) {
  const Value* value = find(key);
  if (value == nullptr) problems_.add(where(), fmt::format("the key \"{}\" is missing", key));
  return value;
}

std::string Fields::text(std::string_view key, std::string fallback) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  return as_text(document_, *value, problems_).value_or(std::move(fallback));
}

std::string Fields::required_text(std::string_view key) {
  const Value* value = require(key);
  if (value == nullptr) return {};
  std::optional<std::string> text = as_text(document_, *value, problems_);
  if (text && text->empty())
    problems_.add(where(*value), fmt::format("\"{}\" is empty, expected a text", key));
  return std::move(text).value_or("");
}

std::string Fields::required_name(std::string_view key) {
  std::string name = required_text(key);
  const auto control = find_control_character(name, "");
  if (!control) return name;
  problems_.add(where(*find(key)), fmt::format("found the control character {} in \"{}\", expected "
                                               "a name of one line",
                                               *control, key));
  return {};
}

std::int64_t Fields::integer(std::string_view key, std::int64_t fallback, std::int64_t least,
                             std::int64_t most) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  return as_integer(document_, *value, least, most, problems_).value_or(fallback);
}

double Fields::number(std::string_view key, double fallback, double least, double most) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  return as_number(document_, *value, least, most, problems_).value_or(fallback);
}

bool Fields::boolean(std::string_view key, bool fallback) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (value->kind == Value::Kind::Scalar && !value->quoted) {
    if (value->scalar == "true") return true;
    if (value->scalar == "false") return false;
  }
  problems_.add(where(*value), fmt::format("found {}, expected true or false", found(*value)),
                value->quoted ? "without quotes" : "");
  return fallback;
}

BytesPerSecond Fields::bandwidth(std::string_view key, BytesPerSecond fallback) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (value->kind == Value::Kind::Scalar) {
    if (const auto rate = parse_bandwidth(value->scalar)) return *rate;
  }
  problems_.add(
      where(*value),
      fmt::format("found {}, {}", found(*value),
                  fault_of_quantity(*value, parse_bandwidth, "expected a bandwidth with its unit")),
      "such as 400Gbps or 50GB/s");
  return fallback;
}

Bytes Fields::bytes(std::string_view key, Bytes fallback) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (value->kind == Value::Kind::Scalar) {
    if (const auto size = parse_bytes(value->scalar)) return *size;
  }
  problems_.add(
      where(*value),
      fmt::format("found {}, {}", found(*value),
                  fault_of_quantity(*value, parse_bytes, "expected a size with its unit")),
      "such as 64MiB or 2GB");
  return fallback;
}

Seconds Fields::duration(std::string_view key, Seconds fallback) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  if (value->kind == Value::Kind::Scalar) {
    if (const auto time = parse_duration(value->scalar)) return *time;
  }
  problems_.add(
      where(*value),
      fmt::format("found {}, {}", found(*value),
                  fault_of_quantity(*value, parse_duration, "expected a time with its unit")),
      "such as 7us, 15ms or 2min");
  return fallback;
}

std::vector<std::string> Fields::texts(std::string_view key) {
  const Value* value = find(key);
  std::vector<std::string> texts;
  if (value == nullptr || value->kind == Value::Kind::Null) return texts;
  if (value->kind == Value::Kind::Scalar) return {value->scalar};
  if (value->kind != Value::Kind::List) {
    problems_.add(where(*value),
                  fmt::format("found {}, expected a text or a list of texts", found(*value)));
    return texts;
  }
  for (const Value& item : value->items) {
    if (auto text = as_text(document_, item, problems_)) texts.push_back(std::move(*text));
  }
  return texts;
}

std::size_t Fields::choice(std::string_view key, std::span<const std::string_view> choices,
                           std::size_t fallback) {
  const Value* value = find(key);
  if (value == nullptr) return fallback;
  std::string hint;
  if (value->kind == Value::Kind::Scalar) {
    for (std::size_t i = 0; i < choices.size(); ++i) {
      if (choices[i] == value->scalar) return i;
    }
    const std::vector<std::string> words(choices.begin(), choices.end());
    if (const auto near = nearest_word(value->scalar, words))
      hint = fmt::format("did you mean \"{}\"?", *near);
  }
  problems_.add(
      where(*value),
      fmt::format("found {}, expected one of: {}", found(*value), fmt::join(choices, ", ")),
      std::move(hint));
  return fallback;
}

bool Fields::has(std::string_view key) const {
  for (const Value::Entry& entry : mapping_.entries) {
    if (entry.key == key) return true;
  }
  return false;
}

void Fields::refuse_other_format(std::string_view format) {
  const Value* value = find("format");
  if (value == nullptr) return;
  const bool is_text = value->kind == Value::Kind::Scalar;
  if (is_text && value->scalar == format) return;
  const std::string_view family = format.substr(0, format.find('/') + 1);
  const bool other_version = is_text && value->scalar.starts_with(family);
  throw InputError(
      where(*value), fmt::format("found {}, expected {}", found(*value), format),
      other_version ? "this program reads no other version" : "this is another kind of file");
}

void Fields::finish() {
  const std::vector<std::string> known(known_.begin(), known_.end());
  std::size_t reported = 0;
  for (const Value::Entry& entry : mapping_.entries) {
    if (known_.contains(entry.key)) continue;
    // Beyond the problems that are kept, a hint would be work for nobody.
    const auto near =
        ++reported <= ProblemList::kMaxProblems ? nearest_word(entry.key, known) : std::nullopt;
    problems_.add(fmt::format("{}:{}:{}", document_.source, entry.line, entry.column),
                  fmt::format("unknown key \"{}\"", excerpt(entry.key)),
                  near ? fmt::format("did you mean \"{}\"?", *near)
                       : fmt::format("known here: {}", fmt::join(known, ", ")));
  }
}

}  // namespace zonecut
