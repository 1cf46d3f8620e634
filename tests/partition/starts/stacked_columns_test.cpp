// Parts stacked in columns, for double binary trees times a pipeline.
#include "starts/stacked_columns.hpp"

#include <algorithm>

#include "partition/starts/drawn_trees.hpp"
#include "starts/stacked_starts.hpp"

using namespace zonecut;

namespace {

/// Part of each place, row after row.
std::vector<std::uint32_t> places_of(const EqualRows& rows, const StackedColumns& columns) {
  std::vector<std::uint32_t> parts;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    std::uint32_t begin = 0;
    for (const RowPiece& piece : columns.rows()[row]) {
      CHECK(piece.end > begin);
      parts.insert(parts.end(), piece.end - begin, piece.part);
      begin = piece.end;
    }
    CHECK(begin == rows.length());
  }
  return parts;
}

/// Edge by edge.
std::int64_t cut_of(const GridTraffic& grid, const EqualRows& rows,
                    std::span<const std::uint32_t> parts) {
  std::int64_t cut = 0;
  for (std::size_t row = 0; row < rows.rows(); ++row) {
    const std::size_t first = row * rows.length();
    for (const LineEdge& edge : grid.lines) {
      if (parts[first + edge.low] != parts[first + edge.high]) cut += edge.weight;
    }
    const bool last = row + 1 == rows.rows();
    for (std::size_t i = 0; i < rows.length(); ++i) {
      const std::size_t next = last ? i : first + rows.length() + i;
      if (parts[first + i] != parts[next]) cut += last ? rows.wrap() : rows.step();
    }
  }
  return cut;
}

}  // namespace

TEST_CASE("weights of intervals are sums over their edges", "[partition]") {
  const int checked = fixture::for_each_tree(5, 60, [](Random&, const fixture::DrawnGrid& drawn) {
    const EqualRows rows(drawn.grid);
    const auto sum = [&](const auto& holds) {
      std::int64_t weight = 0;
      for (const LineEdge& edge : drawn.grid.lines) weight += holds(edge) ? edge.weight : 0;
      return weight;
    };
    for (std::uint32_t b = 0; b <= rows.length(); ++b) {
      for (std::uint32_t e = b; e <= rows.length(); ++e) {
        CHECK(rows.within(b, e) ==
              sum([&](const LineEdge& edge) { return edge.low >= b && edge.high < e; }));
        CHECK(rows.between(0, b, e, rows.length()) ==
              sum([&](const LineEdge& edge) { return edge.low < b && edge.high >= e; }));
      }
      CHECK(rows.over(b) ==
            sum([&](const LineEdge& edge) { return edge.low < b && edge.high >= b; }));
    }
  });
  CHECK(checked > 20);
}

TEST_CASE("stacks fill every row and every part, and cut what they say", "[partition]") {
  int lower = 0;
  const int checked =
      fixture::for_each_tree(7, 300, [&](Random& random, const fixture::DrawnGrid& drawn) {
        const EqualRows rows(drawn.grid);
        StackedColumns columns(rows, drawn.sizes, Random(random.next()));
        std::vector<std::uint32_t> parts = places_of(rows, columns);
        fixture::check_filled(parts, drawn.sizes);
        const std::int64_t before = columns.cut();
        CHECK(before == cut_of(drawn.grid, rows, parts));
        // Short ones end anywhere.
        WorkBudget budget(static_cast<std::int64_t>(random.below(300'000)));
        columns.anneal(budget);
        parts = places_of(rows, columns);
        fixture::check_filled(parts, drawn.sizes);
        CHECK(columns.cut() == cut_of(drawn.grid, rows, parts));
        CHECK(columns.cut() <= before);
        lower += columns.cut() < before ? 1 : 0;
      });
  CHECK(checked > 100);
  CHECK(lower > checked / 2);
}

TEST_CASE("stacked starts are partitions with the shares that were asked for", "[partition]") {
  const int checked =
      fixture::for_each_tree(11, 100, [&](Random& random, const fixture::DrawnGrid& drawn) {
        Shares shares = drawn.sizes;
        shares.push_back(0);  // a zone that gets nothing
        const PartitionProblem problem{drawn.job.graph, shares, drawn.job.coordinates};
        const SearchTerms terms{.seed = random.next()};
        const std::vector<Shares> choices{shares};
        const std::vector<Partition> starts =
            stacked_starts(problem, drawn.grid, choices, {200'000, 3}, terms);
        REQUIRE(starts.size() == 3);
        for (const Partition& start : starts) {
          fixture::check_filled(start.part, shares);
          CHECK(start.cut == cut_weight(problem.graph, start.part));
        }
        // On any number of threads.
        SearchTerms several = terms;
        several.threads = 3;
        const std::vector<Partition> same =
            stacked_starts(problem, drawn.grid, choices, {200'000, 3}, several);
        for (std::size_t i = 0; i < starts.size(); ++i) CHECK(same[i].part == starts[i].part);
      });
  CHECK(checked > 30);
}

TEST_CASE("only lines have stacked starts, and not too many parts", "[partition]") {
  Random random(3);
  const auto problem_of = [](const fixture::Instance& job, std::size_t parts) {
    const auto vertices = static_cast<std::uint32_t>(job.graph.vertices());
    Shares shares(parts, 1);
    shares.front() = vertices - static_cast<std::uint32_t>(parts) + 1;
    return PartitionProblem{job.graph, shares, job.coordinates};
  };
  const fixture::Instance ring =
      fixture::draw_job(random, fixture::Family::RingPipeline, {1, 8, 4, 0});
  CHECK_FALSE(grid_of_lines(problem_of(ring, 4)));
  const fixture::Instance tree =
      fixture::draw_job(random, fixture::Family::TreePipeline, {1, 32, 4, 0});
  const auto of = [&](std::size_t parts) {
    const PartitionProblem problem = problem_of(tree, parts);
    const std::optional<GridTraffic> grid = grid_of_lines(problem);
    REQUIRE(grid);
    const std::vector<Shares> choices{problem.capacity};
    return stacked_starts(problem, *grid, choices, {10'000, 1}, {}).size();
  };
  CHECK(of(64) == 1);
  CHECK(of(65) == 0);
  CHECK(of(1) == 0);
}
