#include "starts/stacked_starts.hpp"

#include <algorithm>
#include <cstddef>

#include "shares.hpp"
#include "starts/column_beam.hpp"
#include "starts/stacked_columns.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

Partition partition_of(const PartitionProblem& problem, const RowOrder& order, const LaidRows& rows,
                       const char* method) {
  std::vector<std::uint32_t> part = parts_of(order, rows);
  const std::int64_t cut = cut_weight(problem.graph, part);
  return {std::move(part), cut, method};
}

}  // namespace

std::vector<Partition> stacked_starts(const PartitionProblem& problem, const GridTraffic& grid,
                                      std::span<const Shares> choices, const StackingEffort& effort,
                                      const SearchTerms& terms) {
  if (effort.steps == 0 || !have_few_parts(choices, StackedColumns::kMostParts)) return {};
  const EqualRows rows(grid);
  const RowOrder order = row_order(grid);
  Random random(terms.seed);
  std::vector<Random> sequences = sequences_from(random, effort.runs);
  std::vector<Partition> starts(effort.runs);
  for_each_index(effort.runs, terms.threads, [&](std::size_t run) {
    StackedColumns columns(rows, choices[run % choices.size()], sequences[run]);
    WorkBudget budget(effort.steps / static_cast<std::int64_t>(effort.runs));
    columns.anneal(budget);
    starts[run] = partition_of(problem, order, columns.rows(), kStacked);
  });
  return starts;
}

std::vector<Partition> column_starts(const PartitionProblem& problem, const GridTraffic& grid,
                                     std::span<const Shares> choices, const ColumnEffort& effort) {
  if (effort.steps == 0 || !have_few_parts(choices, ColumnBeam::kMostParts)) return {};
  const EqualRows rows(grid);
  const RowOrder order = row_order(grid);
  const auto several = static_cast<std::int64_t>(choices.size());
  std::vector<Partition> starts;
  for (const Shares& shares : choices) {
    ColumnBeam beam(rows, shares);
    WorkBudget budget(effort.steps / several);
    const std::size_t most = (effort.starts + choices.size() - 1) / choices.size();
    for (const ColumnBeam::Layout& layout : beam.search(budget, most)) {
      starts.push_back(partition_of(problem, order, layout.rows, kColumns));
    }
  }
  return starts;
}

}  // namespace zonecut
