#include "starts/stacked_starts.hpp"

#include <algorithm>
#include <cstddef>

#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"
#include "starts/stacked_columns.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

bool has_few_parts(const Shares& shares) {
  const auto filled = std::ranges::count_if(shares, [](std::uint32_t share) { return share > 0; });
  return filled > 1 && static_cast<std::size_t>(filled) <= StackedColumns::kMostParts;
}

Partition partition_of(const PartitionProblem& problem, const GridTraffic& grid,
                       const StackedColumns& columns) {
  const std::size_t rows = grid.vertices() / grid.size[1];
  const bool stages = rows_of_lines(grid) == Rows::Stages;
  std::vector<std::uint32_t> part(grid.vertices());
  for (std::size_t row = 0; row < rows; ++row) {
    std::size_t place = 0;
    for (const StackedColumns::Piece& piece : columns.pieces(row)) {
      for (; place < piece.end; ++place) {
        part[grid.at[stages ? row * grid.size[1] + place : place * rows + row]] = piece.part;
      }
    }
  }
  const std::int64_t cut = cut_weight(problem.graph, part);
  return {std::move(part), cut, kStacked};
}

}  // namespace

std::vector<Partition> stacked_starts(const PartitionProblem& problem,
                                      std::span<const Shares> choices, const StackingEffort& effort,
                                      const SearchTerms& terms) {
  if (effort.steps == 0 || problem.coordinates.empty()) return {};
  if (!std::ranges::all_of(choices, has_few_parts)) return {};
  const std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  if (grids.size() != 1 || grids[0].vertices() != problem.graph.vertices()) return {};
  const GridTraffic& grid = grids[0];
  if (!rows_of_lines(grid) || grid.size[1] > EqualRows::kLongest) return {};
  const EqualRows rows(grid);
  Random random(terms.seed);
  std::vector<Random> sequences;
  for (std::size_t run = 0; run < effort.runs; ++run) sequences.emplace_back(random.next());
  std::vector<Partition> starts(effort.runs);
  for_each_index(effort.runs, terms.threads, [&](std::size_t run) {
    StackedColumns columns(rows, choices[run % choices.size()], sequences[run]);
    WorkBudget budget(effort.steps / static_cast<std::int64_t>(effort.runs));
    columns.anneal(budget);
    starts[run] = partition_of(problem, grid, columns);
  });
  return starts;
}

}  // namespace zonecut
