#include "objects/json_text.hpp"

#include <fmt/format.h>

#include <utility>

namespace zonecut::kubernetes {
namespace {

constexpr const char* kOutOfRange = "a number in this JSON is out of range";

/// Counts brackets and separators outside strings, which is several times faster than a parse that
/// keeps nothing. On a text that is no JSON it counts no less than the parser sees before it stops.
/// Whether it is too deep where that is no reason to refuse it.
bool check_limits(std::string_view text, const std::string& where, const JsonLimits& limits) {
  if (text.size() > limits.bytes) {
    throw TextTooLarge(where, fmt::format("the text has {} bytes, more than the {} that are read",
                                          text.size(), limits.bytes));
  }
  int depth = 0;
  bool is_deep = false;
  std::size_t values = 1;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\')
        ++i;
      else if (c == '"')
        in_string = false;
      continue;
    }
    switch (c) {
      case '"':
        in_string = true;
        break;
      case '[':
      case '{':
        if (++depth > limits.depth) {
          if (!limits.leaves_out_deep)
            throw InputError(where,
                             fmt::format("the text is nested more than {} deep", limits.depth));
          is_deep = true;
        }
        ++values;
        break;
      case ']':
      case '}':
        --depth;
        break;
      case ',':
      case ':':
        ++values;
        break;
      default:
        break;
    }
    if (values > limits.values) {
      throw TextTooLarge(where,
                         fmt::format("the text has more than {} keys and values", limits.values));
    }
  }
  return is_deep;
}

/// The text with null for every object and list that is nested deeper.
std::string without_deep(std::string_view text, int most) {
  std::string kept;
  int depth = 0;
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool was_kept = depth <= most;
    if (c == '"') {
      in_string = !in_string;
    } else if (in_string && c == '\\') {
      if (was_kept) kept += c;
      if (++i == text.size()) break;
    } else if (!in_string && (c == '[' || c == '{')) {
      if (++depth == most + 1) kept += "null";
    } else if (!in_string && (c == ']' || c == '}')) {
      --depth;
    }
    if (was_kept && depth <= most) kept += text[i];
  }
  return kept;
}

/// Builds what is kept of a text. nlohmann's own callbacks take time by the square of a list.
class Sieve final : public nlohmann::json_sax<nlohmann::json> {
 public:
  Sieve(std::size_t most, const std::string& where, const JsonKeeper& keeps)
      : most_(most), where_(where), keeps_(keeps) {}

  nlohmann::json take() { return std::move(root_); }

  bool null() override { return scalar(nullptr); }
  bool boolean(bool value) override { return scalar(value); }
  bool number_integer(number_integer_t value) override { return scalar(value); }
  bool number_unsigned(number_unsigned_t value) override { return scalar(value); }
  bool number_float(number_float_t value, const string_t&) override { return scalar(value); }
  bool string(string_t& value) override { return scalar(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return start(nlohmann::json::object()); }
  bool start_array(std::size_t) override { return start(nlohmann::json::array()); }
  bool end_object() override { return end(); }
  bool end_array() override { return end(); }

  bool key(string_t& key) override {
    if (depth_ != open_.size()) return true;
    count();
    path_.back() = key;
    is_kept_ = keeps_(path_);
    if (is_kept_) field_ = &(*open_.back())[key];
    return true;
  }

  bool parse_error(std::size_t, const std::string&,
                   const nlohmann::json::exception& error) override {
    if (const auto* const known = dynamic_cast<const nlohmann::json::parse_error*>(&error))
      throw *known;
    throw InputError(where_, kOutOfRange);
  }

 private:
  void count() {
    if (++count_ <= most_) return;
    throw TextTooLarge(
        where_, fmt::format("what is read of the text has more than {} keys and values", most_));
  }

  /// Where a value goes; null: it is passed over.
  nlohmann::json* place() {
    if (depth_ != open_.size() || !std::exchange(is_kept_, true)) return nullptr;
    count();
    if (open_.empty()) return &root_;
    if (open_.back()->is_object()) return field_;
    open_.back()->push_back(nullptr);
    return &open_.back()->back();
  }

  template <class Value>
  bool scalar(Value&& value) {
    if (nlohmann::json* const at = place()) *at = std::forward<Value>(value);
    return true;
  }

  bool start(nlohmann::json empty) {
    if (nlohmann::json* const at = place()) {
      *at = std::move(empty);
      open_.push_back(at);
      path_.emplace_back();
    }
    ++depth_;
    return true;
  }

  bool end() {
    if (depth_-- != open_.size()) return true;
    open_.pop_back();
    path_.pop_back();
    return true;
  }

  std::size_t most_;
  const std::string& where_;
  const JsonKeeper& keeps_;
  nlohmann::json root_;
  std::vector<nlohmann::json*> open_;  // objects and lists that are kept
  std::vector<std::string> path_;      // a key of each, "" of a list
  std::size_t depth_ = 0;              // of what is open, kept or not
  nlohmann::json* field_ = nullptr;
  bool is_kept_ = true;  // what the last key stands before
  std::size_t count_ = 0;
};

template <class Parse>
nlohmann::json parsed_by(const Parse& parse, std::string_view text, const std::string& where) {
  try {
    return parse();
  } catch (const nlohmann::json::parse_error& error) {
    const bool encoding = std::string_view(error.what()).find("UTF-8") != std::string_view::npos;
    throw InputError(where, fmt::format("this is not {}, at byte {} of {}",
                                        encoding ? "UTF-8" : "JSON", error.byte, text.size()));
  } catch (const nlohmann::json::exception&) {  // a number that no double holds
    throw InputError(where, kOutOfRange);
  }
}

}  // namespace

nlohmann::json parse_json(std::string_view text, const std::string& where,
                          const JsonLimits& limits) {
  std::string shallow;
  if (check_limits(text, where, limits)) text = shallow = without_deep(text, limits.depth);
  return parsed_by([&] { return nlohmann::json::parse(text); }, text, where);
}

nlohmann::json parse_json_parts(std::string_view text, const std::string& where,
                                const JsonLimits& limits, const JsonKeeper& keeps) {
  JsonLimits of_text = limits;
  of_text.values = text.size() + 1;
  std::string shallow;
  if (check_limits(text, where, of_text)) text = shallow = without_deep(text, limits.depth);
  Sieve sieve(limits.values, where, keeps);
  const auto parse = [&] {
    (void)nlohmann::json::sax_parse(text, &sieve);
    return sieve.take();
  };
  return parsed_by(parse, text, where);
}

std::string in_quotes(std::string_view text) {
  constexpr std::size_t kShown = 60;
  if (text.size() <= kShown) return fmt::format("\"{}\"", text);
  std::size_t end = kShown;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return fmt::format("\"{}…\"", text.substr(0, end));
}

}  // namespace zonecut::kubernetes
