// Parts annealed by blocks, for double binary trees times a pipeline.
#include "starts/block_anneal.hpp"

#include <map>
#include <utility>

#include "partition/starts/drawn_trees.hpp"
#include "refine/repair.hpp"
#include "starts/block_starts.hpp"

using namespace zonecut;

namespace {

std::int64_t cut_of(const BlockGraph& graph, std::span<const std::uint16_t> part) {
  std::int64_t twice = 0;
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    for (const BlockGraph::Neighbour& each : graph.neighbours(block)) {
      if (part[each.block] != part[block]) twice += each.weight;
    }
  }
  return twice / 2;
}

/// Two parts or more by turns, column after column.
std::vector<std::uint16_t> striped(const BlockGraph& graph, std::uint16_t parts) {
  std::vector<std::uint16_t> part(graph.blocks());
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    part[block] = static_cast<std::uint16_t>(block % graph.columns() % parts);
  }
  return part;
}

Shares sizes_of(const BlockGraph& graph, std::span<const std::uint16_t> part, std::size_t parts) {
  Shares sizes(parts, 0);
  for (std::uint32_t block = 0; block < graph.blocks(); ++block) {
    sizes[part[block]] += graph.size(block);
  }
  return sizes;
}

}  // namespace

TEST_CASE("blocks hold all vertices, and all edges between two of them", "[partition]") {
  const int checked =
      fixture::for_each_tree(15, 60, [](Random& random, const fixture::DrawnGrid& drawn) {
        const RowOrder order = row_order(drawn.grid);
        const auto width = static_cast<std::uint32_t>(1 + random.below(order.length));
        const BlockGraph graph(drawn.job.graph, order, width);
        std::vector<std::uint32_t> block(order.at.size());
        std::vector<std::uint32_t> vertices(graph.blocks(), 0);
        for (std::size_t i = 0; i < order.at.size(); ++i) {
          const std::size_t row = i / order.length;
          block[order.at[i]] =
              static_cast<std::uint32_t>(row * graph.columns() + i % order.length / width);
          ++vertices[block[order.at[i]]];
        }
        std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> weight;
        for (std::uint32_t v = 0; v < block.size(); ++v) {
          for (const auto& edge : drawn.job.graph.neighbours(v)) {
            if (block[v] != block[edge.vertex]) {
              weight[{block[v], block[edge.vertex]}] += edge.weight;
            }
          }
        }
        std::size_t pairs = 0;
        for (std::uint32_t b = 0; b < graph.blocks(); ++b) {
          CHECK(graph.size(b) == vertices[b]);
          for (const BlockGraph::Neighbour& each : graph.neighbours(b)) {
            CHECK(each.weight == weight[{b, each.block}]);
            ++pairs;
          }
        }
        CHECK(pairs == weight.size());
      });
  CHECK(checked > 20);
}

TEST_CASE("without heat blocks change parts only where that costs no more", "[partition]") {
  int lower = 0;
  const int checked =
      fixture::for_each_tree(17, 200, [&](Random& random, const fixture::DrawnGrid& drawn) {
        const RowOrder order = row_order(drawn.grid);
        const auto width = static_cast<std::uint32_t>(1 + random.below(2));
        const BlockGraph graph(drawn.job.graph, order, width);
        const auto parts = static_cast<std::uint16_t>(2 + random.below(3));
        std::vector<std::uint16_t> part = striped(graph, parts);
        const Shares shares = sizes_of(graph, part, parts);
        const std::int64_t before = cut_of(graph, part);
        BlockAnneal anneal(graph, shares, std::move(part), random);
        WorkBudget budget(static_cast<std::int64_t>(random.below(200'000)));
        anneal.anneal(budget, 1e-9, 1e-9, random.below(2) == 0);
        part = anneal.take_parts();
        REQUIRE(part.size() == graph.blocks());
        CHECK(std::ranges::max(part) < parts);
        // What is off its share costs, and at first nothing was.
        CHECK(cut_of(graph, part) <= before);
        lower += cut_of(graph, part) < before ? 1 : 0;
      });
  CHECK(checked > 80);
  CHECK(lower > checked / 2);
}

TEST_CASE("annealed blocks can be brought to the shares that were asked for", "[partition]") {
  const int checked =
      fixture::for_each_tree(19, 100, [](Random& random, const fixture::DrawnGrid& drawn) {
        Shares shares = drawn.sizes;
        shares.push_back(0);  // a zone that gets nothing
        const PartitionProblem problem{drawn.job.graph, shares, drawn.job.coordinates};
        const SearchTerms terms{.seed = random.next()};
        const std::vector<Shares> choices{shares};
        const BlockEffort effort{1'000'000, 4};
        const auto starts = block_starts(problem, drawn.grid, choices, effort, terms);
        REQUIRE(!starts.empty());
        CHECK(starts.size() <= 4);
        for (const std::vector<std::uint32_t>& start : starts) {
          REQUIRE(start.size() == problem.graph.vertices());
          CHECK(std::ranges::count(start, shares.size() - 1) == 0);
          WorkingPartition partition(problem, start);
          repair(partition);
          fixture::check_filled(partition.all(), shares);
        }
        SearchTerms several = terms;
        several.threads = 3;
        const auto same = block_starts(problem, drawn.grid, choices, effort, several);
        CHECK(same == starts);
      });
  CHECK(checked > 30);
}

TEST_CASE("blocks are annealed for no more than 256 parts, and not without steps", "[partition]") {
  Random random(5);
  const fixture::Instance tree =
      fixture::draw_job(random, fixture::Family::TreePipeline, {1, 96, 4, 0});
  const auto vertices = static_cast<std::uint32_t>(tree.graph.vertices());
  const auto of = [&](std::size_t parts, std::int64_t steps) {
    Shares shares(parts, 1);
    shares.front() = vertices - static_cast<std::uint32_t>(parts) + 1;
    const PartitionProblem problem{tree.graph, shares, tree.coordinates};
    const std::optional<GridTraffic> grid = grid_of_lines(problem);
    REQUIRE(grid);
    const std::vector<Shares> choices{shares};
    return block_starts(problem, *grid, choices, {steps, 2}, {}).size();
  };
  CHECK(of(256, 100'000) == 2);
  CHECK(of(257, 100'000) == 0);
  CHECK(of(4, 0) == 0);
}
