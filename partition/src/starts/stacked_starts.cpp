#include "starts/stacked_starts.hpp"

#include <algorithm>
#include <cstddef>

#include "starts/stacked_columns.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

bool has_few_parts(const Shares& shares) {
  const auto filled = std::ranges::count_if(shares, [](std::uint32_t share) { return share > 0; });
  return filled > 1 && static_cast<std::size_t>(filled) <= StackedColumns::kMostParts;
}

Partition partition_of(const PartitionProblem& problem, const RowOrder& order,
                       const StackedColumns& columns) {
  std::vector<std::uint32_t> part(order.at.size());
  for (std::size_t row = 0; row < order.rows; ++row) {
    std::size_t place = 0;
    for (const StackedColumns::Piece& piece : columns.pieces(row)) {
      for (; place < piece.end; ++place) part[order.at[row * order.length + place]] = piece.part;
    }
  }
  const std::int64_t cut = cut_weight(problem.graph, part);
  return {std::move(part), cut, kStacked};
}

}  // namespace

std::vector<Partition> stacked_starts(const PartitionProblem& problem, const GridTraffic& grid,
                                      std::span<const Shares> choices, const StackingEffort& effort,
                                      const SearchTerms& terms) {
  if (effort.steps == 0 || !std::ranges::all_of(choices, has_few_parts)) return {};
  const EqualRows rows(grid);
  const RowOrder order = row_order(grid);
  Random random(terms.seed);
  std::vector<Random> sequences = sequences_from(random, effort.runs);
  std::vector<Partition> starts(effort.runs);
  for_each_index(effort.runs, terms.threads, [&](std::size_t run) {
    StackedColumns columns(rows, choices[run % choices.size()], sequences[run]);
    WorkBudget budget(effort.steps / static_cast<std::int64_t>(effort.runs));
    columns.anneal(budget);
    starts[run] = partition_of(problem, order, columns);
  });
  return starts;
}

}  // namespace zonecut
