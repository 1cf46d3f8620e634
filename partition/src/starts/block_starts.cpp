#include "starts/block_starts.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

#include "starts/block_anneal.hpp"
#include "starts/block_graph.hpp"
#include "starts/equal_rows.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostParts = 256;
// Of the coarsest blocks.
constexpr std::uint32_t kFewestColumns = 3;
constexpr std::size_t kPerPart = 4;
// In units of what the edges of a block weigh: the coarsest blocks begin hot, those divided warm.
constexpr double kHot = 1;
constexpr double kWarm = 0.2;
constexpr double kCold = 0.04;
// The coarsest blocks are annealed twice as long as others.
constexpr std::int64_t kAtFirst = 2;
constexpr std::int64_t kStepsPerVertex = 20'000;  // of a run
constexpr std::int64_t kFewestRuns = 3;

/// Places of a block, powers of two, coarsest first.
std::vector<std::uint32_t> widths_of(const RowOrder& order, std::size_t parts) {
  std::vector<std::uint32_t> widths{1};
  const auto coarse_enough = [&](std::uint32_t width) {
    const std::uint32_t columns = order.length / width;
    return columns < kFewestColumns || std::size_t{columns} * order.rows < kPerPart * parts;
  };
  while (!coarse_enough(2 * widths.back())) widths.push_back(2 * widths.back());
  std::ranges::reverse(widths);
  return widths;
}

/// Parts in an order that is drawn, one after the other, fill column after column.
std::vector<std::uint16_t> filled(const BlockGraph& graph, std::span<const std::uint32_t> shares,
                                  Random& random) {
  std::vector<std::uint16_t> order(shares.size());
  std::iota(order.begin(), order.end(), std::uint16_t{0});
  random.shuffle(std::span(order));
  std::vector<std::uint16_t> part(graph.blocks());
  std::size_t next = 0;
  std::int64_t until = shares[order[0]];
  std::int64_t taken = 0;
  for (std::uint32_t column = 0; column < graph.columns(); ++column) {
    for (std::uint32_t i = 0; i < graph.rows(); ++i) {
      const std::uint32_t row = column % 2 == 0 ? i : graph.rows() - 1 - i;
      const std::uint32_t block = row * graph.columns() + column;
      while (taken >= until && next + 1 < order.size()) until += shares[order[++next]];
      part[block] = order[next];
      taken += graph.size(block);
    }
  }
  return part;
}

/// Parts of finer blocks, those of the blocks they lie in.
std::vector<std::uint16_t> divided(const BlockGraph& coarse, const BlockGraph& fine,
                                   std::span<const std::uint16_t> part) {
  std::vector<std::uint16_t> divided(fine.blocks());
  for (std::uint32_t block = 0; block < fine.blocks(); ++block) {
    const std::uint32_t row = block / fine.columns();
    const std::uint32_t place = block % fine.columns() * fine.width();
    divided[block] = part[row * coarse.columns() + place / coarse.width()];
  }
  return divided;
}

/// Parts by row and place.
std::vector<std::uint16_t> annealed(std::span<const BlockGraph> levels,
                                    std::span<const std::uint32_t> shares, std::int64_t steps,
                                    Random& random) {
  const std::int64_t each = steps / (static_cast<std::int64_t>(levels.size()) - 1 + kAtFirst);
  std::vector<std::uint16_t> part = filled(levels.front(), shares, random);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const bool first = level == 0;
    if (!first) part = divided(levels[level - 1], levels[level], part);
    BlockAnneal anneal(levels[level], shares, std::move(part), random);
    WorkBudget budget(first ? kAtFirst * each : each);
    anneal.anneal(budget, first ? kHot : kWarm, kCold, first);
    part = anneal.take_parts();
  }
  return part;
}

std::vector<std::uint32_t> by_vertex(const RowOrder& order, std::span<const std::uint16_t> part) {
  std::vector<std::uint32_t> by_vertex(part.size());
  for (std::size_t i = 0; i < part.size(); ++i) by_vertex[order.at[i]] = part[i];
  return by_vertex;
}

}  // namespace

std::vector<std::vector<std::uint32_t>> block_starts(const PartitionProblem& problem,
                                                     const GridTraffic& grid,
                                                     std::span<const Shares> choices,
                                                     const BlockEffort& effort,
                                                     const SearchTerms& terms) {
  if (effort.steps == 0 || problem.parts() > kMostParts) return {};
  const RowOrder order = row_order(grid);
  std::vector<BlockGraph> levels;
  for (const std::uint32_t width : widths_of(order, problem.parts())) {
    levels.emplace_back(problem.graph, order, width);
  }
  const std::int64_t long_runs =
      effort.steps / (kStepsPerVertex * static_cast<std::int64_t>(grid.vertices()));
  const std::size_t runs =
      std::min(effort.most_runs, static_cast<std::size_t>(std::max(kFewestRuns, long_runs)));
  Random random(terms.seed);
  std::vector<Random> sequences = sequences_from(random, runs);
  std::vector<std::vector<std::uint32_t>> starts(runs);
  for_each_index(runs, terms.threads, [&](std::size_t run) {
    const Shares& shares = choices[run % choices.size()];
    const std::int64_t steps = effort.steps / static_cast<std::int64_t>(runs);
    starts[run] = by_vertex(order, annealed(levels, shares, steps, sequences[run]));
  });
  return starts;
}

}  // namespace zonecut
