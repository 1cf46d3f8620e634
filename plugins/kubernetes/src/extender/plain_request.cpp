#include "extender/plain_request.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "zonecut/base/error.hpp"

namespace zonecut::kubernetes {
namespace {

/// Less than the parser allows.
constexpr int kDeepest = 60;
/// Digits of a number that surely fits.
constexpr std::size_t kMostDigits = 17;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Bytes that a string may hold as they are.
constexpr std::array<bool, 256> plain_bytes() {
  std::array<bool, 256> plain{};
  for (std::size_t c = 0x20; c < 0x7f; ++c) plain[c] = c != '"' && c != '\\';
  return plain;
}

constexpr std::array<bool, 256> kPlain = plain_bytes();

/// Passes over JSON and checks it. Every function is false, or without a value, where it ends or is
/// unusual.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  bool at_end() {
    pass_space();
    return at_ == text_.size();
  }

  bool pass(char c) {
    pass_space();
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  std::optional<std::string_view> value(int depth) {
    pass_space();
    const std::size_t start = at_;
    if (!pass_value(depth)) return std::nullopt;
    return text_.substr(start, at_ - start);
  }

  /// Without quotes; one with escapes is unusual.
  std::optional<std::string_view> plain_string() {
    if (!pass('"')) return std::nullopt;
    const std::size_t start = at_;
    pass_plain();
    if (at_ == text_.size() || text_[at_] != '"') return std::nullopt;
    return text_.substr(start, at_++ - start);
  }

  /// `take(key)` must pass the value.
  template <class Take>
  bool object(const Take& take) {
    if (!pass('{')) return false;
    if (pass('}')) return true;
    do {
      const auto key = plain_string();
      if (!key || !pass(':') || !take(*key)) return false;
    } while (pass(','));
    return pass('}');
  }

  template <class Take>
  bool list(const Take& take) {
    if (!pass('[')) return false;
    if (pass(']')) return true;
    do {
      if (!take()) return false;
    } while (pass(','));
    return pass(']');
  }

 private:
  void pass_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t'))
      ++at_;
  }

  void pass_plain() {
    while (at_ < text_.size() && kPlain[static_cast<unsigned char>(text_[at_])]) ++at_;
  }

  bool pass_word(std::string_view word) {
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  bool pass_value(int depth) {
    if (at_ == text_.size() || depth > kDeepest) return false;
    switch (text_[at_]) {
      case '"':
        return pass_string();
      case '{':
        return pass_object(depth);
      case '[':
        return list([&] { return value(depth + 1).has_value(); });
      case 't':
        return pass_word("true");
      case 'f':
        return pass_word("false");
      case 'n':
        return pass_word("null");
      default:
        return pass_number();
    }
  }

  /// Keys with escapes are nothing unusual in what is only passed on.
  bool pass_object(int depth) {
    ++at_;
    if (pass('}')) return true;
    do {
      pass_space();
      if (at_ == text_.size() || text_[at_] != '"' || !pass_string() || !pass(':') ||
          !value(depth + 1))
        return false;
    } while (pass(','));
    return pass('}');
  }

  bool pass_string() {
    ++at_;
    for (;;) {
      pass_plain();
      if (at_ == text_.size()) return false;
      if (text_[at_] == '"') break;
      if (text_[at_] != '\\' || !pass_escape()) return false;
    }
    ++at_;
    return true;
  }

  bool pass_escape() {
    if (at_ + 1 >= text_.size()) return false;
    const char kind = text_[at_ + 1];
    at_ += 2;
    if (kind != 'u') return std::string_view("\"\\/bfnrt").find(kind) != std::string_view::npos;
    const std::string_view code = text_.substr(at_, 4);
    at_ += code.size();
    const auto is_hex = [](char c) {
      return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
    };
    // D800 to DFFF are halves of characters.
    return code.size() == 4 && std::all_of(code.begin(), code.end(), is_hex) && code[0] != 'd' &&
           code[0] != 'D';
  }

  bool pass_number() {
    const std::size_t start = at_;
    if (text_[at_] == '-') ++at_;
    const std::size_t whole = pass_digits();
    if (whole == 0 || (whole > 1 && text_[at_ - whole] == '0')) return false;
    if (at_ < text_.size() && text_[at_] == '.') {
      ++at_;
      if (pass_digits() == 0) return false;
    }
    return at_ - start <= kMostDigits;
  }

  std::size_t pass_digits() {
    const std::size_t start = at_;
    while (at_ < text_.size() && is_digit(text_[at_])) ++at_;
    return at_ - start;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::string_view kNull = "null";

/// Of a node: its metadata's name.
std::optional<std::string_view> name_of(std::string_view node) {
  std::optional<std::string_view> name;
  bool has_metadata = false;
  Scanner scanner(node);
  const auto read_metadata = [&](std::string_view key) {
    if (key != "name") return scanner.value(0).has_value();
    if (name) return false;
    name = scanner.plain_string();
    return name.has_value();
  };
  const bool is_plain = scanner.object([&](std::string_view key) {
    if (key != "metadata") return scanner.value(0).has_value();
    return !std::exchange(has_metadata, true) && scanner.object(read_metadata);
  });
  return is_plain ? name : std::nullopt;
}

class Reader {
 public:
  explicit Reader(std::string_view body) : scanner_(body) {}

  std::optional<PlainRequest> request() && {
    const bool is_plain = scanner_.object([&](std::string_view key) { return field(key); });
    if (!is_plain || !scanner_.at_end() || !request_.pod.starts_with('{')) return std::nullopt;
    if (request_.names.empty()) return std::nullopt;
    const auto is_empty = [](std::string_view name) { return name.empty(); };
    if (std::any_of(request_.names.begin(), request_.names.end(), is_empty)) return std::nullopt;
    return std::move(request_);
  }

 private:
  bool field(std::string_view key) {
    if (key == "Pod" && request_.pod.empty()) {
      request_.pod = scanner_.value(0).value_or("");
      return !request_.pod.empty();
    }
    if (key == "NodeNames" && !std::exchange(had_names_, true)) return is_null() || names();
    if (key == "Nodes" && !std::exchange(had_nodes_, true)) return is_null() || nodes();
    return false;
  }

  bool is_null() {
    Scanner ahead = scanner_;
    if (ahead.value(0) != kNull) return false;
    scanner_ = ahead;
    return true;
  }

  bool names() {
    return request_.names.empty() && scanner_.list([&] {
      const auto name = scanner_.plain_string();
      if (name) add(*name);
      return name.has_value();
    });
  }

  bool nodes() {
    bool had_items = false;
    return request_.names.empty() && scanner_.object([&](std::string_view key) {
      if (key != "items") return scanner_.value(0).has_value();
      return !std::exchange(had_items, true) && scanner_.list([&] { return node(); });
    });
  }

  bool node() {
    const auto text = scanner_.value(0);
    const auto name = text ? name_of(*text) : std::nullopt;
    if (!name) return false;
    request_.nodes.push_back(*text);
    add(*name);
    return true;
  }

  void add(std::string_view name) {
    request_.names.push_back(name);
    check_candidates(request_.names.size());
  }

  Scanner scanner_;
  PlainRequest request_;
  bool had_names_ = false;
  bool had_nodes_ = false;
};

}  // namespace

void check_candidates(std::size_t count) {
  if (count > kMostCandidates) {
    throw InputError("body",
                     fmt::format("expected at most {} candidates, found more", kMostCandidates));
  }
}

std::optional<PlainRequest> plain_request(std::string_view body) { return Reader(body).request(); }

}  // namespace zonecut::kubernetes
