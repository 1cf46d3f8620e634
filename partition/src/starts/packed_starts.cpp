#include "starts/packed_starts.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"
#include "starts/row_packing.hpp"
#include "traffic/subgraph.hpp"

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = ~std::uint32_t{0};

/// Makes a partition of a packing.
class RowBuilder {
 public:
  RowBuilder(const PartitionProblem& problem, const GridTraffic& grid, const DivideRow& divide_row)
      : problem_(problem),
        grid_(grid),
        divide_row_(divide_row),
        part_(grid.vertices(), kNone),
        place_(grid.vertices(), 0) {}

  Partition build(const RowPacking& packing) {
    for (std::size_t row = 0; row < grid_.size[1]; ++row) divide(packing, row);
    constexpr int kPasses = 2;
    for (int pass = 0; pass < kPasses; ++pass) {
      for (std::size_t row = 0; row < grid_.size[1]; ++row) turn(row);
    }
    const std::int64_t cut = cut_weight(problem_.graph, part_);
    return {part_, cut, kPacked};
  }

 private:
  /// By place, axis 0 fastest.
  [[nodiscard]] std::vector<std::uint32_t> vertices_of(std::size_t row) const {
    const std::size_t group = grid_.size[0];
    std::vector<std::uint32_t> vertices;
    for (std::size_t stage = 0; stage < grid_.size[2]; ++stage) {
      const std::size_t first = group * (row + grid_.size[1] * stage);
      vertices.insert(vertices.end(), grid_.at.begin() + static_cast<std::ptrdiff_t>(first),
                      grid_.at.begin() + static_cast<std::ptrdiff_t>(first + group));
    }
    return vertices;
  }

  void divide(const RowPacking& packing, std::size_t row) {
    std::vector<std::uint32_t> parts;
    Shares shares;
    for (std::uint32_t part = 0; part < problem_.parts(); ++part) {
      if (packing.held(part, row) == 0) continue;
      parts.push_back(part);
      shares.push_back(packing.held(part, row));
    }
    const std::vector<std::uint32_t> vertices = vertices_of(row);
    if (parts.size() == 1) {
      for (const std::uint32_t v : vertices) part_[v] = parts.front();
      return;
    }
    const Subgraph sub = induced(problem_.graph, problem_.coordinates, vertices, place_);
    const std::vector<std::uint32_t> divided =
        divide_row_({sub.graph, shares, sub.coordinates}, shares);
    for (std::size_t i = 0; i < vertices.size(); ++i) part_[vertices[i]] = parts[divided[i]];
  }

  [[nodiscard]] std::int64_t cut_at(std::span<const std::uint32_t> vertices) const {
    std::int64_t cut = 0;
    for (const std::uint32_t v : vertices) {
      for (const auto& [u, weight] : problem_.graph.neighbours(v)) {
        if (part_[u] != part_[v]) cut += weight;
      }
    }
    return cut;
  }

  void lay(std::span<const std::uint32_t> vertices, std::span<const std::uint32_t> parts) {
    for (std::size_t i = 0; i < vertices.size(); ++i) part_[vertices[i]] = parts[i];
  }

  /// Backwards along either axis, and begun at another stage: what cuts least at the neighbours.
  void turn(std::size_t row) {
    const std::vector<std::uint32_t> vertices = vertices_of(row);
    std::vector<std::uint32_t> parts;
    for (const std::uint32_t v : vertices) parts.push_back(part_[v]);
    if (std::ranges::adjacent_find(parts, std::ranges::not_equal_to{}) == parts.end()) return;
    const std::size_t group = grid_.size[0];
    const std::size_t stages = grid_.size[2];
    std::vector<std::uint32_t> best = parts;
    std::int64_t least = cut_at(vertices);
    std::vector<std::uint32_t> turned(parts.size());
    for (std::size_t way = 0; way < 4 * stages; ++way) {
      const std::size_t first = way / 4;
      for (std::size_t i = 0; i < parts.size(); ++i) {
        const std::size_t stage = (i / group + first) % stages;
        const std::size_t place = i % group;
        turned[i] = parts[(way & 1U ? stages - 1 - stage : stage) * group +
                          (way & 2U ? group - 1 - place : place)];
      }
      lay(vertices, turned);
      const std::int64_t cut = cut_at(vertices);
      if (cut >= least) continue;
      least = cut;
      best = turned;
    }
    lay(vertices, best);
  }

  const PartitionProblem& problem_;
  const GridTraffic& grid_;
  const DivideRow& divide_row_;
  std::vector<std::uint32_t> part_;
  std::vector<std::uint32_t> place_;  // scratch
};

}  // namespace

std::vector<Partition> packed_starts(const PartitionProblem& problem, const Shares& shares,
                                     const PackingEffort& effort, std::uint64_t seed,
                                     const DivideRow& divide_row) {
  if (effort.steps == 0 || problem.coordinates.empty()) return {};
  const std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  if (grids.size() != 1 || grids[0].vertices() != problem.graph.vertices()) return {};
  const GridTraffic& grid = grids[0];
  // What cliques cut depends on more than the sizes of pieces.
  if (!has_group_replicas(grid) || grid.clique > 0) return {};
  const RowModel model = *row_model(grid, Rows::Replicas);
  Random random(seed);
  std::vector<RowPacking> packings;
  for (std::size_t run = 0; run < effort.runs; ++run) {
    packings.emplace_back(model, shares, grid.size[0], Random(random.next()));
    WorkBudget budget(effort.steps / static_cast<std::int64_t>(effort.runs));
    packings.back().anneal(budget);
  }
  std::vector<std::size_t> order(packings.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::ranges::stable_sort(order, {}, [&](std::size_t i) { return packings[i].cost(); });
  if (order.size() > effort.kept) order.resize(effort.kept);
  std::vector<Partition> starts;
  RowBuilder builder(problem, grid, divide_row);
  for (const std::size_t i : order) starts.push_back(builder.build(packings[i]));
  return starts;
}

}  // namespace zonecut
