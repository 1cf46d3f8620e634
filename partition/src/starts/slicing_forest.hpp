#pragma once
// Recursive bisection with exact sizes: the leaves are the parts, and every inner cell cuts its
// region in two by a sweep, so many vertices to the left, the rest to the right. Each grid of the
// model has a tree of its own over all parts; a part may have nothing of a grid. Which tree, which
// leaf where, which sweep, and how much of a part lies in which grid are free: annealing over them
// (after Wong & Liu, DAC 1986, for floorplans) finds how the parts tile the grids. A part may have
// several leaves in a grid: full rows here and what is left over in a row elsewhere.
#include <cstdint>
#include <limits>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "partition_problem.hpp"
#include "starts/line_model.hpp"
#include "starts/slicing_blocks.hpp"
#include "starts/slicing_regions.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class SlicingForest {
 public:
  /// Balanced trees over the parts in this order. `shares`: by grid, then by part. Borrows the
  /// model. `capacity` limits what a part may get from all grids together.
  SlicingForest(const LineModel& model, std::span<const std::uint32_t> capacity,
                std::span<const Shares> shares, std::span<const std::uint32_t> parts_in_order);

  /// The tree of the only grid becomes the planned one, which holds every part with a share.
  void follow(const SlicingPlan& plan, const Shares& shares);
  /// Every cell takes the sweep of this number, so that parts are filled one after the other.
  void sweep_all(std::size_t sweep);
  /// Every cell takes the sweep that cuts least.
  void sweep_best();

  /// Annealing may divide parts into this many pieces more than there are parts in the grids.
  void allow_pieces(std::size_t most);

  /// Edges between two pieces of a part in one grid count as cut.
  [[nodiscard]] std::int64_t cut() const noexcept {
    return model_.total_weight() - within_ - loose_within_;
  }
  /// By vertex.
  [[nodiscard]] std::vector<std::uint32_t> part() const;

  /// Changes the forest at random, keeps what is better and some of what is not; ends with the best
  /// it met, or as soon as the cut is `enough`. `heat`: the rise of the cut, as a share of it, that
  /// is readily accepted at first.
  void anneal(double heat, Random& random, WorkBudget& budget, std::int64_t enough);

 private:
  struct Cell {
    std::int32_t parent = -1;
    std::int32_t left = -1;  ///< -1: a leaf
    std::int32_t right = -1;
    std::uint32_t grid = 0;
    std::uint32_t sweep = 0;
    std::uint32_t part = 0;
    std::uint32_t size = 0;
    std::uint32_t changed = 0;  ///< the step that changed its shape
    std::uint32_t saved = 0;    ///< the step that wrote it down
    std::int64_t within = 0;    ///< weight within a leaf
  };
  struct Saved {
    std::int32_t index;
    Cell cell;
  };
  static constexpr double kAnyWeight = std::numeric_limits<double>::lowest();
  /// The narrow one where it holds the number of vertices.
  using Regions = std::variant<SlicingRegions<std::int16_t>, SlicingRegions<std::int32_t>>;

  [[nodiscard]] Cell& at(std::int32_t index) { return cells_[static_cast<std::size_t>(index)]; }
  [[nodiscard]] const Cell& at(std::int32_t index) const {
    return cells_[static_cast<std::size_t>(index)];
  }
  [[nodiscard]] const LineLayout::Grid& grid(const Cell& cell) const {
    return model_.grids()[cell.grid];
  }

  // slicing_forest.cpp: regions and their weights
  std::int32_t build(std::uint32_t grid, std::span<const std::uint32_t> parts, const Shares& shares,
                     std::int32_t parent);
  std::int32_t build(const SlicingPlan& plan, std::int32_t node, const Shares& shares,
                     std::int32_t parent);
  static Regions regions_of(const LineModel& model, std::size_t cells);
  std::pair<bool, bool> divide(auto& regions, std::int32_t index);
  [[nodiscard]] std::int64_t weigh(const auto& regions, std::int32_t leaf) const;
  bool cut_down(std::int32_t index);
  bool cut_down(auto& regions, std::int32_t index);
  [[nodiscard]] double hope_below(std::int32_t index) const;
  void cut_best(auto& regions, std::int32_t index);
  void weigh_all();

  // slicing_loose.cpp: edges one by one
  void weigh_loose();
  void reweigh_loose();
  void reweigh_loose(const auto& regions, std::int32_t leaf);
  [[nodiscard]] std::uint32_t part_at(const auto& regions, LineLayout::Place place) const;

  // slicing_anneal.cpp: steps
  void begin_step();
  void save(auto& regions, std::int32_t index) {
    Cell& cell = at(index);
    if (cell.saved == step_) return;
    saved_.push_back({index, cell});
    cell.saved = step_;
    regions.save(index);
  }
  void save(std::int32_t index);
  void undo();
  void change(Random& random);
  bool try_change(Random& random, double rise, double surprise);
  void remember_most_within();
  [[nodiscard]] double everything() const { return static_cast<double>(model_.total_weight()); }

  // slicing_moves.cpp: changes
  [[nodiscard]] std::int32_t common_ancestor(std::int32_t a, std::int32_t b) const;
  void resize_upwards(std::int32_t index, std::int32_t top);
  [[nodiscard]] std::int32_t near(std::int32_t index, Random& random) const;
  void change_sweep(Random& random);
  void exchange_leaves(Random& random);
  void exchange_subtrees(Random& random);
  void relocate_leaf(Random& random);
  void rotate(Random& random);
  [[nodiscard]] std::uint32_t amount_to_shift(const Cell& from, const Cell& to, std::uint32_t most,
                                              Random& random) const;
  void shift(Random& random);
  void replace_child(std::int32_t parent, std::int32_t old_child, std::int32_t new_child);

  // slicing_pieces.cpp: parts in several leaves of one grid
  void find_row_sizes();
  void save_lists();
  std::uint32_t piece_size(std::uint32_t grid, std::uint32_t size, Random& random);
  void split_leaf(Random& random);
  void merge_leaves(Random& random);
  void shift_between_pieces(Random& random);
  [[nodiscard]] std::pair<std::int32_t, std::int32_t> any_two_pieces(Random& random);
  [[nodiscard]] std::int32_t any_leaf(Random& random) const {
    return leaves_[random.below(leaves_.size())];
  }

  const LineModel& model_;
  std::vector<std::uint32_t> capacity_;
  std::vector<std::uint32_t> used_;  ///< by part
  bool spare_ = false;               ///< more room than vertices
  std::vector<Cell> cells_;
  std::vector<std::int32_t> roots_;  ///< by grid
  struct Lists {
    std::vector<std::int32_t> leaves, inner, unused;
  };
  std::vector<std::int32_t> leaves_, inner_;
  std::vector<std::int32_t> unused_;                   ///< cells for further pieces
  std::vector<std::vector<std::uint32_t>> row_sizes_;  ///< by grid
  bool even_rows_ = false;                             ///< all of a grid alike, and no trees
  std::vector<std::uint32_t> pieces_;                  ///< by grid, then by part
  bool in_pieces_ = false;                             ///< parts may be
  bool lists_saved_ = false;
  Lists saved_lists_;
  std::vector<std::uint32_t> grid_of_line_;
  std::int64_t within_ = 0;
  std::int64_t loose_within_ = 0;
  /// By grid, then by size: the most that a leaf of that size was seen to have within; all there is
  /// where none was.
  std::vector<std::vector<double>> most_within_;
  std::vector<std::uint32_t> loose_part_;
  Regions regions_;       ///< by cell
  std::size_t work_ = 0;  ///< steps since the last step was counted

  std::uint32_t step_ = 0;
  std::vector<std::int32_t> tops_;  ///< cells below which regions change
  std::vector<Saved> saved_;
  std::vector<std::uint32_t> saved_used_;
  std::vector<std::int32_t> weighed_;  ///< leaves whose region or part changed
  std::vector<std::pair<std::uint32_t, std::uint32_t>> saved_loose_;  ///< place, part
  double hope_ = 0;                   ///< what the leaves not yet weighed in this step may gain
  double least_within_ = kAnyWeight;  ///< a step that cannot have as much is given up
  std::int64_t saved_within_ = 0;
  std::int64_t saved_loose_within_ = 0;
};

}  // namespace zonecut
