#pragma once
// Recursive bisection with exact sizes: the leaves are the parts, and every inner vertex cuts its
// set in two by a sweep, so many to the left, the rest to the right. Which tree, which leaf where
// and which sweep are free: annealing over them (after Wong & Liu, DAC 1986, for floorplans) finds
// how the parts tile the coordinates.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "axis_orders.hpp"
#include "partition_problem.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class SlicingTree {
 public:
  /// A balanced tree over the parts in this order; every inner vertex takes the sweep that cuts
  /// least. Parts without a share are left out. Borrows everything.
  SlicingTree(const PartitionProblem& problem, const Shares& shares, std::span<const Sweep> sweeps,
              std::span<const std::uint32_t> parts_in_order);
  /// The same with one sweep everywhere: parts are filled along it, one after the other.
  SlicingTree(const PartitionProblem& problem, const Shares& shares, std::span<const Sweep> sweeps,
              std::span<const std::uint32_t> parts_in_order, std::size_t sweep);

  [[nodiscard]] std::int64_t cut() const noexcept { return cut_; }
  [[nodiscard]] const std::vector<std::uint32_t>& part() const noexcept { return part_; }

  /// Changes the tree at random, keeps what is better and some of what is not; ends with the best
  /// tree it met, or as soon as the cut is `enough`. `heat`: the rise of the cut, as a share of it,
  /// that is readily accepted at first.
  void anneal(double heat, Random& random, WorkBudget& budget, std::int64_t enough);

 private:
  struct Cell {
    std::int32_t parent = -1;
    std::int32_t left = -1;  ///< -1: a leaf
    std::int32_t right = -1;
    std::uint32_t sweep = 0;
    std::uint32_t part = 0;
    std::uint32_t size = 0;
    std::uint32_t begin = 0;  ///< of its range in order_
  };
  struct Change {  ///< enough to undo one
    std::vector<Cell> cells;
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> part;
    std::uint32_t begin = 0;
    std::int64_t cut = 0;
  };

  void start(std::span<const std::uint32_t> parts_in_order);
  std::int32_t build(std::span<const std::uint32_t> parts, std::int32_t parent);
  /// Cuts the set of a cell down to its leaves.
  void cut_down(std::int32_t cell, std::optional<std::uint32_t> fixed, bool choose);
  void split(const Cell& cell, std::uint32_t sweep);
  [[nodiscard]] std::uint32_t best_sweep(const Cell& cell);
  [[nodiscard]] std::int64_t border(const Cell& left, const Cell& right);
  [[nodiscard]] std::int64_t weight_cut_in(const Cell& cell) const;
  std::int32_t propose(Random& random);
  [[nodiscard]] std::int32_t common_ancestor(std::int32_t a, std::int32_t b) const;
  void resize_upwards(std::int32_t cell, std::int32_t top);
  std::int32_t rotate(std::int32_t cell);
  bool try_change(Random& random, double temperature, WorkBudget& budget);

  const PartitionProblem& problem_;
  const Shares& shares_;
  std::span<const Sweep> sweeps_;
  std::vector<Cell> cells_;
  std::vector<std::int32_t> leaves_;
  std::vector<std::int32_t> inner_;
  std::int32_t root_ = -1;
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> part_;
  std::int64_t cut_ = 0;
  Change undo_;
  std::vector<std::uint32_t> side_;  // marks of border()
  std::uint32_t mark_ = 0;
};

}  // namespace zonecut
