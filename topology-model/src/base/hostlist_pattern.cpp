#include "hostlist_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "zonecut/base/error.hpp"
#include "zonecut/base/text_check.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kUncountable = std::numeric_limits<std::size_t>::max();

/// A cursor over the list. Every failure says the character it stands at.
class PatternReader {
 public:
  PatternReader(std::string_view list, const std::string& where, std::size_t most)
      : list_(list), where_(where), most_(most) {}

  std::vector<HostPattern> read() {
    std::vector<HostPattern> patterns;
    skip_blanks();
    if (at_end()) return patterns;
    while (true) {
      if (patterns.size() == most_) refuse_more_names(where_, most_);
      patterns.push_back(read_pattern());
      skip_blanks();
      if (at_end()) return patterns;
      expect(',', "expected a comma between two names");
      skip_blanks();
    }
  }

 private:
  HostPattern read_pattern() {
    HostPattern pattern;
    const std::size_t begin = at_;
    std::size_t length = 0;
    while (!at_end() && (is_host_character(list_[at_]) || list_[at_] == '[')) {
      if (list_[at_] == '[') {
        length += read_bracket(pattern);
      } else {
        const std::size_t text_begin = at_;
        while (!at_end() && is_host_character(list_[at_])) ++at_;
        pattern.parts.emplace_back(std::string(list_.substr(text_begin, at_ - text_begin)));
        length += at_ - text_begin;
      }
      if (length > kLongestHostName) {
        at_ = begin;
        fail(fmt::format("a name longer than {} characters begins here", kLongestHostName));
      }
    }
    if (pattern.parts.empty()) fail("expected a name");
    return pattern;
  }

  /// Returns the most digits that any of its numbers has.
  std::size_t read_bracket(HostPattern& pattern) {
    expect('[', "expected '['");
    NumberRanges ranges;
    std::size_t digits = 0;
    while (true) {
      if (ranges.size() == most_) refuse_more_names(where_, most_);
      ranges.push_back(read_range());
      digits =
          std::max(digits, fmt::formatted_size("{:0{}}", ranges.back().last, ranges.back().width));
      if (!at_end() && list_[at_] == ']') break;
      expect(',', "expected ',' or ']' after a number");
    }
    ++at_;
    pattern.parts.emplace_back(std::move(ranges));
    return digits;
  }

  /// "001-016" or "7". The first end says the width; the last end agrees with it or has no leading
  /// zero.
  NumberRange read_range() {
    const std::size_t begin = at_;
    const std::string_view first = read_digits();
    std::string_view last = first;
    if (!at_end() && list_[at_] == '-') {
      ++at_;
      last = read_digits();
    }
    const NumberRange range{number(first), number(last), static_cast<int>(first.size())};
    const bool zeros_differ = last.size() > 1 && last.front() == '0' && last.size() != first.size();
    if (range.last < range.first || zeros_differ) {
      at_ = begin;
      fail(zeros_differ ? "the ends of this range have different leading zeros"
                        : "this range ends before it begins");
    }
    return range;
  }

  std::string_view read_digits() {
    const std::size_t begin = at_;
    while (!at_end() && list_[at_] >= '0' && list_[at_] <= '9') ++at_;
    if (at_ == begin) fail("expected a number");
    if (at_ - begin > kMostDigits) {
      at_ = begin;
      fail(fmt::format("a number of more than {} digits begins here", kMostDigits));
    }
    return list_.substr(begin, at_ - begin);
  }

  static std::uint64_t number(std::string_view digits) {
    std::uint64_t value = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return value;
  }

  void expect(char wanted, const char* complaint) {
    if (at_end() || list_[at_] != wanted) fail(complaint);
    ++at_;
  }
  void skip_blanks() {
    while (!at_end() && (list_[at_] == ' ' || list_[at_] == '\t' || list_[at_] == '\n')) ++at_;
  }
  [[nodiscard]] bool at_end() const { return at_ == list_.size(); }

  [[noreturn]] void fail(const std::string& what) const {
    const std::string here =
        at_end() ? "its end" : fmt::format("\"{}\"", excerpt(list_.substr(at_, 20)));
    throw InputError(where_, fmt::format("host list: at character {}, {}: {}", at_ + 1, here, what),
                     "write host lists as in gpu[001-016,020],login1");
  }

  std::string_view list_;
  const std::string& where_;
  std::size_t most_;
  std::size_t at_ = 0;
};

}  // namespace

std::size_t HostPattern::count() const {
  std::size_t product = 1;
  for (const auto& part : parts) {
    const auto* ranges = std::get_if<NumberRanges>(&part);
    if (ranges == nullptr) continue;
    std::size_t sum = 0;
    for (const NumberRange& range : *ranges) {
      if (__builtin_add_overflow(sum, range.last - range.first + 1, &sum)) return kUncountable;
    }
    if (__builtin_mul_overflow(product, sum, &product)) return kUncountable;
  }
  return product;
}

std::vector<HostPattern> read_host_patterns(std::string_view list, const std::string& where,
                                            std::size_t most) {
  return PatternReader(list, where, most).read();
}

void refuse_more_names(const std::string& where, std::size_t most) {
  if (most == 0) {
    throw InputError(
        where, "the host list is one too many: those before it have as many names as there may be");
  }
  throw InputError(
      where, fmt::format("the host list has more than {} name{}", most, most == 1 ? "" : "s"));
}

}  // namespace zonecut
