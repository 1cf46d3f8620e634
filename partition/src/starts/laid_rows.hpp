#pragma once
// Equal rows laid out: which places of each belong to which part, and which vertices these are.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace zonecut {

/// Vertices by row and place.
struct RowOrder {
  std::uint32_t rows = 0;
  std::uint32_t length = 0;
  std::vector<std::uint32_t> at;  ///< vertex by row · length + place
};

inline constexpr std::size_t kLongestRow = 65'535;  // places

/// Places of a row up to its end, from that of the one before.
struct RowPiece {
  std::uint16_t end = 0;
  std::uint32_t part = 0;
  friend bool operator==(const RowPiece&, const RowPiece&) = default;
};
/// By row; the last piece of each ends where the row does.
using LaidRows = std::vector<std::vector<RowPiece>>;

/// Places that lie in one part in a row and in another in the next.
[[nodiscard]] std::int64_t places_apart(std::span<const RowPiece> row,
                                        std::span<const RowPiece> next);

/// Part by vertex.
[[nodiscard]] std::vector<std::uint32_t> parts_of(const RowOrder& order, const LaidRows& rows);

}  // namespace zonecut
