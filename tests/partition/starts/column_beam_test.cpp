// Columns in order, for double binary trees times a pipeline.
#include "starts/column_beam.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>
#include <set>

#include "partition/mapping_fixtures.hpp"
#include "partition/starts/drawn_trees.hpp"
#include "starts/column_borders.hpp"
#include "starts/stacked_starts.hpp"

using namespace zonecut;

TEST_CASE("borders of columns have the vertices before them that were asked for", "[partition]") {
  int many = 0;
  const int checked =
      fixture::for_each_tree(21, 100, [&](Random& random, const fixture::DrawnGrid& drawn) {
        const EqualRows rows(drawn.grid);
        ColumnBorders borders(rows, drawn.sizes.size());
        const std::uint32_t all = rows.rows() * rows.length();
        for (const auto vertices :
             {std::uint32_t{0}, all, static_cast<std::uint32_t>(random.below(all + 1))}) {
          std::set<std::vector<std::uint16_t>> seen;
          for (const ColumnBorder& border : borders.with(vertices)) {
            REQUIRE(border.place.size() == rows.rows());
            CHECK(std::reduce(border.place.begin(), border.place.end(), 0U) == vertices);
            CHECK(std::ranges::max(border.place) <= rows.length());
            std::int64_t apart = 0;
            for (std::size_t r = 0; r < rows.rows(); ++r) {
              const bool last = r + 1 == rows.rows();
              const int far = border.place[r] - border.place[last ? 0 : r + 1];
              apart += (last ? rows.wrap() : rows.step()) * std::abs(far);
            }
            CHECK(border.apart == apart);
            CHECK(seen.insert(border.place).second);
          }
          CHECK(!seen.empty());
          many += seen.size() > 4 ? 1 : 0;
        }
      });
  CHECK(checked > 30);
  CHECK(many > 20);
}

TEST_CASE("columns in order fill every part, and cut no more than they say", "[partition]") {
  int exact = 0;
  int layouts = 0;
  const int checked =
      fixture::for_each_tree(22, 200, [&](Random&, const fixture::DrawnGrid& drawn) {
        const EqualRows rows(drawn.grid);
        const RowOrder order = row_order(drawn.grid);
        ColumnBeam beam(rows, drawn.sizes);
        WorkBudget budget(2'000'000);
        std::int64_t before = 0;
        for (const ColumnBeam::Layout& layout : beam.search(budget, 5)) {
          const std::vector<std::uint32_t> part = parts_of(order, layout.rows);
          fixture::check_filled(part, drawn.sizes);
          const std::int64_t cut = cut_weight(drawn.job.graph, part);
          CHECK(cut <= layout.cut);
          CHECK(before < layout.cut);
          before = layout.cut;
          ++layouts;
          exact += cut == layout.cut ? 1 : 0;
        }
      });
  CHECK(checked > 60);
  CHECK(layouts > 3 * checked);
  CHECK(exact > layouts / 2);
}

TEST_CASE("columns in order are often a best cut of small jobs", "[partition]") {
  Random random(23);
  int checked = 0;
  int best = 0;
  for (int i = 0; i < 300; ++i) {
    const fixture::FamilyShape shape{1, 3 + random.below(3), 2, 0};
    const auto drawn = fixture::draw_grid(random, fixture::Family::TreePipeline, shape);
    if (!drawn || !rows_of_lines(drawn->grid)) continue;
    const PartitionProblem problem{drawn->job.graph, drawn->sizes, drawn->job.coordinates};
    const std::vector<Shares> choices{drawn->sizes};
    const std::vector<Partition> starts =
        column_starts(problem, drawn->grid, choices, {2'000'000, 3});
    REQUIRE(!starts.empty());
    const double optimum = drawn->optimum();
    ++checked;
    for (const Partition& start : starts) {
      fixture::check_filled(start.part, drawn->sizes);
      CHECK(start.cut == cut_weight(problem.graph, start.part));
      CHECK(static_cast<double>(start.cut) >= optimum);
    }
    best += static_cast<double>(starts.front().cut) == optimum ? 1 : 0;
  }
  CHECK(checked > 100);
  CHECK(best > checked / 3);
}

TEST_CASE("columns in order need steps, and parts that are not too many", "[partition]") {
  Random random(24);
  const fixture::Instance tree =
      fixture::draw_job(random, fixture::Family::TreePipeline, {1, 64, 2, 0});
  const auto of = [&](std::size_t parts, std::int64_t steps) {
    Shares shares(parts, 1);
    shares.front() = static_cast<std::uint32_t>(tree.graph.vertices() - parts + 1);
    const PartitionProblem problem{tree.graph, shares, tree.coordinates};
    const std::optional<GridTraffic> grid = grid_of_lines(problem);
    REQUIRE(grid);
    const std::vector<Shares> choices{shares, shares};
    return column_starts(problem, *grid, choices, {steps, 4}).size();
  };
  CHECK(of(3, 1'000'000) > 1);
  CHECK(of(3, 0) == 0);
  CHECK(of(3, 1000) == 0);
  CHECK(of(64, 400'000'000) > 0);
  CHECK(of(65, 400'000'000) == 0);
  CHECK(of(1, 1'000'000) == 0);
}

TEST_CASE("parts keep their numbers in layouts, however many hold nothing", "[partition]") {
  Random random(25);
  const fixture::Instance tree =
      fixture::draw_job(random, fixture::Family::TreePipeline, {1, 16, 3, 0});
  Shares shares(70'000, 0);
  shares[7] = 20;
  shares[66'000] = 16;
  shares.back() = 12;
  const PartitionProblem problem{tree.graph, shares, tree.coordinates};
  const std::optional<GridTraffic> grid = grid_of_lines(problem);
  REQUIRE(grid);
  const std::vector<Shares> choices{shares};
  std::vector<Partition> starts = column_starts(problem, *grid, choices, {1'000'000, 2});
  std::ranges::move(stacked_starts(problem, *grid, choices, {100'000, 2}, {}),
                    std::back_inserter(starts));
  REQUIRE(starts.size() > 3);
  for (const Partition& start : starts) {
    for (const std::uint32_t part : {7U, 66'000U, 69'999U}) {
      CHECK(std::ranges::count(start.part, part) == shares[part]);
    }
  }
}

TEST_CASE("looking for borders ends where rows are many", "[partition]") {
  Random random(26);
  const fixture::Instance tree =
      fixture::draw_job(random, fixture::Family::TreePipeline, {1, 8, 500, 0});
  const Shares shares{1500, 1400, 1100};
  const PartitionProblem problem{tree.graph, shares, tree.coordinates};
  const std::optional<GridTraffic> grid = grid_of_lines(problem);
  REQUIRE(grid);
  const EqualRows rows(*grid);
  for (const std::int64_t steps : {100'000, 3'000'000, 20'000'000}) {
    ColumnBeam beam(rows, shares);
    WorkBudget budget(steps);
    const std::vector<ColumnBeam::Layout> layouts = beam.search(budget, 3);
    // A last beginning may overdraw.
    CHECK(budget.left() > -2 * steps);
    for (const ColumnBeam::Layout& layout : layouts) {
      fixture::check_filled(parts_of(row_order(*grid), layout.rows), shares);
    }
    CHECK(layouts.empty() == (steps < 1'000'000));
  }
}
