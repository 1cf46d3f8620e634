#include "grid/line_divisions.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "grid/line_cut.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;
using fixture::double_tree;
using fixture::draw_lines;
using fixture::draw_pieces;

namespace {

constexpr std::int64_t kTwiceInQuarters = 8;

/// In the unit of the divisions.
std::int64_t cut_of(std::span<const LineEdge> edges, std::span<const std::size_t> piece) {
  std::int64_t cut = 0;
  for (const LineEdge& edge : edges) {
    if (piece[edge.low] != piece[edge.high]) cut += edge.weight;
  }
  return kTwiceInQuarters * cut;
}

/// Of all ways in which pieces of these sizes fill the line.
std::int64_t least_of_all(std::span<const LineEdge> edges, std::vector<std::uint32_t> left,
                          std::vector<std::size_t>& piece) {
  if (std::ranges::all_of(left, [](std::uint32_t each) { return each == 0; })) {
    return cut_of(edges, piece);
  }
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  for (std::size_t p = 0; p < left.size(); ++p) {
    if (left[p] == 0) continue;
    --left[p];
    piece.push_back(p);
    least = std::min(least, least_of_all(edges, left, piece));
    piece.pop_back();
    ++left[p];
  }
  return least;
}

/// Half of what every piece cuts by itself.
std::int64_t alone(std::span<const std::int64_t> cuts, std::span<const std::uint32_t> pieces) {
  std::int64_t sum = 0;
  for (const std::uint32_t size : pieces) sum += kTwiceInQuarters / 2 * cuts[size];
  return sum;
}

/// Pieces one after the other, and then places exchanged at random while less is cut.
std::int64_t cut_of_some(Random& random, std::span<const LineEdge> edges,
                         std::span<const std::uint32_t> pieces) {
  std::vector<std::size_t> piece;
  for (std::size_t p = 0; p < pieces.size(); ++p) piece.insert(piece.end(), pieces[p], p);
  std::int64_t cut = cut_of(edges, piece);
  for (int i = 0; i < 200; ++i) {
    const std::size_t u = random.below(piece.size());
    const std::size_t v = random.below(piece.size());
    std::swap(piece[u], piece[v]);
    const std::int64_t after = cut_of(edges, piece);
    if (after <= cut) {
      cut = after;
    } else {
      std::swap(piece[u], piece[v]);
    }
  }
  return cut;
}

}  // namespace

TEST_CASE("the division of a line that cuts least is that of all there are", "[partition]") {
  Random random(61);
  int dearer = 0;
  for (int draw = 0; draw < 300; ++draw) {
    const std::size_t length = 3 + random.below(6);
    const std::vector<LineEdge> edges = draw_lines(random, length);
    const std::vector<std::int64_t> cuts = least_cuts(length, edges);
    LineDivisions divisions(length, edges);
    for (int row = 0; row < 3; ++row) {
      const std::size_t count = 1 + random.below(std::min<std::size_t>(length, 4));
      std::vector<std::uint32_t> pieces = draw_pieces(random, length, count);
      std::vector<std::size_t> piece;
      const std::int64_t least = least_of_all(edges, pieces, piece);
      CAPTURE(draw, length, pieces);
      CHECK(divisions.least(pieces) == least);
      // Known now, in any order.
      std::ranges::reverse(pieces);
      CHECK(divisions.least(pieces) == least);
      CHECK(alone(cuts, pieces) <= least);
      dearer += alone(cuts, pieces) < least ? 1 : 0;
    }
  }
  CHECK(dearer > 200);
}

TEST_CASE("pieces of a double binary tree that leave each other no room cut more than alone",
          "[partition]") {
  constexpr std::size_t kRanks = 256;
  const std::vector<LineEdge> edges = double_tree(kRanks, 5);
  const std::vector<std::int64_t> cuts = least_cuts(kRanks, edges);
  LineDivisions divisions(kRanks, edges);
  const std::vector<std::uint32_t> fit{63, 66, 31, 33, 63};
  CHECK(divisions.least(fit) == alone(cuts, fit));
  // One edge more.
  const std::vector<std::uint32_t> apart{63, 32, 66, 39, 56};
  CHECK(divisions.least(apart) == alone(cuts, apart) + kTwiceInQuarters * 5);
}

TEST_CASE("no division of a line cuts less than is said where the search ends early or rounds",
          "[partition]") {
  Random random(62);
  int ended = 0;
  for (int draw = 0; draw < 60; ++draw) {
    const std::size_t length = 16 + random.below(60);
    std::vector<LineEdge> edges = double_tree(length, 3);
    // No divisor in common, and far more of them than are counted.
    if (draw % 2 == 0) {
      for (LineEdge& edge : edges) edge.weight = 1'000'000 + fixture::below(random, 1'000'000);
    }
    const std::vector<std::int64_t> cuts = least_cuts(length, edges);
    LineDivisions divisions(length, edges);
    const std::size_t most = std::min<std::size_t>(length, 15);
    const std::vector<std::uint32_t> pieces =
        draw_pieces(random, length, 2 + random.below(most - 1));
    const std::int64_t with_time = divisions.least(pieces);
    LineDivisions hasty(length, edges);
    hasty.allow(0);
    const std::int64_t without = hasty.least(pieces);
    CAPTURE(draw, length, pieces);
    CHECK(without <= with_time);
    ended += without < with_time ? 1 : 0;
    for (int i = 0; i < 5; ++i) CHECK(with_time <= cut_of_some(random, edges, pieces));
    if (draw % 2 == 1) CHECK(alone(cuts, pieces) <= without);
    CHECK(hasty.take_work() < 1'000'000);
    CHECK(hasty.take_work() == 0);
  }
  CHECK(ended > 10);
}

TEST_CASE("lines of two places or of too many that lie open are not searched", "[partition]") {
  CHECK_FALSE(LineDivisions::can_search(2, double_tree(2, 1)));
  CHECK(LineDivisions::can_search(3, double_tree(3, 1)));
  CHECK(LineDivisions::can_search(256, double_tree(256, 1)));
  CHECK_FALSE(LineDivisions::can_search(1024, double_tree(1024, 1)));
  std::vector<LineEdge> all;
  for (std::size_t u = 0; u < 40; ++u) {
    for (std::size_t v = u + 1; v < 40; ++v) all.push_back(fixture::between(u, v, 1));
  }
  CHECK_FALSE(LineDivisions::can_search(40, all));
}
