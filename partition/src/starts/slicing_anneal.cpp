// Annealing of a slicing forest: which change is tried, whether it is kept, how it is taken back.
#include <algorithm>
#include <cmath>

#include "starts/metropolis.hpp"
#include "starts/slicing_forest.hpp"

namespace zonecut {
namespace {

/// The last temperature, as a share of the first.
constexpr double kCold = 0.05;
/// Work of a change and of taking it back, apart from what it cuts and weighs.
constexpr std::size_t kPerStep = 120;

}  // namespace

void SlicingForest::begin_step() {
  ++step_;
  tops_.clear();
  saved_.clear();
  std::visit([](auto& regions) { regions.forget(); }, regions_);
  saved_within_ = within_;
  saved_used_.clear();
  lists_saved_ = false;
  weighed_.clear();
  saved_loose_.clear();
  saved_loose_within_ = loose_within_;
}

/// Writes a cell down once a step, before its first change.
void SlicingForest::save(std::int32_t index) {
  std::visit([&](auto& regions) { save(regions, index); }, regions_);
}

void SlicingForest::undo() {
  const auto restore = [&](auto& regions) {
    for (std::size_t i = 0; i < saved_.size(); ++i) {
      at(saved_[i].index) = saved_[i].cell;
      regions.restore(i, saved_[i].index);
    }
  };
  std::visit(restore, regions_);
  within_ = saved_within_;
  loose_within_ = saved_loose_within_;
  for (std::size_t i = saved_loose_.size(); i-- > 0;) {
    loose_part_[saved_loose_[i].first] = saved_loose_[i].second;
  }
  if (!saved_used_.empty()) used_ = saved_used_;
  if (lists_saved_) {
    leaves_ = saved_lists_.leaves;
    inner_ = saved_lists_.inner;
    unused_ = saved_lists_.unused;
  }
}

void SlicingForest::change(Random& random) {
  const bool movable = roots_.size() > 1 || spare_;
  if (in_pieces_ && random.below(4) == 0) {
    switch (random.below(4)) {
      case 0:
      case 1:
        return split_leaf(random);
      case 2:
        return merge_leaves(random);
      default:
        return shift_between_pieces(random);
    }
  }
  switch (random.below(movable ? 12 : 9)) {
    case 0:
    case 1:
    case 2:
      return change_sweep(random);
    case 3:
    case 4:
    case 5:
      return exchange_leaves(random);
    case 6:
      return rotate(random);
    case 7:
      return exchange_subtrees(random);
    case 8:
      return relocate_leaf(random);
    default:
      return shift(random);
  }
}

/// Changes the forest; true if the cut rises by no more than `rise`. A step is given up as soon as
/// too much is lost even if each leaf still to come gets as much as any leaf of its size ever had,
/// and all together `surprise` more.
bool SlicingForest::try_change(Random& random, double rise, double surprise) {
  const double least = static_cast<double>(within_ + loose_within_) - rise;
  begin_step();
  work_ = kPerStep;
  change(random);
  // What becomes of loose edges is known at the end only.
  least_within_ = loose_part_.empty() ? least - surprise : kAnyWeight;
  hope_ = 0;
  for (const std::int32_t top : tops_) hope_ += hope_below(top);
  const bool hopeful = std::ranges::all_of(tops_, [&](std::int32_t top) { return cut_down(top); });
  least_within_ = kAnyWeight;
  remember_most_within();
  if (!hopeful) return false;
  if (!loose_part_.empty()) reweigh_loose();
  return static_cast<double>(within_ + loose_within_) >= least;
}

/// Of the leaves weighed in this step.
void SlicingForest::remember_most_within() {
  for (const std::int32_t leaf : weighed_) {
    double& most = most_within_[at(leaf).grid][at(leaf).size];
    const auto within = static_cast<double>(at(leaf).within);
    most = most == everything() ? within : std::max(most, within);
  }
}

void SlicingForest::anneal(double heat, Random& random, WorkBudget& budget, std::int64_t enough) {
  if (leaves_.size() < 2 || inner_.empty()) return;
  std::vector<Cell> best_cells = cells_;
  Lists best_lists{leaves_, inner_, unused_};
  std::int64_t best = cut();
  Cooling cooling(budget, std::max(1e-9, heat * static_cast<double>(cut())), kCold, 1);
  while (!budget.spent() && best > enough) {
    const double temperature = cooling.next();
    // A rise is accepted with probability exp(-rise / temperature).
    const double rise = -temperature * std::log(1 - random.unit());
    const bool stays = try_change(random, rise, temperature);
    budget.spend(work_);
    if (!stays) {
      undo();
    } else if (cut() < best) {
      best = cut();
      best_cells = cells_;
      best_lists = {leaves_, inner_, unused_};
    }
  }
  cells_ = std::move(best_cells);
  leaves_ = std::move(best_lists.leaves);
  inner_ = std::move(best_lists.inner);
  unused_ = std::move(best_lists.unused);
  begin_step();
  for (Cell& cell : cells_) cell.changed = step_;
  for (const std::int32_t root : roots_) cut_down(root);
  weigh_all();
  std::ranges::fill(used_, 0u);
  for (const std::int32_t leaf : leaves_) used_[at(leaf).part] += at(leaf).size;
}

}  // namespace zonecut
