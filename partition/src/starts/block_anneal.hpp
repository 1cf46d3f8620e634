#pragma once
// Parts for the blocks of a BlockGraph, by annealing: a block changes its part, columns of blocks
// in neighbouring rows do so two at a time, and aligned intervals of some rows change places. What
// parts hold more or less than their shares costs, but is not ruled out. Few large blocks find out
// which parts lie side by side; divided again and again, down to single vertices, the borders and
// the vertices that had better lie apart from the rest of their part (the roots of trees).
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "starts/block_graph.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

class BlockAnneal {
 public:
  /// Borrows the graph, shares and random numbers. `part` by block, below the number of shares.
  BlockAnneal(const BlockGraph& graph, std::span<const std::uint32_t> shares,
              std::vector<std::uint16_t> part, Random& random);

  /// From one heat to another, in units of what the edges of a block weigh. `rough`: intervals
  /// often change places. Spends the budget.
  void anneal(WorkBudget& budget, double hot, double cold, bool rough);

  /// By block. Nothing is left.
  [[nodiscard]] std::vector<std::uint16_t> take_parts() { return std::move(part_); }

 private:
  struct Run {  ///< blocks of a column in neighbouring rows
    std::uint32_t column = 0;
    std::uint32_t low = 0;
    std::uint32_t high = 0;  ///< row after the last
    [[nodiscard]] std::uint32_t rows() const { return high - low; }
  };
  struct Change {
    std::uint32_t block = 0;
    std::uint16_t before = 0;
  };

  void step(bool rough);
  void move_one();
  void exchange_runs();
  void exchange_intervals();
  [[nodiscard]] bool touches(std::uint32_t block, std::uint16_t part) const;
  /// A block like this one, of the other part, that lies beside this one's; else the block itself.
  std::uint32_t draw_partner(std::uint32_t block, std::uint16_t other);
  void keep_or_take_back(std::int64_t rise);
  std::int64_t move(std::uint32_t block, std::uint16_t to);
  [[nodiscard]] std::int64_t rise(std::uint32_t block, std::uint16_t to);
  [[nodiscard]] double uneven(std::uint16_t part, std::int64_t more) const;
  bool accepts(double rise);
  void take_back();
  [[nodiscard]] std::uint32_t at(std::uint32_t row, std::uint32_t column) const {
    return row * graph_.columns() + column;
  }
  std::uint32_t draw_block() { return static_cast<std::uint32_t>(random_.below(part_.size())); }
  std::uint32_t draw_row() { return static_cast<std::uint32_t>(random_.below(graph_.rows())); }
  std::uint16_t part_beside(std::uint32_t block);
  /// The run of the block's part, so many rows at most.
  [[nodiscard]] Run grow(std::uint32_t block, std::uint32_t most, bool up_first) const;

  const BlockGraph& graph_;
  std::span<const std::uint32_t> shares_;
  std::vector<std::uint16_t> part_;
  std::vector<std::int64_t> size_;
  Random& random_;
  double uneven_;  // cost of a part that is off by a block
  double heat_ = 0;
  std::size_t work_ = 0;         // of a step
  std::vector<Change> changes_;  // of a step
};

}  // namespace zonecut
