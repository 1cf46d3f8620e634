#include "find_partition.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <string_view>

#include "effort_plan.hpp"
#include "metis_bisections.hpp"
#include "refine/box_search.hpp"
#include "refine/divide_anew.hpp"
#include "refine/refine_cycles.hpp"
#include "refine/refine_pairs.hpp"
#include "refine/refine_search.hpp"
#include "refine/repair.hpp"
#include "shares.hpp"
#include "starts/bipartite_start.hpp"
#include "starts/block_starts.hpp"
#include "starts/equal_rows.hpp"
#include "starts/interval_starts.hpp"
#include "starts/packed_starts.hpp"
#include "starts/slicing_starts.hpp"
#include "starts/stacked_starts.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"
#include "zonecut/base/threads.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kPackedKept = 2;
constexpr std::size_t kIntervalsKept = 2;
constexpr std::int64_t kFar = 7;  // a 7th above the best start: refinement seldom gains as much
constexpr std::int64_t kFarIntervals = 50;
constexpr std::size_t kFinalists = 4;

/// A partition that the search goes on from.
struct Start : Partition {
  std::vector<std::uint32_t> settled;  ///< as passes over pairs left it, or none

  Start() = default;
  explicit Start(Partition partition) : Partition(std::move(partition)) {}
};

class Search {
 public:
  Search(const PartitionProblem& problem, const PartitionEffort& effort, const SearchTerms& terms)
      : problem_(problem),
        effort_(effort),
        terms_(terms),
        random_(terms.seed),
        kept_(effort.kept) {}

  Partition run(std::span<const Shares> choices) {
    add_given();
    if (!reached()) divide_sides(choices);
    if (!reached()) pack(choices.front());
    if (!reached()) start_on_intervals(choices);
    if (!reached()) start_on_lines(choices);
    if (!reached()) slice(choices);
    for (const Shares& shares : choices) {
      if (!reached()) metis(shares, choices.size());
    }
    drop_far_intervals();
    keep_best();
    if (!reached()) polish_all();
    keep_best();
    if (by_blocks_ && !reached()) refine_finalists();
    if (packs_ && !reached()) pack_anew();
    if (!reached()) search();
    if (!reached()) divide();
    return std::move(starts_.front());
  }

 private:
  [[nodiscard]] bool reached() const {
    return std::ranges::any_of(starts_, [&](const Partition& s) { return s.cut <= terms_.enough; });
  }

  void add(std::vector<std::uint32_t> part, std::int64_t cut, std::string method) {
    starts_.emplace_back(Partition{std::move(part), cut, std::move(method)});
  }

  void add_all(std::vector<Partition> starts) {
    for (Partition& start : starts) starts_.emplace_back(std::move(start));
  }

  /// Of parts whose sizes are only about right.
  void add_repaired(std::vector<std::uint32_t> part, std::string method) {
    WorkingPartition partition(problem_, std::move(part));
    repair(partition);
    add({partition.all().begin(), partition.all().end()}, partition.cut(), std::move(method));
  }

  void add_given() {
    if (problem_.start.empty()) return;
    add({problem_.start.begin(), problem_.start.end()}, cut_weight(problem_.graph, problem_.start),
        "given mapping");
  }

  /// Prefill and decode, which have no coordinates.
  void divide_sides(std::span<const Shares> choices) {
    if (!problem_.coordinates.empty()) return;
    for (const Shares& shares : choices) {
      std::optional<Partition> start = bipartite_start(problem_, shares);
      if (!start) return;
      starts_.emplace_back(*std::move(start));
    }
  }

  [[nodiscard]] DivideRow row_divider() const {
    const PartitionEffort of_row{.metis_starts = 0,
                                 .anneal_steps = effort_.row_steps,
                                 .polish_steps = effort_.row_steps,
                                 .search_steps = effort_.row_steps / 4,
                                 .kept = 2};
    return [of_row, seed = terms_.seed](const PartitionProblem& row, const Shares& of_parts) {
      const std::vector<Shares> choices{of_parts};
      return find_partition(row, choices, of_row, {.seed = seed}).part;
    };
  }

  void pack(const Shares& shares) {
    std::vector<Partition> starts =
        packed_starts(problem_, shares, {effort_.pack_steps, effort_.pack_runs, kPackedKept},
                      terms_.seed, row_divider());
    packs_ = !starts.empty() && effort_.pack_anew_steps > 0;
    add_all(std::move(starts));
  }

  /// The best so far, its numbers by row annealed on, and polished.
  void pack_anew() {
    std::optional<Partition> anew = packed_anew(
        problem_, starts_.front().part, effort_.pack_anew_steps, terms_.seed, row_divider());
    if (!anew) return;
    Start start(*std::move(anew));
    WorkingPartition partition(problem_, std::move(start.part));
    polish(partition, start);
    keep(partition, start);
    starts_.push_back(std::move(start));
    keep_best();
  }

  void start_on_intervals(std::span<const Shares> choices) {
    std::vector<Partition> starts = interval_starts(
        problem_, choices, {effort_.interval_steps, effort_.interval_runs, kIntervalsKept}, terms_);
    add_all(std::move(starts));
  }

  /// Refinement gains little there. Those that are left are refined beside the others.
  void drop_far_intervals() {
    if (!has_start(kIntervals)) return;
    const std::int64_t best = std::ranges::min(starts_, {}, &Partition::cut).cut;
    std::erase_if(starts_, [&](const Partition& start) {
      return start.method == kIntervals && start.cut > best + best / kFarIntervals;
    });
    if (has_start(kIntervals)) ++kept_;
  }

  [[nodiscard]] bool has_start(std::string_view method) const {
    return std::ranges::any_of(starts_, [&](const Partition& s) { return s.method == method; });
  }

  /// Double binary trees.
  void start_on_lines(std::span<const Shares> choices) {
    if (effort_.column_steps == 0 && effort_.stack_steps == 0 && effort_.block_steps == 0) return;
    const std::optional<GridTraffic> grid = grid_of_lines(problem_);
    if (!grid) return;
    std::vector<Partition> columns =
        column_starts(problem_, *grid, choices, {effort_.column_steps, effort_.column_starts});
    add_all(std::move(columns));
    if (reached()) return;
    std::vector<Partition> stacks =
        stacked_starts(problem_, *grid, choices, {effort_.stack_steps, effort_.stack_runs}, terms_);
    if (!stacks.empty()) kept_ += kept_ / 2;
    add_all(std::move(stacks));
    if (reached()) return;
    std::vector<std::vector<std::uint32_t>> blocks =
        block_starts(problem_, *grid, choices, {effort_.block_steps, effort_.block_runs}, terms_);
    for (std::vector<std::uint32_t>& part : blocks) add_repaired(std::move(part), kBlocks);
    by_blocks_ = !blocks.empty();
    // Which start leads furthest shows late, so many are refined, each a little.
    if (by_blocks_) kept_ = kept_ * 2;
  }

  void slice(std::span<const Shares> choices) {
    if (problem_.coordinates.empty()) {
      starts_.emplace_back(filled_in_order(problem_, choices.front()));
      return;
    }
    auto joint = lay_out_jointly(problem_.graph, problem_.coordinates);
    const bool is_joint = joint.has_value();
    const LineModel model(
        problem_.graph,
        joint ? *std::move(joint) : lay_out_lines(problem_.graph, problem_.coordinates));
    // Other starts have taken a part of the time.
    std::int64_t steps = effort_.anneal_steps;
    if (has_start(kPacked)) steps /= packs_ ? 6 : 3;
    if (by_blocks_) steps -= 3 * steps / 4;
    std::vector<Partition> starts = slicing_starts(
        problem_, model, choices,
        {steps, is_joint ? joint_runs(steps) : runs_for(effort_.anneal_runs, problem_.parts())},
        next_terms());
    add_all(std::move(starts));
  }

  /// Where several grids are one, few long runs find more than many short ones.
  [[nodiscard]] std::size_t joint_runs(std::int64_t steps) const {
    constexpr std::size_t kFew = 3;
    constexpr std::int64_t kLong = 45'000'000;  // steps
    return std::min(effort_.anneal_runs, std::max(kFew, static_cast<std::size_t>(steps / kLong)));
  }

  void metis(const Shares& shares, std::size_t choices) {
    // Where nothing else is known of the graph, a few are always worth it; where slicing knows it
    // well, a quarter finds as much.
    constexpr int kFewest = 4;
    constexpr int kPerStart = 4;
    const int wanted = problem_.coordinates.empty() || problem_.rough
                           ? std::max(kFewest, effort_.metis_starts)
                           : (effort_.metis_starts + kPerStart - 1) / kPerStart;
    const int count = (wanted + static_cast<int>(choices) - 1) / static_cast<int>(choices);
    const bool by_twos = has_small_part(shares);
    for (int i = 0; i < count && !reached(); ++i) {
      const int seed = static_cast<int>(terms_.seed % 1'000'000) + i;
      const auto method = by_twos || i % 2 == 0 ? MetisMethod::Recursive : MetisMethod::Kway;
      std::optional<std::vector<std::uint32_t>> part =
          by_twos ? metis_bisections(problem_.graph, shares, seed)
                  : metis_partition(problem_.graph, shares, method, seed);
      if (!part) return;
      add_repaired(std::move(*part),
                   method == MetisMethod::Kway ? "METIS k-way" : "METIS recursive");
    }
  }

  /// The best few starts, no two alike, best first; of every method one that is not far off, since
  /// starts of one kind tend to end in the same place.
  void keep_best() {
    const auto by_cut = [](const Partition& x, const Partition& y) { return x.cut < y.cut; };
    std::ranges::stable_sort(starts_, by_cut);
    const auto same = [](const Partition& x, const Partition& y) { return x.part == y.part; };
    starts_.erase(std::unique(starts_.begin(), starts_.end(), same), starts_.end());
    const std::int64_t best = starts_.front().cut;
    const std::int64_t far = best + best / kFar;
    std::vector<std::string> seen;
    const auto first_of_method = [&](const Partition& start) {
      if (start.cut > far || std::ranges::find(seen, start.method) != seen.end()) return false;
      seen.push_back(start.method);
      return true;
    };
    std::stable_partition(starts_.begin(), starts_.end(), first_of_method);
    if (starts_.size() > kept_) starts_.resize(kept_);
    std::ranges::stable_sort(starts_, by_cut);
  }

  /// Terms for a part of the search, with a sequence of its own.
  SearchTerms next_terms() {
    SearchTerms terms = terms_;
    terms.seed = random_.next();
    return terms;
  }

  /// Each with a random sequence of its own, up to the first that is enough.
  template <class Refine>
  void refine_starts(const Refine& refine) {
    std::vector<Random> sequences = sequences_from(random_, starts_.size());
    const std::size_t first = find_index(starts_.size(), terms_.threads, [&](std::size_t i) {
      WorkingPartition partition(problem_, std::move(starts_[i].part));
      refine(partition, sequences[i], starts_[i]);
      keep(partition, starts_[i]);
      return starts_[i].cut <= terms_.enough;
    });
    starts_.resize(std::min(first + 1, starts_.size()));
  }

  static void keep(const WorkingPartition& found, Partition& partition) {
    partition.part.assign(found.all().begin(), found.all().end());
    partition.cut = found.cut();
  }

  void polish(WorkingPartition& partition, Start& start) const {
    WorkBudget budget(effort_.polish_steps);
    refine_by_turns(partition, budget);
    if (!budget.spent()) start.settled.assign(partition.all().begin(), partition.all().end());
  }

  void polish_all() {
    refine_starts([this](WorkingPartition& partition, Random& random, Start& start) {
      polish(partition, start);
      // The start that is best now need not be the one that leads furthest.
      WorkBudget trial(ball_steps() / static_cast<std::int64_t>(kept_));
      search_by_balls(partition, random, trial, terms_.enough);
      WorkBudget boxes(effort_.box_steps / 3 / static_cast<std::int64_t>(kept_));
      search_by_boxes(partition, random, boxes, boxes.left(), terms_.enough);
    });
  }

  /// The best few once more, by boxes, for three quarters as long as all before.
  void refine_finalists() {
    if (starts_.size() > kFinalists) starts_.resize(kFinalists);
    refine_starts([this](WorkingPartition& partition, Random& random, Start&) {
      WorkBudget boxes(effort_.box_steps / 4 / static_cast<std::int64_t>(kFinalists));
      search_by_boxes(partition, random, boxes, boxes.left(), terms_.enough);
    });
    keep_best();
  }

  /// Half of them; where there are blocks, boxes and parts divided anew make more of them.
  [[nodiscard]] std::int64_t ball_steps() const {
    return by_blocks_ ? effort_.search_steps / 5 : effort_.search_steps / 2;
  }

  void search() {
    Start& best = starts_.front();
    WorkingPartition partition(problem_, best.part);
    WorkBudget budget(ball_steps());
    search_by_balls(partition, random_, budget, terms_.enough);
    // The search looks around what it moved only.
    WorkBudget last(effort_.polish_steps);
    PairRefinement(partition, PairRefinement::kPatience)
        .improve_around(unsettled_parts(partition, best.settled), last);
    exchange_boxes(partition);
    keep(partition, best);
  }

  /// The parts that something moved in or out of since passes over pairs found nothing.
  static std::vector<std::uint32_t> unsettled_parts(const WorkingPartition& partition,
                                                    std::span<const std::uint32_t> settled) {
    std::vector<bool> moved(partition.parts(), settled.empty());
    for (std::uint32_t v = 0; v < settled.size(); ++v) {
      if (settled[v] == partition.part(v)) continue;
      moved[settled[v]] = true;
      moved[partition.part(v)] = true;
    }
    std::vector<std::uint32_t> parts;
    for (std::uint32_t part = 0; part < moved.size(); ++part) {
      if (moved[part]) parts.push_back(part);
    }
    return parts;
  }

  /// A third of the steps, half of them in vain at most.
  void exchange_boxes(WorkingPartition& partition) {
    WorkBudget budget(effort_.box_steps / 3);
    search_by_boxes(partition, random_, budget, budget.left() / 2, terms_.enough);
  }

  /// More where there are blocks, less where rows are packed anew.
  [[nodiscard]] std::int64_t divide_steps() const {
    if (by_blocks_) return effort_.divide_steps * 3 / 2;
    return packs_ ? effort_.divide_steps * 3 / 4 : effort_.divide_steps;
  }

  /// Where there are coordinates: dividing by METIS would take far longer.
  void divide() {
    if (problem_.coordinates.empty() || effort_.divide_steps == 0) return;
    Start& best = starts_.front();
    WorkingPartition partition(problem_, best.part);
    WorkBudget budget(divide_steps());
    const PartitionEffort annealed{
        .metis_starts = 0, .anneal_steps = effort_.part_steps, .kept = 1};
    const DivideParts divide = [&](const PartitionProblem& parts, const Shares& shares,
                                   std::uint64_t seed) {
      const std::vector<Shares> choices{shares};
      return find_partition(parts, choices, annealed, {.seed = seed});
    };
    divide_anew(partition, random_, effort_.part_steps, budget, terms_.enough, divide);
    exchange_boxes(partition);
    keep(partition, best);
  }

  const PartitionProblem& problem_;
  const PartitionEffort& effort_;
  const SearchTerms& terms_;
  Random random_;
  std::size_t kept_;        // starts that are refined: more where they come of stacks or blocks
  bool packs_ = false;      // whether rows are packed anew
  bool by_blocks_ = false;  // whether some come of blocks
  std::vector<Start> starts_;
};

}  // namespace

Partition find_partition(const PartitionProblem& problem, std::span<const Shares> choices,
                         const PartitionEffort& effort, const SearchTerms& terms) {
  ZONECUT_ENSURES(!choices.empty());
  if (problem.graph.vertices() == 0) return {{}, 0, "nothing to place"};
  return Search(problem, effort, terms).run(choices);
}

}  // namespace zonecut
