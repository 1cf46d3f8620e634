#include "extender/json_slices.hpp"

#include <algorithm>
#include <cstddef>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

/// Goes over a text that a parser has accepted.
class Walker {
 public:
  explicit Walker(std::string_view text) : text_(text) {}

  /// The next byte that is no white space, not passed yet.
  char peek() {
    while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    ZONECUT_ENSURES(at_ < text_.size());
    return text_[at_];
  }

  /// Passes `c` if it comes next.
  bool pass(char c) {
    if (peek() != c) return false;
    ++at_;
    return true;
  }

  std::string_view value() {
    const char first = peek();
    const std::size_t start = at_;
    if (first == '"') {
      pass_string();
    } else if (first == '{' || first == '[') {
      pass_nested();
    } else {
      at_ = std::min(text_.find_first_of(",]} \t\r\n", at_), text_.size());
    }
    return text_.substr(start, at_ - start);
  }

 private:
  static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

  void pass_string() {
    ++at_;
    for (;;) {
      at_ = text_.find_first_of("\"\\", at_);
      ZONECUT_ENSURES(at_ != std::string_view::npos);
      if (text_[at_] == '"') break;
      at_ += 2;  // a backslash and what it escapes
    }
    ++at_;
  }

  void pass_nested() {
    int depth = 0;
    do {
      at_ = text_.find_first_of("\"{}[]", at_);
      ZONECUT_ENSURES(at_ != std::string_view::npos);
      if (text_[at_] == '"') {
        pass_string();
        continue;
      }
      depth += text_[at_] == '{' || text_[at_] == '[' ? 1 : -1;
      ++at_;
    } while (depth > 0);
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<std::string_view> field_text(std::string_view object, std::string_view key) {
  Walker walker(object);
  std::optional<std::string_view> found;
  if (!walker.pass('{') || walker.pass('}')) return found;
  do {
    const std::string_view name = walker.value();
    if (name.find('\\') != std::string_view::npos) return std::nullopt;
    ZONECUT_ENSURES(walker.pass(':'));
    const std::string_view value = walker.value();
    if (name.substr(1, name.size() - 2) == key) found = value;
  } while (walker.pass(','));
  return found;
}

std::vector<std::string_view> element_texts(std::string_view list) {
  Walker walker(list);
  std::vector<std::string_view> elements;
  if (!walker.pass('[') || walker.pass(']')) return elements;
  do {
    elements.push_back(walker.value());
  } while (walker.pass(','));
  return elements;
}

}  // namespace zonecut::kubernetes
