#include "bound/stage_shapes.hpp"

#include <algorithm>

#include "partition/grid/drawn_lines.hpp"
#include "support/catch.hpp"

using namespace zonecut;
using fixture::below;

namespace {

RowLine draw_line(Random& random) {
  const std::int64_t step = 1 + below(random, 20);
  const std::int64_t wraps[] = {0, step, below(random, static_cast<std::uint64_t>(step))};
  return {2 + random.below(15), 1 + random.below(12), step, wraps[random.below(3)]};
}

std::vector<std::uint32_t> draw_sizes(Random& random, std::size_t vertices) {
  std::vector<std::uint32_t> sizes(1 + random.below(5), 0);
  for (std::size_t v = 0; v < vertices; ++v) ++sizes[random.below(sizes.size())];
  return sizes;
}

StageShapes::Costs draw_costs(Random& random, const StageShapes& shapes, std::size_t length) {
  StageShapes::Costs costs(shapes.classes(), std::vector<double>(length + 1, 0));
  for (std::vector<double>& of_row : costs) {
    for (double& cost : of_row) cost = static_cast<double>(random.below(200)) - 80;
  }
  return costs;
}

}  // namespace

TEST_CASE("what zones take of rows is the same where the tables of few rows are kept",
          "[partition]") {
  Random random(17);
  std::size_t of_many_rows = 0;
  for (int i = 0; i < 400; ++i) {
    const RowLine line = draw_line(random);
    const std::size_t slack = i % 3 == 0 ? 1 + random.below(line.length) : 0;
    const Filling filling = slack > 0 ? Filling::Open : Filling::Full;
    const std::vector<std::uint32_t> sizes = draw_sizes(random, line.rows * line.length + slack);
    StageShapes all(line, sizes, filling);
    StageShapes few(line, sizes, filling, StageShapes::kAll, 0);
    CHECK(few.steps() >= all.steps());
    if (few.steps() > all.steps()) ++of_many_rows;
    for (int draw = 0; draw < 3; ++draw) {
      const StageShapes::Costs costs = draw_costs(random, all, line.length);
      all.choose(costs);
      few.choose(costs);
      INFO("line " << i << " of " << line.rows << " x " << line.length << ", draw " << draw);
      CHECK(all.together() == few.together());
      REQUIRE(all.zones().size() == few.zones().size());
      for (std::size_t z = 0; z < all.zones().size(); ++z) {
        CHECK(all.zones()[z].size == few.zones()[z].size);
        CHECK(all.zones()[z].cost == few.zones()[z].cost);
        CHECK(all.zones()[z].taken == few.zones()[z].taken);
      }
    }
  }
  CHECK(of_many_rows > 200);
}
