#include "slicing_starts.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>

#include "slicing_forest.hpp"
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
  SlicingStarts(const PartitionProblem& problem, const LineModel& model, const SearchTerms& terms)
      : problem_(problem), model_(model), terms_(terms) {}

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

  /// Runs of annealing from the plain start of each choice in turn, up to the first that is enough.
  void add_annealed(const SlicingEffort& effort) {
    const std::size_t runs = effort.runs * plain_.size();
    Random random(terms_.seed);
    std::vector<std::uint64_t> seeds(runs);
    for (std::uint64_t& seed : seeds) seed = random.next();
    std::vector<Partition> annealed(runs);
    const std::size_t first = find_index(runs, terms_.threads, [&](std::size_t i) {
      const double heat =
          kHeats[i % effort.runs % kHeats.size()] * (model_.has_trees() ? kTreeHeat : 1);
      annealed[i] = anneal(plain_[i / effort.runs], heat / static_cast<double>(problem_.parts()),
                           Random(seeds[i]), effort.steps / static_cast<std::int64_t>(runs));
      return annealed[i].cut <= terms_.enough;
    });
    annealed.resize(std::min(first + 1, runs));
    std::ranges::move(annealed, std::back_inserter(starts_));
  }

  [[nodiscard]] bool reached() const {
    return std::ranges::any_of(starts_, [&](const auto& s) { return s.cut <= terms_.enough; });
  }
  [[nodiscard]] std::vector<Partition> take() { return std::move(starts_); }

 private:
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

  [[nodiscard]] Partition anneal(SlicingForest forest, double heat, Random random,
                                 std::int64_t steps) const {
    WorkBudget first(steps / 2);
    forest.anneal(heat, random, first, terms_.enough);
    forest.allow_pieces(problem_.parts());
    WorkBudget second(steps - steps / 2);
    forest.anneal(heat / kReheat, random, second, terms_.enough);
    return measured(forest, "annealed slicing tree");
  }

  [[nodiscard]] Partition measured(const SlicingForest& forest, const char* method) const {
    std::vector<std::uint32_t> part = forest.part();
    const std::int64_t cut = cut_weight(problem_.graph, part);
    ZONECUT_ENSURES(cut <= forest.cut());
    return {std::move(part), cut, method};
  }

  const PartitionProblem& problem_;
  const LineModel& model_;
  const SearchTerms& terms_;
  std::vector<SlicingForest> plain_;  ///< the best plain start of each choice
  std::vector<Partition> starts_;
};

}  // namespace

std::vector<Partition> slicing_starts(const PartitionProblem& problem, const LineModel& model,
                                      std::span<const Shares> choices, const SlicingEffort& effort,
                                      const SearchTerms& terms) {
  SlicingStarts starts(problem, model, terms);
  for (const Shares& shares : choices) {
    starts.add_plain(shares);
    if (starts.reached()) return starts.take();
  }
  if (effort.steps > 0) starts.add_annealed(effort);
  return starts.take();
}

}  // namespace zonecut
