#include "starts/laid_rows.hpp"

#include <algorithm>
#include <cstddef>

#include "zonecut/base/error.hpp"

namespace zonecut {

std::int64_t places_apart(std::span<const RowPiece> row, std::span<const RowPiece> next) {
  std::int64_t places = 0;
  std::uint32_t begin = 0;
  std::size_t j = 0;
  for (std::size_t i = 0; i < row.size();) {
    const std::uint32_t end = std::min(row[i].end, next[j].end);
    if (row[i].part != next[j].part) places += end - begin;
    begin = end;
    if (next[j].end == end) ++j;
    if (row[i].end == end) ++i;
  }
  return places;
}

std::vector<std::uint32_t> parts_of(const RowOrder& order, const LaidRows& rows) {
  std::vector<std::uint32_t> part(order.at.size());
  for (std::size_t row = 0; row < order.rows; ++row) {
    std::size_t place = 0;
    for (const RowPiece& piece : rows[row]) {
      for (; place < piece.end; ++place) part[order.at[row * order.length + place]] = piece.part;
    }
    ZONECUT_ENSURES(place == order.length);
  }
  return part;
}

}  // namespace zonecut
