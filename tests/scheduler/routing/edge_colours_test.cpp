#include "routing/edge_colours.hpp"

#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <set>

#include "support/catch.hpp"

using namespace zonecut;

namespace {

/// How many edges meet at the busiest vertex.
std::uint32_t degree(const std::vector<BipartiteEdge>& edges) {
  std::map<std::pair<bool, std::uint32_t>, std::uint32_t> count;
  std::uint32_t most = 0;
  for (const BipartiteEdge& edge : edges) {
    most = std::max({most, ++count[{false, edge.left}], ++count[{true, edge.right}]});
  }
  return most;
}

}  // namespace

TEST_CASE("edges that meet have different colours, and no more are used than edges meet",
          "[routing][property]") {
  CHECK(rc::check([] {
    const auto any = [](std::uint32_t below) { return *rc::gen::inRange(0U, below); };
    std::vector<BipartiteEdge> edges(any(60));
    for (BipartiteEdge& edge : edges) edge = {any(6), any(6)};
    const std::uint32_t colours = degree(edges);
    const std::vector<std::uint32_t> found = edge_colours(edges, colours);
    std::set<std::pair<std::uint32_t, std::uint32_t>> left;
    std::set<std::pair<std::uint32_t, std::uint32_t>> right;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      RC_ASSERT(found[i] < colours);
      RC_ASSERT(left.insert({edges[i].left, found[i]}).second);
      RC_ASSERT(right.insert({edges[i].right, found[i]}).second);
    }
  }));
}
