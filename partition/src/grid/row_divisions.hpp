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
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "grid/cell_walks.hpp"
#include "grid/divisions.hpp"
#include "grid/row_cut.hpp"

namespace zonecut {

class RowDivisions : public Divisions {
 public:
  /// Whether rows are of more than two cells, none too large.
  [[nodiscard]] static bool can_search(const CellRing& ring);

  /// Prices of its cells count; its end price does not.
  explicit RowDivisions(const CellRing& ring);

  /// A cell.
  [[nodiscard]] std::size_t group() const override { return walks_.front().size(); }
  [[nodiscard]] std::size_t take_work() override;

 private:
  struct Alone {
    std::int64_t sum = 0;
    std::size_t price = 0;  ///< of the ends, at which it is highest
  };

  [[nodiscard]] Alone by_themselves(std::span<const std::uint32_t> pieces);
  [[nodiscard]] std::int64_t alone(std::span<const std::uint32_t> pieces) override;
  [[nodiscard]] std::int64_t search(std::span<const std::uint32_t> pieces) override;

  std::vector<CellWalks> walks_;  // by price of the ends
  std::size_t work_ = 0;
};

}  // namespace zonecut
