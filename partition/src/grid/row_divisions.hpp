#pragma once
// What a row of cells cuts inside when pieces of given sizes divide it among them: every cell is
// filled, none is taken twice. Pieces that are cheap by themselves may leave each other no room for
// it: of 12 rings of 16, one of 77 vertices and one of 18 do not fit beside 96 and 1.
//
// A search for the shortest path (A*: Hart, Nilsson and Raphael, IEEE Transactions on Systems
// Science and Cybernetics 4, 1968) from cell to cell. Its state is what every piece took of the
// last cell and has left to take, and what is ahead is at least what every piece would cut by
// itself. Both ends of a row that lack a border are dear or cheap for all pieces alike: a price for
// their vertices, which adds up to the same in every division, says better what is ahead.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "grid/cell_walks.hpp"
#include "grid/row_cut.hpp"

namespace zonecut {

class RowDivisions {
 public:
  /// Whether rows are of more than two cells, none too large.
  [[nodiscard]] static bool can_search(const CellRing& ring);

  /// Prices of its cells count; its end price does not.
  explicit RowDivisions(const CellRing& ring);

  /// Twice what such a division cuts inside the row, and the prices of all cells: what all pieces'
  /// walks cost together. Pieces of one vertex at least that make up a row. Where the search takes
  /// too long, and of many pieces, a bound. Of few known from the second time on. Not thread-safe.
  [[nodiscard]] std::int64_t least(std::span<const std::uint32_t> pieces);
  /// Steps of a search from now on, where that is less than it takes by itself.
  void allow(std::int64_t steps) {
    most_work_ = std::clamp<std::int64_t>(steps, kFewestSteps, kMostSteps);
  }
  /// Vertices of a cell.
  [[nodiscard]] std::size_t cell() const { return walks_.front().size(); }
  /// Steps since this was asked last.
  [[nodiscard]] std::size_t take_work();

 private:
  static constexpr std::size_t kMostPieces = 12;
  static constexpr std::int64_t kFewestSteps = 1'000;
  static constexpr std::int64_t kMostSteps = 80'000;
  using Sizes = std::array<std::uint16_t, kMostPieces>;  ///< the largest first, then none
  struct Hash {
    std::size_t operator()(const Sizes& sizes) const;
  };
  struct Alone {
    std::int64_t sum = 0;
    std::size_t price = 0;  ///< of the ends, at which it is highest
  };

  [[nodiscard]] static Sizes sorted(std::span<const std::uint32_t> pieces);
  [[nodiscard]] Alone alone(std::span<const std::uint32_t> pieces);
  [[nodiscard]] std::int64_t search(std::span<const std::uint32_t> pieces);

  std::vector<CellWalks> walks_;  // by price of the ends
  std::unordered_map<Sizes, std::int64_t, Hash> known_;
  std::int64_t most_work_ = kMostSteps;
  std::size_t work_ = 0;
};

}  // namespace zonecut
