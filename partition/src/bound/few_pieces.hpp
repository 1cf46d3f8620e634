#pragma once
// Rows of few pieces, which are looked at one by one.
#include <array>
#include <cstddef>
#include <cstdint>

namespace zonecut {

inline constexpr std::size_t kFewPieces = 3;  ///< of a row with an excess

/// Calls visit(sizes) for every two sizes and three, none of 0, that add up to a row.
template <class Visit>
void for_few_pieces(std::size_t length, std::size_t kinds, const Visit& visit) {
  const auto number = [](std::size_t size) { return static_cast<std::uint32_t>(size); };
  for (std::size_t x = 1; 2 * x <= length; ++x) {
    if (length - x < kinds) visit(std::array{number(x), number(length - x)});
  }
  for (std::size_t x = 1; 3 * x <= length; ++x) {
    for (std::size_t y = x; x + 2 * y <= length; ++y) {
      const std::size_t z = length - x - y;
      if (z < kinds) visit(std::array{number(x), number(y), number(z)});
    }
  }
}

[[nodiscard]] inline std::size_t few_steps(std::size_t length) { return length * length / 4; }

}  // namespace zonecut
