#include "slicing_starts.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "slicing_forest.hpp"
#include "zonecut/base/error.hpp"

namespace zonecut {
namespace {

constexpr std::array kHeats{0.03, 0.01};
/// The half of a run in which parts may have several pieces begins that much colder.
constexpr double kReheat = 8;

std::vector<std::vector<std::uint32_t>> part_orders(const Shares& shares) {
  std::vector<std::uint32_t> given(shares.size());
  std::iota(given.begin(), given.end(), 0u);
  std::vector<std::uint32_t> falling = given;
  std::ranges::stable_sort(falling, std::ranges::greater{}, [&](auto p) { return shares[p]; });
  if (falling == given) return {given};
  return {given, falling};
}

/// What each part gets of each grid: parts in order, grids from the first or from the last.
std::vector<Shares> shares_by_grid(const LineModel& model, const Shares& shares,
                                   std::span<const std::uint32_t> order, bool last_first) {
  const auto grids = model.grids();
  std::vector<Shares> result(grids.size(), Shares(shares.size(), 0));
  std::size_t next = 0;
  std::uint32_t left = 0;
  std::uint32_t grid = 0;
  for (const std::uint32_t p : order) {
    for (std::uint32_t wanted = shares[p]; wanted > 0;) {
      while (left == 0) {
        grid = static_cast<std::uint32_t>(last_first ? grids.size() - 1 - next : next);
        left = grids[grid].vertices;
        ++next;
      }
      const std::uint32_t taken = std::min(left, wanted);
      result[grid][p] += taken;
      left -= taken;
      wanted -= taken;
    }
  }
  return result;
}

class SlicingStarts {
 public:
  SlicingStarts(const PartitionProblem& problem, const LineModel& model, std::int64_t enough)
      : problem_(problem), model_(model), enough_(enough) {}

  void add_plain(const Shares& shares) {
    best_.reset();
    std::optional<SlicingForest> strips;
    std::optional<SlicingForest> bisection;
    for (const auto& order : part_orders(shares)) {
      for (std::size_t turn = 0; turn < std::min<std::size_t>(2, model_.grids().size()); ++turn) {
        SlicingForest forest(model_, problem_.capacity,
                             shares_by_grid(model_, shares, order, turn == 1), order);
        for (std::size_t sweep = 0; sweep < most_sweeps(); ++sweep) {
          forest.sweep_all(sweep);
          keep_better(strips, forest);
        }
        if (strips->cut() > enough_) {
          forest.sweep_best();
          keep_better(bisection, forest);
        }
        if (strips->cut() <= enough_ || bisection->cut() <= enough_) break;
      }
    }
    add(*strips, "strips along an axis");
    best_.emplace(*strips);
    if (bisection) {
      add(*bisection, "bisection by coordinates");
      if (bisection->cut() < best_->cut()) best_.emplace(*bisection);
    }
  }

  void anneal(double heat, Random& random, WorkBudget budget) {
    SlicingForest forest = *best_;
    WorkBudget first(budget.left() / 2);
    budget.spend(static_cast<std::size_t>(budget.left() / 2));
    forest.anneal(heat, random, first, enough_);
    forest.allow_pieces(problem_.parts());
    forest.anneal(heat / kReheat, random, budget, enough_);
    add(forest, "annealed slicing tree");
  }

  [[nodiscard]] bool reached() const { return !starts_.empty() && least_ <= enough_; }
  [[nodiscard]] std::vector<Partition> take() { return std::move(starts_); }

 private:
  [[nodiscard]] std::size_t most_sweeps() const {
    std::size_t most = 0;
    for (const auto& grid : model_.grids()) most = std::max(most, grid.sweeps.size());
    return most;
  }

  static void keep_better(std::optional<SlicingForest>& best, const SlicingForest& forest) {
    if (!best || forest.cut() < best->cut()) best.emplace(forest);
  }

  void add(const SlicingForest& forest, const char* method) {
    std::vector<std::uint32_t> part = forest.part();
    const std::int64_t cut = cut_weight(problem_.graph, part);
    ZONECUT_ENSURES(cut <= forest.cut());
    least_ = starts_.empty() ? cut : std::min(least_, cut);
    starts_.push_back({std::move(part), cut, method});
  }

  const PartitionProblem& problem_;
  const LineModel& model_;
  std::int64_t enough_;
  std::int64_t least_ = 0;
  std::optional<SlicingForest> best_;
  std::vector<Partition> starts_;
};

}  // namespace

std::vector<Partition> slicing_starts(const PartitionProblem& problem, const LineModel& model,
                                      std::span<const Shares> choices, const SlicingEffort& effort,
                                      Random& random, std::int64_t enough) {
  SlicingStarts starts(problem, model, enough);
  const auto runs = static_cast<std::int64_t>(effort.runs * choices.size());
  for (const Shares& shares : choices) {
    if (starts.reached()) break;
    starts.add_plain(shares);
    for (std::size_t run = 0; run < effort.runs && effort.steps > 0 && !starts.reached(); ++run) {
      starts.anneal(kHeats[run % kHeats.size()], random, WorkBudget(effort.steps / runs));
    }
  }
  return starts.take();
}

}  // namespace zonecut
