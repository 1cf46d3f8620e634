#include "grid/line_cut.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::below;
using fixture::cut_of;
using fixture::double_tree;
using fixture::draw_lines;

namespace {

/// By size, of all sets of a line.
struct Enumerated {
  std::vector<std::int64_t> cut;
  std::vector<std::int64_t> inside;  ///< the most weight

  Enumerated(std::size_t length, const std::vector<LineEdge>& edges)
      : cut(length + 1, std::numeric_limits<std::int64_t>::max()), inside(length + 1, 0) {
    for (std::uint32_t set = 0; set < 1U << length; ++set) {
      const auto size = static_cast<std::size_t>(std::popcount(set));
      std::int64_t within = 0;
      for (const LineEdge& e : edges) {
        if ((set >> e.low & 1U) != 0 && (set >> e.high & 1U) != 0) within += e.weight;
      }
      cut[size] = std::min(cut[size], cut_of(set, edges));
      inside[size] = std::max(inside[size], within);
    }
  }
};

/// Of weights that are counted in 16, 32 or 64 bits.
std::vector<LineEdge> heavier(std::vector<LineEdge> edges, int turn) {
  constexpr std::int64_t kFactor[] = {1, 100'003, 1'000'000'000'039};
  for (LineEdge& edge : edges) edge.weight = edge.weight * kFactor[turn % 3] + turn % 2;
  return edges;
}

}  // namespace

TEST_CASE("so many vertices of a line cut no less than the least cut", "[partition]") {
  Random random(72);
  for (int i = 0; i < 400; ++i) {
    const std::size_t length = 2 + random.below(10);
    const std::vector<LineEdge> edges = heavier(draw_lines(random, length), i);
    const Enumerated all(length, edges);
    INFO("line " << i << " of " << length);
    REQUIRE(least_cuts(length, edges) == all.cut);
    std::int64_t weight = 0;
    for (const LineEdge& edge : edges) weight += edge.weight;
    const std::vector<std::int64_t> shares = least_shares(length, edges);
    REQUIRE(shares.size() == length + 1);
    for (std::size_t x = 0; x <= length; ++x) {
      const auto places = static_cast<std::int64_t>(length);
      const std::int64_t even = 2 * weight * static_cast<std::int64_t>(x) / places;
      CHECK(shares[x] == even - 2 * all.inside[x]);
    }
    // With less work, edges are left out.
    const std::vector<std::int64_t> less = least_cuts(length, edges, 1 + random.below(2000));
    for (std::size_t x = 0; x <= length; ++x) CHECK(less[x] <= all.cut[x]);
  }
}

TEST_CASE("what so many ranks of long double binary trees cut is known exactly", "[partition]") {
  for (const std::size_t ranks : {1024U, 2048U, 4096U}) {
    const std::vector<std::int64_t> cuts = least_cuts(ranks, double_tree(ranks, 1));
    // An interval between two subtrees of both trees: half of all ranks cut two edges of either.
    CHECK(cuts[0] == 0);
    CHECK(cuts[1] == 2);  // the least there are of any rank
    CHECK(cuts[ranks / 2] <= 4);
    CHECK(cuts[ranks / 2] > 0);
    for (std::size_t x = 0; x <= ranks; ++x) REQUIRE(cuts[x] == cuts[ranks - x]);
    // One vertex more cuts three edges of either tree more, at most.
    for (std::size_t x = 1; x <= ranks; ++x) REQUIRE(cuts[x] <= cuts[x - 1] + 6);
    CHECK(least_cuts_steps(ranks, double_tree(ranks, 1)) < 20 * ranks * ranks);
  }
}
