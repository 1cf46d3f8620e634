#include "bound/layers.hpp"

#include <algorithm>
#include <limits>
#include <optional>

#include "bound/bound_separable.hpp"
#include "grid/grid_traffic.hpp"
#include "grid/row_model.hpp"

namespace zonecut {
namespace {

/// A layer and its vertices.
struct Slice {
  Layer layer;
  std::vector<std::uint32_t> vertices;
  std::optional<LayerRows> rows;
};

/// The rows of a stage along axis 0.
std::optional<LayerRows> rows_of(const GridTraffic& grid) {
  if (!grid.lines.empty() || grid.chain != 0) return std::nullopt;
  LayerRows rows{{0, 0}, 4 * grid.step[1], 4 * grid.wrap[1]};
  if (grid.size[0] == 1) return rows;
  GridTraffic stage = grid;
  stage.size[2] = 1;
  const std::optional<RowModel> model = row_model(stage, Rows::Stages);
  if (!model || model->length != grid.size[0] || model->per_divided_row != 0) return std::nullopt;
  rows.inside = model->inside;
  return rows;
}

/// What x vertices of the whole grid cut at least, from all ways to see it.
std::vector<std::int64_t> least_cuts_of(const GridTraffic& grid, std::size_t most) {
  most = std::min(most, grid.vertices());
  std::vector<std::int64_t> cuts(most + 1, 0);
  for (const Rows rows : {Rows::Stages, Rows::Replicas}) {
    const std::optional<RowModel> raw = row_model(grid, rows, {}, 0);
    if (!raw) continue;
    const RowModel model = with_closing(*raw, 0);
    // What is taken off once for the whole cut cannot be shared out among zones.
    if (model.deduction != 0 || model.per_divided_row != 0) continue;
    const std::vector<std::int64_t> halves = zone_half_borders(model, most);
    for (std::size_t x = 0; x <= most; ++x) cuts[x] = std::max(cuts[x], 2 * halves[x]);
  }
  return cuts;
}

Slice whole(const GridTraffic& grid, std::size_t most) {
  std::optional<LayerRows> rows;
  if (grid.size[2] == 1) rows = rows_of(grid);
  return {{grid.vertices(), least_cuts_of(grid, most), {}, {}}, grid.at, std::move(rows)};
}

std::vector<Slice> stages(const GridTraffic& grid, std::size_t most) {
  const std::optional<RowModel> model = row_model(grid, Rows::Stages);
  const std::size_t length = std::size_t{grid.size[0]} * grid.size[1];
  if (grid.size[2] < 2 || !model || model->rows != grid.size[2] || model->length != length ||
      model->per_divided_row != 0) {
    return {whole(grid, most)};
  }
  std::vector<Slice> slices;
  const std::optional<LayerRows> rows = rows_of(grid);
  const std::int64_t step = 4 * grid.step[2];
  for (std::size_t stage = 0; stage < model->rows; ++stage) {
    const auto first = grid.at.begin() + static_cast<std::ptrdiff_t>(stage * length);
    Slice slice{{length, model->inside, {}, {}},
                {first, first + static_cast<std::ptrdiff_t>(length)},
                rows};
    if (stage > 0) slice.layer.link = {step, step, step, step};
    slices.push_back(std::move(slice));
  }
  return slices;
}

struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
};

/// Of the weights between a vertex and the other slice.
Range weights_to(const CommunicationGraph& graph, const Slice& from, const Slice& to,
                 WeightUnit unit) {
  std::vector<bool> there(graph.vertices(), false);
  for (const std::uint32_t v : to.vertices) there[v] = true;
  Range range;
  for (const std::uint32_t v : from.vertices) {
    std::int64_t sum = 0;
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (there[u]) sum += weight;
    }
    range.least = std::min(range.least, sum);
    range.most = std::max(range.most, sum);
  }
  // Rounded towards what lowers the bound.
  range.least = 4 * unit.down(range.least);
  range.most = 4 * unit.up(range.most);
  return range;
}

LayerLink link_between(const CommunicationGraph& graph, const Slice& before, const Slice& here,
                       WeightUnit unit) {
  const Range forth = weights_to(graph, before, here, unit);
  const Range back = weights_to(graph, here, before, unit);
  return {forth.least, forth.most, back.least, back.most};
}

LayerSide side_of(const Slice& slice) {
  return {slice.vertices, slice.layer.inside, slice.rows ? &*slice.rows : nullptr};
}

}  // namespace

std::vector<Layer> layers_of(const PartitionProblem& problem, WeightUnit unit, std::size_t most,
                             std::size_t most_tie_sums) {
  std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  // Encoders stand before the pipeline they feed.
  std::ranges::stable_sort(grids, {}, [](const GridTraffic& grid) { return grid.size[2]; });
  std::vector<Slice> slices;
  std::vector<bool> placed(problem.graph.vertices(), false);
  for (const GridTraffic& grid : grids) {
    std::vector<Slice> parts = stages(in_units(grid, unit), most);
    if (!slices.empty()) {
      Layer& first = parts.front().layer;
      first.link = link_between(problem.graph, slices.back(), parts.front(), unit);
      if (slices.size() == 1) {
        first.pairs = pair_layers(problem.graph, side_of(slices.back()), side_of(parts.front()),
                                  unit, most_tie_sums);
      }
    }
    for (Slice& part : parts) slices.push_back(std::move(part));
    for (const std::uint32_t v : grid.at) placed[v] = true;
  }
  std::vector<Layer> layers;
  for (Slice& slice : slices) layers.push_back(std::move(slice.layer));
  const auto rest = static_cast<std::size_t>(std::ranges::count(placed, false));
  if (rest > 0) layers.push_back({rest, std::vector<std::int64_t>(rest + 1, 0), {}, {}});
  return layers;
}

}  // namespace zonecut
