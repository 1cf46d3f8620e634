#include "grid/row_divisions.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <span>
#include <vector>

#include "grid/cell_walks.hpp"
#include "grid/row_cut.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;
using fixture::draw_pieces;

namespace {

/// Rings or cliques, in a ring, in one with a lighter closing edge or in a path.
CellRing draw_ring(Random& random, std::size_t cells, std::size_t size) {
  CellRing ring;
  ring.cells = cells;
  ring.size = size;
  const auto inside = static_cast<std::int64_t>(random.below(40));
  const bool clique = random.below(3) == 0;
  ring.cell = [inside, clique, size](std::size_t k) {
    if (k == 0 || k == size) return std::int64_t{0};
    return inside * (clique ? static_cast<std::int64_t>(k * (size - k)) : 2);
  };
  ring.slope = static_cast<std::int64_t>(random.below(30));
  if (random.below(3) > 0 && ring.slope > 0) {
    const auto slope = static_cast<std::uint64_t>(ring.slope);
    ring.lacking =
        random.below(2) == 0 ? ring.slope : static_cast<std::int64_t>(random.below(slope));
  }
  if (random.below(3) == 0) ring.chain = static_cast<std::int64_t>(random.below(20));
  if (random.below(3) == 0) {
    for (std::size_t k = 0; k <= size; ++k) {
      ring.price.push_back(k == 0 ? 0 : static_cast<std::int64_t>(random.below(21)) - 10);
    }
  }
  return ring;
}

/// What a piece cuts that takes so many of each cell, and their prices.
std::int64_t cost_of(const CellRing& ring, std::span<const std::size_t> taken) {
  std::int64_t cost = 0;
  for (std::size_t c = 0; c < ring.cells; ++c) {
    const std::size_t k = taken[c];
    const std::size_t next = taken[(c + 1) % ring.cells];
    const std::size_t apart = std::max(k, next) - std::min(k, next);
    const std::int64_t slope = ring.slope - (c + 1 == ring.cells ? ring.lacking : 0);
    cost += ring.cell(k) + (ring.price.empty() ? 0 : ring.price[k]);
    cost += slope * static_cast<std::int64_t>(apart) + (apart == ring.size ? ring.chain : 0);
  }
  return cost;
}

/// All ways in which pieces fill a row, piece after piece.
class AllDivisions {
 public:
  AllDivisions(const CellRing& ring, std::span<const std::uint32_t> pieces)
      : ring_(ring), pieces_(pieces), room_(ring.cells, ring.size), taken_(ring.cells, 0) {
    divide(0, 0, pieces[0], 0);
  }
  [[nodiscard]] std::int64_t least() const { return least_; }

 private:
  void divide(std::size_t piece, std::size_t cell, std::size_t left, std::int64_t cost) {
    if (cell == ring_.cells) {
      if (left > 0) return;
      cost += cost_of(ring_, taken_);
      if (piece + 1 == pieces_.size()) {
        least_ = std::min(least_, cost);
        return;
      }
      const std::vector<std::size_t> taken = taken_;
      divide(piece + 1, 0, pieces_[piece + 1], cost);
      taken_ = taken;
      return;
    }
    for (std::size_t k = 0; k <= std::min(left, room_[cell]); ++k) {
      taken_[cell] = k;
      room_[cell] -= k;
      divide(piece, cell + 1, left - k, cost);
      room_[cell] += k;
    }
  }

  const CellRing& ring_;
  std::span<const std::uint32_t> pieces_;
  std::vector<std::size_t> room_;
  std::vector<std::size_t> taken_;  // by the piece
  std::int64_t least_ = std::numeric_limits<std::int64_t>::max();
};

/// What some division costs, filled from vertex to vertex.
std::int64_t cost_of_some(Random& random, const CellRing& ring, std::vector<std::uint32_t> pieces) {
  std::vector<std::vector<std::size_t>> taken(pieces.size(),
                                              std::vector<std::size_t>(ring.cells, 0));
  std::size_t piece = 0;
  for (std::size_t v = 0; v < ring.cells * ring.size; ++v) {
    while (pieces[piece] == 0 || random.below(8) == 0) piece = random.below(pieces.size());
    --pieces[piece];
    ++taken[piece][v / ring.size];
  }
  std::int64_t cost = 0;
  for (const auto& each : taken) cost += cost_of(ring, each);
  return cost;
}

}  // namespace

TEST_CASE("the division of a row that costs least is that of all there are", "[partition]") {
  Random random(51);
  int dearer = 0;
  for (int draw = 0; draw < 600; ++draw) {
    const std::size_t cells = 3 + random.below(2);
    const CellRing ring = draw_ring(random, cells, cells == 3 ? 1 + random.below(4) : 2);
    const std::size_t length = ring.cells * ring.size;
    const std::size_t most = std::min<std::size_t>(length, 4);
    RowDivisions divisions(ring);
    for (int row = 0; row < 4; ++row) {
      std::vector<std::uint32_t> pieces = draw_pieces(random, length, 1 + random.below(most));
      const std::int64_t least = AllDivisions(ring, pieces).least();
      CAPTURE(draw, ring.cells, ring.size, ring.slope, ring.lacking, ring.chain, pieces);
      CHECK(divisions.least(pieces) == least);
      // Known now, in any order.
      std::ranges::reverse(pieces);
      CHECK(divisions.least(pieces) == least);
      CellWalks walks(ring, 0);
      std::int64_t alone = 0;
      for (const std::uint32_t size : pieces) alone += walks.whole(size);
      CHECK(alone <= least);
      dearer += alone < least ? 1 : 0;
    }
  }
  CHECK(dearer > 400);
}

TEST_CASE("a walk over all cells costs what such a piece cuts at least", "[partition]") {
  Random random(52);
  for (int draw = 0; draw < 300; ++draw) {
    CellRing ring = draw_ring(random, 3 + random.below(4), 1 + random.below(5));
    ring.end_price = static_cast<std::int64_t>(random.below(10));
    const CutBySize cuts = least_cuts(ring);
    CellWalks walks(ring, ring.end_price);
    CAPTURE(draw, ring.cells, ring.size, ring.slope, ring.lacking, ring.chain, ring.end_price);
    for (std::size_t x = 0; x < cuts.size(); ++x) CHECK(walks.whole(x) == cuts[x]);
  }
}

TEST_CASE("no division costs less than is said of rows that take long to search", "[partition]") {
  Random random(53);
  int cells_of_many = 0;
  for (int draw = 0; draw < 60; ++draw) {
    const CellRing ring = draw_ring(random, 3 + random.below(14), 2 + random.below(14));
    const std::size_t length = ring.cells * ring.size;
    const std::size_t most = std::min<std::size_t>(length, 16);
    RowDivisions divisions(ring);
    const std::vector<std::uint32_t> pieces =
        draw_pieces(random, length, 2 + random.below(most - 1));
    const std::int64_t least = divisions.least(pieces);
    CAPTURE(draw, ring.cells, ring.size, pieces);
    for (int i = 0; i < 20; ++i) CHECK(least <= cost_of_some(random, ring, pieces));
    CHECK(divisions.take_work() < 5'000'000);
    cells_of_many += pieces.size() > 12 ? 1 : 0;
  }
  CHECK(cells_of_many > 5);
}

TEST_CASE("rows of two cells or of very many are not searched", "[partition]") {
  Random random(54);
  CHECK_FALSE(RowDivisions::can_search(draw_ring(random, 2, 4)));
  CHECK(RowDivisions::can_search(draw_ring(random, 3, 4)));
  CHECK_FALSE(RowDivisions::can_search(draw_ring(random, 3, 256)));
  CHECK_FALSE(RowDivisions::can_search(draw_ring(random, 64, 64)));
}
