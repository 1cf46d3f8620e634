#include "grid/line_parts.hpp"

#include <algorithm>
#include <limits>
#include <set>

#include "grid/frontier_sweep.hpp"
#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::double_tree;
using fixture::draw_lines;

namespace {

bool is_in(std::uint32_t v, const LinePart& part) { return v >= part.low && v < part.high; }

std::vector<std::uint32_t> open_of(const LinePart& part, const std::vector<LineEdge>& edges) {
  std::set<std::uint32_t> open;
  for (const LineEdge& edge : edges) {
    if (edge.weight == 0 || is_in(edge.low, part) == is_in(edge.high, part)) continue;
    open.insert(is_in(edge.low, part) ? edge.low : edge.high);
  }
  return {open.begin(), open.end()};
}

}  // namespace

TEST_CASE("a line is taken apart down to its vertices", "[partition]") {
  Random random(71);
  std::size_t whole = 0;
  for (int i = 0; i < 200; ++i) {
    const std::size_t length = 1 + random.below(60);
    const std::vector<LineEdge> edges =
        length < 2 ? std::vector<LineEdge>{} : draw_lines(random, length);
    const std::vector<LinePart> parts = take_apart(length, edges);
    INFO("line " << i << " of " << length);
    if (parts.size() < 2 * length - 1) {  // too many are open
      CHECK(std::max(parts.back().open.size(), parts.at(parts.size() - 2).open.size()) > 20);
      continue;
    }
    ++whole;
    REQUIRE(parts.size() == 2 * length - 1);
    CHECK(parts.front().low == 0);
    CHECK(parts.front().high == length);
    for (std::size_t p = 0; p < parts.size(); ++p) {
      const LinePart& part = parts[p];
      REQUIRE(part.open == open_of(part, edges));
      if (part.size() == 1) continue;
      const LinePart& left = parts[part.halves[0].index];
      const LinePart& right = parts[part.halves[1].index];
      CHECK(std::min(part.halves[0].index, part.halves[1].index) > p);
      REQUIRE(left.low == part.low);
      REQUIRE(left.high == right.low);
      REQUIRE(right.high == part.high);
      const auto knows = [&](std::uint32_t v) { return std::ranges::binary_search(part.known, v); };
      CHECK(std::ranges::all_of(part.open, knows));
      for (const LineEdge& edge : part.joined) {
        CHECK((is_in(edge.low, left) && is_in(edge.high, right)));
        CHECK((knows(edge.low) || knows(edge.high)));
      }
    }
  }
  CHECK(whole > 150);
}

TEST_CASE("few vertices of a double binary tree are open in any part", "[partition]") {
  for (const std::size_t ranks : {64U, 512U, 1024U, 2048U, 4096U}) {
    for (const LinePart& part : take_apart(ranks, double_tree(ranks, 1))) {
      REQUIRE(part.open.size() <= 3);
      REQUIRE(part.known.size() <= 4);
    }
  }
  // Of other numbers of ranks the trees' subtrees do not end at the same places.
  for (const std::size_t ranks : {1000U, 1300U, 2000U}) {
    for (const LinePart& part : take_apart(ranks, double_tree(ranks, 1))) {
      REQUIRE(part.open.size() <= 8);
      REQUIRE(part.known.size() <= 11);
    }
  }
}

TEST_CASE("lines with too many open vertices are soon seen to be", "[partition]") {
  std::vector<LineEdge> edges;
  for (std::size_t low = 0; low < 600; ++low) {
    for (std::size_t high = low + 1; high < 600; ++high) {
      edges.push_back(fixture::between(low, high, 1));
    }
  }
  const std::vector<LinePart> parts = take_apart(600, edges);
  CHECK(parts.size() == 3);  // either half has far more than 20
  const std::vector<std::uint32_t> widths(600, 1);
  CHECK(join_steps(parts, widths, 300) == std::numeric_limits<std::size_t>::max());
}

TEST_CASE("parts are divided where states of both halves' open vertices are few", "[partition]") {
  std::vector<LineEdge> edges;  // twelve neighbours on both sides
  for (std::size_t low = 0; low < 60; ++low) {
    for (std::size_t high = low + 1; high < std::min<std::size_t>(60, low + 13); ++high) {
      edges.push_back(fixture::between(low, high, 1));
    }
  }
  const std::vector<LinePart> parts = take_apart(60, edges);
  REQUIRE(parts.size() == 119);
  for (const LinePart& part : parts) {
    CHECK(part.open.size() <= 12);
    if (part.size() == 1) continue;
    for (const LinePart::Half& half : part.halves) {
      CHECK(half.seen.size() + half.hidden.size() <= 20);
    }
  }
  const std::vector<std::uint32_t> widths(60, 1);
  CHECK(join_steps(parts, widths, 30) < 100'000'000);
}

TEST_CASE("the nearest edges are kept, as many as are joined in so many steps", "[partition]") {
  Random random(5);
  std::size_t left_out = 0;
  for (int i = 0; i < 300; ++i) {
    const std::size_t length = 3 + random.below(40);
    std::vector<LineEdge> edges = draw_lines(random, length);
    sort_by_reach(edges);
    const std::vector<std::uint32_t> widths(length, 1);
    const auto steps = [&](std::size_t kept) {
      return join_steps(take_apart(length, std::span(edges).first(kept)), widths, length);
    };
    const std::size_t most = steps(0) + random.below(4'000);
    const std::size_t kept = edges_to_join(length, edges, length, most);
    INFO("line " << i << " of " << length << ", " << kept << " of " << edges.size());
    CHECK(steps(kept) <= most);
    if (kept == edges.size()) continue;
    ++left_out;
    CHECK(steps(kept + 1) > most);
  }
  CHECK(left_out > 100);
}
