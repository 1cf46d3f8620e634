#include "starts/slicing_starts.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <numeric>
#include <optional>

#include "starts/slicing_blocks.hpp"
#include "starts/slicing_forest.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

/// Over the number of parts: what a change moves is a part's border, not the whole cut.
constexpr std::array kHeats{0.2, 0.6, 0.2, 0.2};
/// So much hotter where edges of all lengths make changes of all sizes.
constexpr double kTreeHeat = 4;
/// The half of a run in which parts may have several pieces begins that much colder.
constexpr double kReheat = 4;
/// What begins at a planned tree begins that much colder, or it would forget the plan.
constexpr double kPlannedColder = 8;
/// One step in so many, and no more than that, goes into planning.
constexpr std::int64_t kPerPlanning = 200;
constexpr std::int64_t kMostPlanning = 4'000'000;
constexpr std::size_t kPlansTried = 400;

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
  SlicingStarts(const PartitionProblem& problem, const LineModel& model,
                std::span<const Shares> choices, const SearchTerms& terms)
      : problem_(problem), model_(model), choices_(choices), terms_(terms) {}

  void add_plain(const Shares& shares) {
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
        if (strips && is_enough(*strips)) break;
        forest.sweep_best();
        keep_better(bisection, forest);
        if (bisection && is_enough(*bisection)) break;
      }
    }
    ZONECUT_ENSURES(strips.has_value());
    starts_.push_back(measured(*strips, "strips along an axis"));
    if (bisection) {
      starts_.push_back(measured(*bisection, "bisection by coordinates"));
      if (bisection->cut() < strips->cut()) strips.emplace(*bisection);
    }
    plain_.push_back(*std::move(strips));
  }

  /// Where sums of shares tell of better trees to begin with.
  void add_planned(std::int64_t steps) {
    const std::int64_t work = std::min(steps / kPerPlanning, kMostPlanning);
    for (std::size_t i = 0; i < plain_.size(); ++i) {
      planned_.push_back(best_plans(plain_[i], choices_[i], work / std::ssize(plain_)));
      if (planned_[i].empty()) continue;
      SlicingForest forest = plain_[i];
      forest.follow(planned_[i].front().tree, choices_[i]);
      starts_.push_back(measured(forest, "slicing tree by sums"));
    }
  }

  /// Runs of annealing from the starts of each choice in turn, up to the first that is enough. The
  /// first half begins at plain and planned ones by turns, the others at the kind that did better.
  void add_annealed(const SlicingEffort& effort) {
    Random random(terms_.seed);
    std::vector<std::uint64_t> seeds(effort.runs * plain_.size());
    for (std::uint64_t& seed : seeds) seed = random.next();
    std::vector<Run> runs;
    for (std::size_t i = 0; i < seeds.size(); ++i) {
      const std::size_t choice = i / effort.runs;
      const std::size_t number = i % effort.runs;
      runs.push_back({choice, number, std::nullopt, seeds[i], effort.steps / std::ssize(seeds)});
    }
    const std::size_t trials = std::max<std::size_t>(2, effort.runs / 2);
    const auto is_trial = [&](const Run& run) {
      return planned_[run.choice].empty() || run.number < trials;
    };
    const auto later = std::ranges::stable_partition(runs, is_trial);
    const std::span<Run> tried(runs.begin(), later.begin());
    std::vector<std::size_t> begun(planned_.size(), 0);  // planned trees, by choice
    const auto begin_at_plan = [&](Run& run) { run.plan = begun[run.choice]++; };
    for (Run& run : tried) {
      if (!planned_[run.choice].empty() && run.number % 2 == 1) begin_at_plan(run);
    }
    add_runs(tried);
    if (reached()) return;
    for (Run& run : later) {
      if (is_planned_better(tried, run.choice)) begin_at_plan(run);
    }
    add_runs(later);
  }

  [[nodiscard]] bool reached() const {
    return std::ranges::any_of(starts_, [&](const auto& s) { return s.cut <= terms_.enough; });
  }
  [[nodiscard]] std::vector<Partition> take() { return std::move(starts_); }

 private:
  /// One run of annealing.
  struct Run {
    std::size_t choice, number;       ///< of shares; among the runs of that choice
    std::optional<std::size_t> plan;  ///< the planned tree it begins at; none: the plain one
    std::uint64_t seed;
    std::int64_t steps;
    std::int64_t cut = std::numeric_limits<std::int64_t>::max();
  };
  struct Plan {
    SlicingPlan tree;
    std::int64_t cut;
  };

  [[nodiscard]] bool is_enough(const SlicingForest& forest) const {
    return forest.cut() <= terms_.enough;
  }

  [[nodiscard]] std::size_t most_sweeps() const {
    std::size_t most = 0;
    for (const auto& grid : model_.grids()) most = std::max(most, grid.sweeps.size());
    return most;
  }

  static void keep_better(std::optional<SlicingForest>& best, const SlicingForest& forest) {
    if (!best || forest.cut() < best->cut()) best.emplace(forest);
  }

  /// Runs of annealing, up to the first that is enough.
  void add_runs(std::span<Run> runs) {
    std::vector<Partition> annealed(runs.size());
    const std::size_t first = find_index(runs.size(), terms_.threads, [&](std::size_t i) {
      annealed[i] = anneal(runs[i]);
      runs[i].cut = annealed[i].cut;
      return annealed[i].cut <= terms_.enough;
    });
    annealed.resize(std::min(first + 1, runs.size()));
    std::ranges::move(annealed, std::back_inserter(starts_));
  }

  static bool is_planned_better(std::span<const Run> tried, std::size_t choice) {
    std::array<std::int64_t, 2> best;  // plain, planned
    best.fill(std::numeric_limits<std::int64_t>::max());
    for (const Run& run : tried) {
      std::int64_t& least = best[run.plan ? 1 : 0];
      if (run.choice == choice) least = std::min(least, run.cut);
    }
    return best[1] < best[0];
  }

  [[nodiscard]] Partition anneal(const Run& run) const {
    double heat = kHeats[run.number % kHeats.size()] * (model_.has_trees() ? kTreeHeat : 1) /
                  static_cast<double>(problem_.parts());
    SlicingForest forest = plain_[run.choice];
    if (run.plan) {
      const std::vector<Plan>& plans = planned_[run.choice];
      forest.follow(plans[*run.plan % plans.size()].tree, choices_[run.choice]);
      heat /= kPlannedColder;
    }
    Random random(run.seed);
    WorkBudget first(run.steps / 2);
    forest.anneal(heat, random, first, terms_.enough);
    forest.allow_pieces(problem_.parts());
    WorkBudget second(run.steps - run.steps / 2);
    forest.anneal(heat / kReheat, random, second, terms_.enough);
    return measured(forest, run.plan ? "annealed slicing tree by sums" : "annealed slicing tree");
  }

  /// The best few that differ in what they cut, best first.
  [[nodiscard]] std::vector<Plan> best_plans(const SlicingForest& plain, const Shares& shares,
                                             std::int64_t work) const {
    std::vector<Plan> plans;
    for (SlicingPlan& tree :
         block_plans(model_, shares, kPlansTried, Random(terms_.seed), WorkBudget(work))) {
      SlicingForest forest = plain;
      forest.follow(tree, shares);
      plans.push_back({std::move(tree), forest.cut()});
    }
    std::ranges::stable_sort(plans, {}, &Plan::cut);
    const auto [first, last] = std::ranges::unique(plans, {}, &Plan::cut);
    plans.erase(first, last);
    return plans;
  }

  [[nodiscard]] Partition measured(const SlicingForest& forest, const char* method) const {
    std::vector<std::uint32_t> part = forest.part();
    const std::int64_t cut = cut_weight(problem_.graph, part);
    ZONECUT_ENSURES(cut <= forest.cut());
    return {std::move(part), cut, method};
  }

  const PartitionProblem& problem_;
  const LineModel& model_;
  std::span<const Shares> choices_;
  const SearchTerms& terms_;
  std::vector<SlicingForest> plain_;        ///< the best plain start of each choice
  std::vector<std::vector<Plan>> planned_;  ///< for each choice, or none
  std::vector<Partition> starts_;
};

}  // namespace

std::vector<Partition> slicing_starts(const PartitionProblem& problem, const LineModel& model,
                                      std::span<const Shares> choices, const SlicingEffort& effort,
                                      const SearchTerms& terms) {
  SlicingStarts starts(problem, model, choices, terms);
  for (const Shares& shares : choices) {
    starts.add_plain(shares);
    if (starts.reached()) return starts.take();
  }
  if (effort.steps == 0) return starts.take();
  starts.add_planned(effort.steps);
  if (!starts.reached()) starts.add_annealed(effort);
  return starts.take();
}

}  // namespace zonecut
