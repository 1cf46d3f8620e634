#include "bound.hpp"

#include <algorithm>

#include "bound_pieces.hpp"
#include "bound_separable.hpp"
#include "grid_traffic.hpp"
#include "row_model.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;
constexpr std::int64_t kBoundSteps = 200'000'000;

/// Weights small enough that sums of quarters fit 63 bits. Rounded down, so that bounds stay bounds.
int shift_for(const CommunicationGraph& graph) {
  int shift = 0;
  while (graph.total_weight() >> shift > (std::int64_t{1} << 54)) ++shift;
  return shift;
}

GridTraffic scaled(GridTraffic grid, int shift) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.step[axis] >>= shift;
    grid.wrap[axis] >>= shift;
  }
  grid.clique >>= shift;
  grid.chain >>= shift;
  return grid;
}

/// What the separable bound of one model says.
struct ModelBound {
  const RowModel* model = nullptr;
  std::int64_t quarters = 0;
  Shares shares;
};

struct GridBound {
  std::int64_t quarters = 0;
  Shares shares;
  std::string name;
};

/// All models of a grid, best first.
std::vector<ModelBound> separable_bounds(std::span<const RowModel> models,
                                         std::span<const std::uint32_t> capacity,
                                         std::size_t vertices) {
  const std::uint32_t most = *std::ranges::max_element(capacity);
  std::vector<ModelBound> bounds;
  for (const RowModel& model : models) {
    SharedBound shared = cheapest_shares(zone_half_borders(model, most), capacity, vertices);
    const std::int64_t lacking =
        model.deduction + model.per_divided_row * static_cast<std::int64_t>(model.rows);
    bounds.push_back({&model, shared.quarters - lacking, std::move(shared.shares)});
  }
  std::ranges::stable_sort(bounds, std::ranges::greater{}, &ModelBound::quarters);
  return bounds;
}

/// The best that any model of one grid says; `steps` limits the work beyond the separable bound.
GridBound bound_grid(const GridTraffic& grid, std::span<const std::uint32_t> zone_capacity,
                     std::int64_t steps) {
  std::vector<std::uint32_t> capacity(zone_capacity.begin(), zone_capacity.end());
  std::size_t room = 0;
  for (std::uint32_t& c : capacity) {
    c = std::min<std::uint32_t>(c, static_cast<std::uint32_t>(grid.vertices()));
    room += c;
  }
  const std::vector<RowModel> models = row_models(grid);
  std::vector<ModelBound> separable = separable_bounds(models, capacity, grid.vertices());
  if (separable.empty()) return {};
  GridBound best{separable.front().quarters, std::move(separable.front().shares),
                 separable.front().model->name + ", separable"};
  // The stronger bound asks for sizes that are known.
  if (room != grid.vertices()) return best;
  std::int64_t left = steps;
  for (const ModelBound& bound : separable) {
    if (left <= 0) break;
    // Most of it for the most promising.
    const std::int64_t portion = left - left / 4;
    left -= portion;
    WorkBudget budget(portion);
    const std::int64_t quarters = pieces_bound(*bound.model, capacity, budget);
    if (quarters > best.quarters) {
      best.quarters = quarters;
      best.name = bound.model->name + ", pieces and patterns";
    }
  }
  return best;
}

void take_if_higher(PartitionBound& best, std::int64_t value, const std::string& method) {
  if (value > best.cut.value) best.cut = {value, method};
}

}  // namespace

std::optional<PartitionBound> bound_of(const PartitionProblem& problem, std::int64_t steps) {
  const std::size_t vertices = problem.graph.vertices();
  if (problem.graph.total_weight() == 0) return PartitionBound{{0, "no traffic"}, {}};
  if (*std::ranges::max_element(problem.capacity) >= vertices) {
    return PartitionBound{{0, "fits in one zone"}, {}};
  }
  PartitionBound best{{0, ""}, {}};
  take_if_higher(best, spanning_tree_bound(problem), "spanning tree");

  // The grids share no vertex, so their bounds add up.
  const int shift = shift_for(problem.graph);
  std::int64_t quarters = 0;
  std::string names;
  for (const GridTraffic& whole : recover_grids(problem.graph, problem.coordinates)) {
    GridBound grid = bound_grid(scaled(whole, shift), problem.capacity, steps);
    if (grid.quarters <= 0) continue;
    quarters += grid.quarters;
    names += (names.empty() ? "" : " + ") + grid.name;
    if (whole.vertices() == vertices) best.shares = std::move(grid.shares);
  }
  // The cut is whole: a fraction rounds up, unless weights were rounded down before.
  const std::int64_t whole = shift == 0 ? (quarters + kQuarter - 1) / kQuarter : quarters / kQuarter;
  take_if_higher(best, whole << shift, names);
  if (best.cut.value == 0) return std::nullopt;
  return best;
}

std::optional<CutBound> cut_lower_bound(const CommunicationGraph& graph, const SlotTree& tree,
                                        std::span<const Coordinates> coordinates) {
  PartitionProblem problem{graph, {}, coordinates};
  for (const std::uint64_t room : tree.capacity(tree.cut_level)) {
    problem.capacity.push_back(
        static_cast<std::uint32_t>(std::min<std::uint64_t>(room, graph.vertices())));
  }
  if (std::optional<PartitionBound> bound = bound_of(problem, kBoundSteps)) return std::move(bound->cut);
  return std::nullopt;
}

}  // namespace zonecut
