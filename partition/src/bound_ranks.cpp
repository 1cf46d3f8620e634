#include "bound_ranks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "ascent.hpp"
#include "bound_separable.hpp"
#include "rank_relaxation.hpp"
#include "relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;
constexpr int kSteps = 400;
constexpr int kFirstSteps = 100;
constexpr double kAheadAtFirst = 0.1;
constexpr double kAhead = 0.01;
constexpr std::size_t kFewSets = 4000;
constexpr std::size_t kFewestMore = 6000;
constexpr std::int64_t kWorthMore = 30;   // solutions there is time for
constexpr std::int64_t kWorthBoth = 300;  // for few sets first
constexpr std::int64_t kEnoughSolves = 150;
constexpr std::size_t kFewUnits = 12;  // a row of so many is coarse enough as it is

/// A look at prices with so many vertices as one.
struct Look {
  std::size_t width = 1;
  int steps = 0;
  double ahead = 0;
};
constexpr std::array kLooks{Look{8, kFirstSteps, kAheadAtFirst}, Look{4, 60, 0.05}};

/// Rows of lines along axis 1, one for each place of the other axis.
std::optional<RowLine> line_of(const GridTraffic& grid) {
  const std::size_t across = grid.size[0] > 1 ? 0 : 2;
  const bool two = grid.size[1] > 1 && grid.size[across] > 1 && grid.size[2 - across] == 1;
  if (!two || grid.lines.empty()) return std::nullopt;
  const std::int64_t step = kQuarter * grid.step[across];
  return RowLine{grid.size[across], grid.size[1], step,
                 std::min(step, kQuarter * grid.wrap[across])};
}

class Search {
 public:
  Search(const RowLine& line, std::vector<LineEdge> edges, std::span<const std::uint32_t> sizes,
         Filling filling, WorkBudget& budget)
      : line_(line), edges_(std::move(edges)), sizes_(sizes), filling_(filling), budget_(budget) {
    for (LineEdge& edge : edges_) edge.weight *= kQuarter;
  }

  std::optional<std::int64_t> run(std::int64_t enough) {
    const std::optional<LowCuts> few = cuts(kFewSets);
    if (!few) return std::nullopt;
    const std::size_t solve = RankRelaxation(line_, *few, sizes_, filling_).steps_per_solve();
    const auto solves = budget_.left() / static_cast<std::int64_t>(solve);
    if (solves < 2) return std::nullopt;
    // Sets that take about the work of the shapes, or that there is time for.
    const auto alike = static_cast<std::int64_t>(solve);
    const auto rows = static_cast<std::int64_t>(line_.rows + 1);
    const std::int64_t many = std::max(alike / 2, budget_.left() / kEnoughSolves) / rows;
    std::optional<LowCuts> more;
    if (solves > kWorthMore) more = cuts(std::max(kFewestMore, static_cast<std::size_t>(many)));
    look_coarsely(*few);
    std::int64_t best = 0;
    if (more && solves > kWorthBoth) {
      WorkBudget share(budget_.left() / 3);
      const std::int64_t before = share.left();
      best = climb(*few, share, enough);
      budget_.spend(static_cast<std::size_t>(before - share.left()));
      if (best >= enough) return best;
    }
    return std::max(best, climb(more ? *more : *few, budget_, enough));
  }

 private:
  std::optional<LowCuts> cuts(std::size_t most) {
    const std::size_t largest = *std::ranges::max_element(sizes_);
    const auto steps = static_cast<std::size_t>(std::max<std::int64_t>(0, budget_.left() / 4));
    std::optional<LowCuts> found = low_cuts(line_.length, edges_, most, largest, steps);
    budget_.spend(found ? found->steps : steps);
    return found;
  }

  void look_coarsely(const LowCuts& few) {
    for (const Look& look : kLooks) {
      if (line_.length % look.width != 0 || line_.length / look.width < kFewUnits) continue;
      RankRelaxation coarse(line_, few, sizes_, filling_, look.width);
      WorkBudget share(budget_.left() / 4);
      const std::int64_t before = share.left();
      Ascent ascent(coarse, share, 0, std::numeric_limits<double>::infinity());
      if (!prices_.piece.empty()) ascent.start_at(prices_);
      ascent.climb_all(look.steps, look.ahead);
      prices_ = ascent.best_multipliers();
      budget_.spend(static_cast<std::size_t>(before - share.left()));
    }
  }

  /// From the prices that there are to better ones; 0 where there is no time.
  std::int64_t climb(const LowCuts& cuts, WorkBudget& budget, std::int64_t enough) {
    RankRelaxation relaxation(line_, cuts, sizes_, filling_);
    if (static_cast<std::int64_t>(relaxation.steps_per_solve()) > budget.left()) return 0;
    Ascent ascent(relaxation, budget, 0, static_cast<double>(enough));
    if (prices_.piece.empty()) {
      ascent.climb_all(kFirstSteps, kAheadAtFirst);
    } else {
      ascent.start_at(prices_);
    }
    ascent.climb_all(kSteps, kAhead);
    ascent.climb_all(kSteps, kAhead / 8);
    prices_ = ascent.best_multipliers();
    const auto best = rounded_down(ascent.best());
    if (filling_ == Filling::Full || best >= enough) return best;
    return std::max(best, with_exact_sizes(relaxation));
  }

  /// At these prices, sizes that add up exactly.
  std::int64_t with_exact_sizes(RankRelaxation& relaxation) const {
    PieceViolation violation;
    relaxation.solve(prices_, violation);
    std::vector<std::int64_t> by_size;
    for (const double cost : relaxation.by_size()) {
      by_size.push_back(rounded_down(cost - kRounding * std::abs(cost)));
    }
    const SharedBound shared = cheapest_shares(by_size, sizes_, line_.rows * line_.length);
    return shared.quarters + rounded_down(relaxation.constant());
  }

  RowLine line_;
  std::vector<LineEdge> edges_;
  std::span<const std::uint32_t> sizes_;
  Filling filling_;
  WorkBudget& budget_;
  PieceMultipliers prices_;  // the best so far
};

}  // namespace

std::optional<std::int64_t> ranks_bound(const GridTraffic& grid,
                                        std::span<const std::uint32_t> sizes, Filling filling,
                                        WorkBudget& budget, std::int64_t enough) {
  const std::optional<RowLine> line = line_of(grid);
  if (!line) return std::nullopt;
  return Search(*line, grid.lines, sizes, filling, budget).run(enough);
}

}  // namespace zonecut
