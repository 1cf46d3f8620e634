#include "grid/line_cut.hpp"

#include <algorithm>
#include <bit>
#include <limits>

#include "partition/bound/enumerated_cuts.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::below;
using fixture::between;
using fixture::cut_of;
using fixture::double_tree;
using fixture::draw_lines;
using fixture::enumerated_cuts;

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

TEST_CASE("the least cuts and shares of a row are exact in units of any size", "[partition]") {
  Random random(8);
  for (const std::int64_t scale : {1LL, 1'000'000LL, 10'000'000'000'000LL}) {
    for (int i = 0; i < 40; ++i) {
      const std::size_t vertices = 2 + random.below(9);
      const bool common = random.below(2) == 0;  // a divisor
      std::vector<LineEdge> edges;
      std::vector<std::int64_t> degree(vertices, 0);
      std::int64_t all = 0;
      for (std::size_t e = 0; e < 2 * vertices; ++e) {
        const std::size_t u = random.below(vertices);
        const std::size_t v = random.below(vertices);
        if (u == v) continue;
        const auto odd = static_cast<std::int64_t>(common ? 0 : random.below(3));
        edges.push_back(between(u, v, scale * static_cast<std::int64_t>(random.below(9)) + odd));
        degree[u] += edges.back().weight;
        degree[v] += edges.back().weight;
        all += 2 * edges.back().weight;
      }
      CHECK(least_cuts(vertices, edges) == enumerated_cuts(vertices, edges));
      std::vector<std::int64_t> shares(vertices + 1, std::numeric_limits<std::int64_t>::max());
      for (std::uint32_t set = 0; set < 1U << vertices; ++set) {
        std::int64_t share = 0;
        for (const LineEdge& e : edges)
          share += (set >> e.low & 1) != (set >> e.high & 1) ? e.weight : 0;
        for (std::size_t v = 0; v < vertices; ++v) share -= (set >> v & 1) != 0 ? degree[v] : 0;
        std::int64_t& least = shares[static_cast<std::size_t>(std::popcount(set))];
        least = std::min(least, share);
      }
      const auto places = static_cast<std::int64_t>(vertices);
      for (std::int64_t x = 0; x <= places; ++x) {
        shares[static_cast<std::size_t>(x)] += all / places * x + all % places * x / places;
      }
      CHECK(least_shares(vertices, edges) == shares);
    }
  }
}

TEST_CASE("the least cuts of a double binary tree of a thousand ranks are those of its subtrees",
          "[partition]") {
  constexpr std::size_t kRanks = 1000;
  const std::vector<LineEdge> edges = double_tree(kRanks, 70);
  const std::vector<std::int64_t> cuts = least_cuts(kRanks, edges);
  // An interval cuts no less, and some cut as little.
  std::vector<std::int64_t> intervals(kRanks + 1, std::numeric_limits<std::int64_t>::max());
  for (std::size_t low = 0; low < kRanks; ++low) {
    std::int64_t cut = 0;
    for (std::size_t high = low + 1; high <= kRanks; ++high) {
      for (const LineEdge& e : edges) {
        const std::size_t other = e.low == high - 1 ? e.high : e.high == high - 1 ? e.low : kRanks;
        if (other == kRanks) continue;
        cut += other >= low && other < high - 1 ? -e.weight : e.weight;
      }
      intervals[high - low] = std::min(intervals[high - low], cut);
      if (high - low > 40) break;
    }
  }
  for (std::size_t x = 1; x <= 40; ++x) CHECK(cuts[x] <= intervals[x]);
  for (const std::size_t x : {1u, 2u, 31u}) CHECK(cuts[x] == intervals[x]);
  for (std::size_t x = 0; x <= kRanks; ++x) CHECK(cuts[x] == cuts[kRanks - x]);
}

TEST_CASE("shares of the pieces of a row add up to no more than twice its cut", "[partition]") {
  Random random(6);
  for (int i = 0; i < 300; ++i) {
    const std::size_t vertices = 2 + random.below(9);
    std::vector<LineEdge> edges;
    for (std::size_t e = 0; e < 2 * vertices; ++e) {
      const std::size_t u = random.below(vertices);
      const std::size_t v = random.below(vertices);
      if (u != v) edges.push_back(between(u, v, static_cast<std::int64_t>(random.below(9))));
    }
    const std::vector<std::int64_t> shares = least_shares(vertices, edges);
    CHECK(shares.front() == 0);
    CHECK(shares.back() == 0);
    std::vector<std::size_t> piece(vertices);
    std::vector<std::size_t> size(3, 0);
    for (std::size_t& p : piece) ++size[p = random.below(3)];
    std::int64_t twice = 0;
    for (const LineEdge& e : edges) twice += piece[e.low] != piece[e.high] ? 2 * e.weight : 0;
    CHECK(shares[size[0]] + shares[size[1]] + shares[size[2]] <= twice);
  }
}
