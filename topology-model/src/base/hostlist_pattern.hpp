#pragma once
// One item of a host list, taken apart: literal texts and brackets with ranges of numbers.
//
//   gpu[001-016,020]-ib[0-1]   =   "gpu"  [001-016,020]  "-ib"  [0-1]
//
// Shared by reading and writing. Private to the base.
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace zonecut {

/// first..last, each written with at least `width` digits.
struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  int width = 1;
  friend bool operator==(const NumberRange&, const NumberRange&) = default;
};

using NumberRanges = std::vector<NumberRange>;

struct HostPattern {
  std::vector<std::variant<std::string, NumberRanges>> parts;
  /// How many names it stands for; the largest size_t when that does not fit.
  [[nodiscard]] std::size_t count() const;
};

/// The items of a list; none for a blank one. Throws InputError at the first character that cannot
/// be read, and at an item or range beyond `most`: each is a name at least.
[[nodiscard]] std::vector<HostPattern> read_host_patterns(std::string_view list,
                                                          const std::string& where,
                                                          std::size_t most);
/// What a list of more names is refused with.
[[noreturn]] void refuse_more_names(const std::string& where, std::size_t most);

/// More digits than this do not fit 64 bits.
inline constexpr std::size_t kMostDigits = 18;
/// A DNS name has at most 253 characters.
inline constexpr std::size_t kLongestHostName = 255;

/// True for what may stand in a name outside of brackets: anything printable but ',' '[' ']'.
[[nodiscard]] constexpr bool is_host_character(char character) noexcept {
  const auto code = static_cast<unsigned char>(character);
  return code > 0x20 && code != 0x7F && character != ',' && character != '[' && character != ']';
}

}  // namespace zonecut
