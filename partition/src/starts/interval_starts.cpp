#include "starts/interval_starts.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "grid/grid_traffic.hpp"
#include "shares.hpp"
#include "starts/interval_layout.hpp"
#include "starts/interval_packing.hpp"
#include "starts/laid_rows.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostParts = 12;  // of more, annealing finds nothing of use
constexpr std::int64_t kLaying = 8;     // of the steps, one in so many

/// A grid seen as rows along one of its axes.
struct View {
  IntervalRows rows;
  RowOrder order;
};

View view_along(const GridTraffic& grid, std::size_t along, std::size_t across) {
  const std::array<std::size_t, 3> stride{1, grid.size[0],
                                          std::size_t{grid.size[0]} * grid.size[1]};
  View view{{grid.size[across], grid.size[along], grid.step[along],
             std::min(grid.step[along], grid.wrap[along]), grid.step[across], grid.wrap[across]},
            {grid.size[across], grid.size[along], {}}};
  for (std::size_t row = 0; row < view.rows.rows; ++row) {
    for (std::size_t place = 0; place < view.rows.length; ++place) {
      view.order.at.push_back(grid.at[row * stride[across] + place * stride[along]]);
    }
  }
  return view;
}

/// Along either of the two axes, where there are two.
std::vector<View> views_of(const PartitionProblem& problem) {
  if (problem.coordinates.empty() || problem.rough) return {};
  const std::vector<GridTraffic> grids = recover_grids(problem.graph, problem.coordinates);
  if (grids.size() != 1 || grids[0].vertices() != problem.graph.vertices()) return {};
  const GridTraffic& grid = grids[0];
  if (!grid.lines.empty() || grid.clique > 0 || grid.chain > 0) return {};
  std::vector<std::size_t> axes;
  for (std::size_t axis = 0; axis < grid.size.size(); ++axis) {
    if (grid.size[axis] > 1) axes.push_back(axis);
  }
  if (axes.size() != 2) return {};
  for (const std::size_t axis : axes) {
    if (grid.size[axis] > kLongestRow || grid.step[axis] <= 0) return {};
  }
  return {view_along(grid, axes[0], axes[1]), view_along(grid, axes[1], axes[0])};
}

struct Packed {
  std::int64_t cost = 0;
  HeldRows held{0, 0};
};

class Starts {
 public:
  Starts(const PartitionProblem& problem, std::span<const Shares> choices,
         const IntervalEffort& effort, const SearchTerms& terms)
      : problem_(problem),
        choices_(choices),
        effort_(effort),
        threads_(terms.threads),
        random_(terms.seed) {}

  /// One run along either axis, and the others where that led further.
  std::vector<Partition> find(std::span<const View> views) {
    if (views.empty() || effort_.runs < views.size()) return {};
    const auto runs = static_cast<std::int64_t>(effort_.runs);
    each_ = effort_.steps / runs;
    for (const View& view : views) lay(view, 1, 1);
    const auto best = std::ranges::min_element(starts_, {}, &Partition::cut) - starts_.begin();
    lay(views[static_cast<std::size_t>(best)], effort_.runs - views.size(), effort_.kept);
    return std::move(starts_);
  }

 private:
  /// The best few of so many runs. What is cut less by numbers alone need not be where parts have
  /// places.
  void lay(const View& view, std::size_t runs, std::size_t kept) {
    const std::vector<Packed> packed = pack(view.rows, runs);
    WorkBudget budget(each_ / kLaying * static_cast<std::int64_t>(runs));
    std::vector<IntervalLayout> laid;
    for (const Packed& each : packed) {
      if (!laid.empty() && budget.spent()) break;
      laid.push_back(lay_intervals(view.rows, each.held, budget));
    }
    std::ranges::stable_sort(laid, {}, &IntervalLayout::cut);
    if (laid.size() > kept) laid.resize(kept);
    for (const IntervalLayout& layout : laid) {
      std::vector<std::uint32_t> part = parts_of(view.order, layout.rows);
      const std::int64_t cut = cut_weight(problem_.graph, part);
      starts_.push_back({std::move(part), cut, kIntervals});
    }
  }

  /// The best first.
  std::vector<Packed> pack(const IntervalRows& rows, std::size_t runs) {
    std::vector<Random> sequences = sequences_from(random_, runs);
    std::vector<Packed> packed(runs);
    for_each_index(runs, threads_, [&](std::size_t run) {
      IntervalPacking packing(rows, choices_[run % choices_.size()], sequences[run]);
      WorkBudget budget(each_ - each_ / kLaying);
      packing.anneal(budget);
      packed[run] = {packing.cost(), packing.held()};
    });
    std::ranges::stable_sort(packed, {}, &Packed::cost);
    return packed;
  }

  const PartitionProblem& problem_;
  std::span<const Shares> choices_;
  const IntervalEffort& effort_;
  int threads_;
  Random random_;
  std::int64_t each_ = 0;  // steps of a run
  std::vector<Partition> starts_;
};

}  // namespace

std::vector<Partition> interval_starts(const PartitionProblem& problem,
                                       std::span<const Shares> choices,
                                       const IntervalEffort& effort, const SearchTerms& terms) {
  if (effort.steps == 0 || !have_few_parts(choices, kMostParts)) return {};
  return Starts(problem, choices, effort, terms).find(views_of(problem));
}

}  // namespace zonecut
