#include "traces/json_records.hpp"

#include <fmt/format.h>

#include <iterator>
#include <optional>
#include <vector>

#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut::traces {
namespace {

/// Real traces stay below a dozen.
constexpr std::size_t kMaxDepth = 32;
/// Values of one record: an all-to-all of 65,536 ranks, with room.
constexpr std::size_t kMaxValues = 2'000'000;

/// Counts the lines that the parser has gone through, which it does not tell.
class LineCounting {
 public:
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  LineCounting(const char* at, std::int64_t* lines) : at_(at), lines_(lines) {}
  reference operator*() const { return *at_; }
  LineCounting& operator++() {
    if (*at_ == '\n') ++*lines_;
    ++at_;
    return *this;
  }
  LineCounting operator++(int) {
    LineCounting before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const LineCounting& a, const LineCounting& b) { return a.at_ == b.at_; }
  friend bool operator!=(const LineCounting& a, const LineCounting& b) { return a.at_ != b.at_; }

 private:
  const char* at_;
  std::int64_t* lines_;
};

/// "[json.exception.parse_error.101] parse error at line 1, column 5: what was expected; last read:
/// ..." without the numbers and without what was read, which may be anything.
std::string reason(std::string_view message) {
  const std::size_t colon = message.find(": ");
  if (colon != std::string_view::npos) message.remove_prefix(colon + 2);
  message = message.substr(0, message.find("; last read"));
  return std::string(message.substr(0, message.find(": '")));
}

class RecordReader : public nlohmann::json_sax<Json> {
 public:
  RecordReader(const std::string& source, const JsonRecordWish& wish)
      : source_(source), wish_(wish), list_depth_(wish.list_key.empty() ? 1 : 2) {}

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t&) override { return put(value); }
  bool string(string_t& value) override {
    const bool name = in_record() && depth_ == list_depth_ + 1 && key_ == wish_.name_key;
    if (name && !wish_.wanted(value)) skipped_ = true;
    return put(std::move(value));
  }
  bool binary(binary_t&) override { return put(nullptr); }
  bool key(string_t& key) override {
    key_ = std::move(key);
    if (depth_ == 1 && !wish_.stranger_key.empty() && key_ == wish_.stranger_key) strange = true;
    return true;
  }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const Json::exception& error) override {
    throw InputError(where(), fmt::format("cannot be read as JSON: {}", reason(error.what())));
  }

  std::int64_t lines = 1;
  Json top = Json::object();
  bool found = false;
  bool strange = false;

  [[nodiscard]] std::string where() const { return fmt::format("{}:{}", source_, lines); }

 private:
  [[nodiscard]] bool in_record() const { return in_list_ && depth_ > list_depth_; }

  template <class Value>
  bool put(Value&& value) {
    if (depth_ == 0) {
      throw InputError(where(),
                       fmt::format("is no {}", wish_.list_key.empty() ? "list" : "object"));
    }
    if (in_record()) {
      if (!skipped_) add(Json(std::forward<Value>(value)));
    } else if (in_list_ && depth_ == list_depth_) {
      throw InputError(where(), "an entry of the list is no object");
    } else if (depth_ == 1) {
      top[key_] = std::forward<Value>(value);
    }
    return true;
  }

  Json* add(Json&& value) {
    if (++values_ > kMaxValues) {
      throw InputError(where(), fmt::format("a record has more than {} values", kMaxValues));
    }
    Json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    const auto [at, fresh] = parent.emplace(key_, std::move(value));
    if (!fresh) {
      throw InputError(where(), fmt::format("the key \"{}\" is given twice", excerpt(key_)));
    }
    return &*at;
  }

  bool open(Json&& empty) {
    if (depth_ == kMaxDepth)
      throw InputError(where(), fmt::format("is nested more than {} deep", kMaxDepth));
    if (depth_ == 0 && empty.is_array() != wish_.list_key.empty()) {
      throw InputError(where(),
                       fmt::format("is no {}", wish_.list_key.empty() ? "list" : "object"));
    }
    if (in_record()) {
      if (!skipped_) open_.push_back(add(std::move(empty)));
    } else if (in_list_ && depth_ == list_depth_) {
      if (empty.is_array()) throw InputError(where(), "an entry of the list is no object");
      begin_record();
    } else if (depth_ + 1 == list_depth_ && (wish_.list_key.empty() || key_ == wish_.list_key)) {
      if (empty.is_object()) {
        throw InputError(where(), fmt::format("{} is no list", wish_.list_key));
      }
      if (found) throw InputError(where(), fmt::format("{} is given twice", wish_.list_key));
      in_list_ = found = true;
    }
    ++depth_;
    return true;
  }

  void begin_record() {
    record_ = Json::object();
    open_ = {&record_};
    values_ = 0;
    skipped_ = false;
    line_ = lines;
  }

  bool close() {
    --depth_;
    if (in_list_ && depth_ == list_depth_) {
      if (!skipped_ && member(record_, wish_.name_key) != nullptr) wish_.take(record_, line_);
      record_ = nullptr;
    } else if (in_list_ && depth_ + 1 == list_depth_) {
      in_list_ = false;
    } else if (in_record() && !skipped_) {
      open_.pop_back();
    }
    return true;
  }

  const std::string& source_;
  const JsonRecordWish& wish_;
  std::size_t list_depth_;
  std::size_t depth_ = 0;
  bool in_list_ = false;
  bool skipped_ = false;
  std::string key_;
  Json record_;
  std::vector<Json*> open_;
  std::size_t values_ = 0;
  std::int64_t line_ = 0;
};

}  // namespace

Json read_json_records(std::string_view text, const std::string& source,
                       const JsonRecordWish& wish) {
  RecordReader reader(source, wish);
  const LineCounting begin(text.data(), &reader.lines);
  const LineCounting end(text.data() + text.size(), &reader.lines);
  Json::sax_parse(begin, end, &reader);
  if (!reader.found && reader.strange) throw InputError(source, wish.stranger, wish.instead);
  if (!reader.found) {
    throw InputError(source, fmt::format("has no list \"{}\"", wish.list_key));
  }
  return std::move(reader.top);
}

std::optional<std::uint64_t> whole(const Json& value) {
  if (value.is_number_unsigned()) return value.get<std::uint64_t>();
  if (value.is_number_integer() && value.get<std::int64_t>() >= 0)
    return static_cast<std::uint64_t>(value.get<std::int64_t>());
  return std::nullopt;
}

const Json* member(const Json& object, std::string_view key) {
  if (!object.is_object()) return nullptr;
  const auto at = object.find(key);
  return at == object.end() ? nullptr : &*at;
}

}  // namespace zonecut::traces
