#include "grid/frontier_sweep.hpp"

#include <algorithm>

#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;

TEST_CASE("the nearest edges are kept, as many as leave so many ways", "[partition]") {
  Random random(5);
  std::size_t left_out = 0;
  for (int i = 0; i < 300; ++i) {
    const std::size_t length = 3 + random.below(40);
    std::vector<LineEdge> edges = fixture::draw_lines(random, length);
    sort_by_reach(edges);
    const std::size_t most = 2 * length + random.below(400);
    const std::size_t kept = edges_for_ways(length, edges, most);
    INFO("line " << i << " of " << length << ", " << kept << " of " << edges.size());
    CHECK(frontier_ways(length, std::span(edges).first(kept)) <= most);
    if (kept == edges.size()) continue;
    ++left_out;
    CHECK(frontier_ways(length, std::span(edges).first(kept + 1)) > most);
    const auto reach = [](const LineEdge& e) { return e.high - e.low; };
    if (kept > 0) CHECK(reach(edges[kept - 1]) <= reach(edges[kept]));
  }
  CHECK(left_out > 100);
}
