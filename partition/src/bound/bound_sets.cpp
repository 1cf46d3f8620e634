#include "bound/bound_sets.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

#include "bound/ascent.hpp"
#include "bound/set_relaxation.hpp"
#include "bound/size_cases.hpp"
#include "bound/swept_sets.hpp"
#include "grid/narrow_order.hpp"
#include "grid/relaxation_sums.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kMostVertices = 1024;
constexpr std::size_t kMostEntries = std::size_t{1} << 25;
constexpr std::size_t kMostStates = std::size_t{1} << 20;
constexpr std::size_t kStarts = 32;       // of orders
constexpr std::int64_t kWorthwhile = 10;  // solutions
constexpr int kSteps = 400;
constexpr double kAheadAtFirst = 0.1;
constexpr double kAhead = 0.01;
constexpr double kPromising = 0.95;  // of the bound known, at the first prices

enum class Sizes { Together, CaseByCase };

class Search {
 public:
  Search(const PartitionProblem& problem, WeightUnit unit, WorkBudget& budget, std::int64_t enough)
      : vertices_(problem.graph.vertices()), budget_(budget), enough_(enough) {
    const auto all = static_cast<std::uint32_t>(vertices_);
    for (const std::uint32_t room : problem.capacity) sizes_.push_back(std::min(room, all));
    largest_ = std::ranges::max(sizes_);
    put_in_order(problem.graph, problem.coordinates, unit);
  }

  std::optional<SharedBound> run(std::int64_t known) {
    if (edges_.empty() || !affords(Fineness::Bits16)) return std::nullopt;
    climb(Fineness::Bits16, budget_.left() / 2, kAheadAtFirst, Sizes::Together);
    if (static_cast<double>(best_) < kPromising * static_cast<double>(known)) {
      return SharedBound{best_, std::move(shares_)};
    }
    // The coarse ones find prices, and what rounding takes off is little beside what those lack.
    const Fineness then = affords(Fineness::Bits32) ? Fineness::Bits32 : Fineness::Bits16;
    climb(then, budget_.left(), kAhead, Sizes::CaseByCase);
    return SharedBound{best_, std::move(shares_)};
  }

 private:
  void put_in_order(const CommunicationGraph& graph, std::span<const Coordinates> coordinates,
                    WeightUnit unit) {
    if (vertices_ > kMostVertices) return;
    const std::size_t most = std::min(kMostStates, kMostEntries / (std::size_t{largest_} + 1));
    const std::vector<std::uint32_t> order = with_part(
        budget_, budget_.left() / 2,
        [&](WorkBudget& half) { return narrow_order(graph, coordinates, kStarts, most, half); });
    if (!order.empty()) edges_ = edges_among(graph, order, unit);
  }

  [[nodiscard]] bool affords(Fineness fineness) const {
    const std::size_t sums = SweptSets::sums(vertices_, edges_, largest_, fineness);
    return sums <= kMostEntries &&
           static_cast<std::int64_t>(sums / SweptSets::kSumsPerStep) * kWorthwhile <=
               budget_.left();
  }

  /// From the prices there are, aiming at so much above the bound. Where sizes are open, steps
  /// that are left may be for cases of them.
  void climb(Fineness fineness, std::int64_t steps, double ahead, Sizes open) {
    if (best_ >= enough_) return;
    std::vector<std::uint32_t> widths(vertices_, 1);
    std::optional<SweptSets> sets =
        SweptSets::make(std::move(widths), edges_, largest_, kMostEntries, fineness);
    if (!sets) return;
    const bool full = std::reduce(sizes_.begin(), sizes_.end(), std::size_t{0}) == vertices_;
    SetRelaxation relaxation(*sets, sizes_, full ? Filling::Full : Filling::Open);
    const bool by_case = open == Sizes::CaseByCase && !full;
    double best = with_part(budget_, steps, [&](WorkBudget& part) {
      Ascent ascent(relaxation, part, 0, static_cast<double>(enough_));
      if (!prices_.piece.empty()) ascent.start_at(prices_);
      ascent.climb_evenly(kSteps, ahead);
      prices_ = ascent.best_multipliers();
      return ascent.best();
    });
    if (by_case) {
      best = SizeCases(relaxation, budget_, prices_, best).run(static_cast<double>(enough_));
    }
    const std::int64_t found = rounded_down(best);
    if (found <= best_) return;
    best_ = found;
    if (full) return;
    PieceViolation violation;
    relaxation.solve(prices_, violation);
    shares_ = relaxation.shares().value_or(Shares{});
  }

  std::size_t vertices_;
  WorkBudget& budget_;
  std::int64_t enough_;
  std::vector<std::uint32_t> sizes_;  // of parts, or room for so many
  std::uint32_t largest_ = 0;
  std::vector<LineEdge> edges_;  // between places of the order; none where there is no such order
  PieceMultipliers prices_;      // the best so far
  std::int64_t best_ = 0;
  Shares shares_;
};

}  // namespace

std::optional<SharedBound> sets_bound(const PartitionProblem& problem, WeightUnit unit,
                                      WorkBudget& budget, std::int64_t known, std::int64_t enough) {
  return Search(problem, unit, budget, enough).run(known);
}

}  // namespace zonecut
