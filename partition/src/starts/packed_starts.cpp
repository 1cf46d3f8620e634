#include "starts/packed_starts.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <utility>

#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"
#include "starts/row_layouts.hpp"
#include "starts/row_packing.hpp"
#include "traffic/subgraph.hpp"

namespace zonecut {
namespace {

// Of the steps of annealing, beside them:
constexpr std::int64_t kSearching = 8;   // an 8th for what rows cut, exactly
constexpr std::int64_t kReordering = 8;  // another for the order in which they come
constexpr std::int64_t kLaying = 16;     // and a 16th for each kind of ways to lay them

constexpr std::size_t kMostDivided = 128;  // rows, as problems of their own
constexpr double kLessTouch = 0.5;         // of the most that one more group touched costs
constexpr double kWarm = 0.15;             // of the heat, for packings that are good already

/// Makes a partition of a packing.
class RowBuilder {
 public:
  RowBuilder(const PartitionProblem& problem, const GridTraffic& grid, const DivideRow& divide_row)
      : problem_(problem), grid_(grid), divide_row_(divide_row), place_(grid.vertices(), 0) {}

  Partition build(const HeldRows& held, Random& random, std::int64_t steps) {
    RowLayouts layouts(problem_.graph, grid_, steps / kLaying);
    std::size_t left = kMostDivided;
    for (std::size_t row = 0; row < grid_.size[1]; ++row) {
      layouts.add_orders(row, held, random);
      if (held.parts_of(row).size() < 2 || left == 0) continue;
      layouts.add(row, divided(held, row));
      --left;
    }
    WorkBudget budget(steps / kReordering);
    std::vector<std::uint32_t> part = layouts.best(budget);
    const std::int64_t cut = cut_weight(problem_.graph, part);
    return {std::move(part), cut, kPacked};
  }

 private:
  /// As a problem of its own.
  std::vector<std::uint32_t> divided(const HeldRows& held, std::size_t row) {
    std::vector<std::uint32_t> parts;
    Shares shares;
    for (std::uint32_t part = 0; part < held.parts(); ++part) {
      if (held.held(part, row) == 0) continue;
      parts.push_back(part);
      shares.push_back(held.held(part, row));
    }
    const std::vector<std::uint32_t> vertices = vertices_of_replica(grid_, row);
    const Subgraph sub = induced(problem_.graph, problem_.coordinates, vertices, place_);
    std::vector<std::uint32_t> found = divide_row_({sub.graph, shares, sub.coordinates}, shares);
    for (std::uint32_t& part : found) part = parts[part];
    return found;
  }

  const PartitionProblem& problem_;
  const GridTraffic& grid_;
  const DivideRow& divide_row_;
  std::vector<std::uint32_t> place_;  // scratch
};

/// In proportion to how many numbers there are to choose.
std::int64_t steps_for(std::int64_t steps, std::size_t numbers) {
  constexpr std::size_t kNumbers = 160;
  const std::size_t counted = std::clamp(numbers, kNumbers / 4, 2 * kNumbers);
  return steps / static_cast<std::int64_t>(kNumbers) * static_cast<std::int64_t>(counted);
}

/// The graph as a grid of such rows; none where it is no such grid.
std::optional<GridTraffic> grid_of_replicas(const PartitionProblem& problem) {
  if (problem.coordinates.empty()) return std::nullopt;
  std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  if (grids.size() != 1 || grids[0].vertices() != problem.graph.vertices()) return std::nullopt;
  // Far more than there are steps for.
  constexpr std::size_t kMostNumbers = 10'000;
  if (problem.parts() * grids[0].size[1] > kMostNumbers) return std::nullopt;
  // What cliques cut depends on more than the sizes of pieces.
  if (!has_group_replicas(grids[0]) || grids[0].clique > 0) return std::nullopt;
  // Twice what packings cost is counted in quarters.
  constexpr std::int64_t kLarge = std::int64_t{1} << 48;
  const std::int64_t total = problem.graph.total_weight();
  if (total >= kLarge) return in_units(std::move(grids[0]), WeightUnit::finest(total));
  return std::move(grids[0]);
}

}  // namespace

std::vector<Partition> packed_starts(const PartitionProblem& problem, const Shares& shares,
                                     const PackingEffort& effort, std::uint64_t seed,
                                     const DivideRow& divide_row) {
  if (effort.steps == 0) return {};
  const std::optional<GridTraffic> grid = grid_of_replicas(problem);
  if (!grid) return {};
  const RowModel model = *row_model(*grid, Rows::Replicas);
  const std::int64_t steps = steps_for(effort.steps, shares.size() * model.rows);
  const auto searches = static_cast<std::int64_t>(effort.runs * model.rows);
  PackedExcess excess(*grid, model, steps / kSearching / searches);
  Random random(seed);
  std::vector<RowPacking> packings;
  for (std::size_t run = 0; run < effort.runs; ++run) {
    excess.count_touches(run % 2 == 0 ? 1 : kLessTouch);
    packings.emplace_back(model, excess, shares, grid->size[0], Random(random.next()));
    WorkBudget budget(steps / static_cast<std::int64_t>(effort.runs));
    packings.back().anneal(budget);
  }
  std::vector<std::size_t> order(packings.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::vector<std::int64_t> cost;
  for (RowPacking& packing : packings) cost.push_back(packing.exact_cost());
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return cost[i]; });
  if (order.size() > effort.kept) order.resize(effort.kept);
  std::vector<Partition> starts;
  RowBuilder builder(problem, *grid, divide_row);
  for (const std::size_t i : order) {
    starts.push_back(builder.build(packings[i].rows(), random, steps));
  }
  return starts;
}

std::optional<Partition> packed_anew(const PartitionProblem& problem,
                                     std::span<const std::uint32_t> part, std::int64_t steps,
                                     std::uint64_t seed, const DivideRow& divide_row) {
  const std::optional<GridTraffic> grid = grid_of_replicas(problem);
  if (!grid || steps == 0) return std::nullopt;
  const RowModel model = *row_model(*grid, Rows::Replicas);
  PackedExcess excess(*grid, model, steps / kSearching / static_cast<std::int64_t>(model.rows));
  HeldRows held(problem.parts(), model.rows);
  for (std::size_t row = 0; row < model.rows; ++row) {
    for (const std::uint32_t v : vertices_of_replica(*grid, row)) held.add(part[v], row, 1);
  }
  Random random(seed);
  RowPacking packing(model, excess, std::move(held), grid->size[0], Random(random.next()));
  const std::int64_t before = packing.cost();
  WorkBudget budget(steps_for(steps, problem.parts() * model.rows));
  packing.anneal(budget, kWarm);
  if (packing.cost() >= before) return std::nullopt;
  return RowBuilder(problem, *grid, divide_row).build(packing.rows(), random, steps);
}

}  // namespace zonecut
