#pragma once
// Finds names that are written from right to left within a line that is read from left to right.
// Unless they are set apart, a browser takes figures beside such a name into its direction: "אב 12
// of 16" then shows 16 where 12 belongs.
#include <cstddef>
#include <string_view>
#include <vector>

namespace zonecut::report {

/// Bytes from `begin` to before `end`.
struct Stretch {
  std::size_t begin = 0;
  std::size_t end = 0;
  friend bool operator==(const Stretch&, const Stretch&) = default;
};

/// The names in order, each as long as it can be: words of letters, digits, '-', '_' and '.' in
/// which a letter is written from right to left, those that only a blank lies between as one. Signs
/// at the ends of a word are no part of it. None in most texts, after one look at each byte.
/// Linear.
[[nodiscard]] std::vector<Stretch> right_to_left_names(std::string_view text);

}  // namespace zonecut::report
