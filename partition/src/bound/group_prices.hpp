#pragma once
// Groups of axis 0 (cliques of experts, rings of context parallelism) are filled exactly too: a
// group that several zones divide is made up of their pieces, and zones and the groups they touch
// form a graph of few components. Both facts get multipliers, as rows do in bound_pieces.hpp; a
// piece of a group then costs its zone less than it cuts, and what that gives away is added up
// again over the groups. Any multipliers give a valid bound.
#include <cstdint>
#include <span>
#include <vector>

#include "bound/filling.hpp"
#include "grid/row_model.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// In quarters, like all of a row model.
struct GroupPrices {
  std::vector<std::int64_t> refund;  ///< [k]: what a piece of k vertices costs less than half of
                                     ///< what it cuts; nothing where k is 0 or the whole group
  std::int64_t constant = 0;         ///< what the groups add to a bound with these prices
  std::int64_t touch = 0;            ///< price of a piece more than there are divided groups
  std::vector<std::size_t> pieces;   ///< of a divided group, where those take off something
};

class GroupMultipliers {
 public:
  /// Those that make most of the groups alone: of group_model, with these zones. Spends the budget.
  GroupMultipliers(const RowModel& groups, std::span<const std::uint32_t> sizes, WorkBudget& budget,
                   Filling filling = Filling::Full);

  /// So many times the multipliers. O(size of a group, squared).
  [[nodiscard]] GroupPrices times(double scale) const;
  /// Others: of pieces, and of a touch, at least 0. Those out of all proportion count as less.
  [[nodiscard]] GroupPrices at(std::vector<std::int64_t> refund, std::int64_t touch) const;
  [[nodiscard]] double touch() const { return touch_; }
  [[nodiscard]] std::int64_t groups() const { return groups_; }
  /// Pieces of divided groups there are at least, less divided groups; none are known where sizes
  /// are open, for zones pay for that by their sizes (RowModel::per_divider).
  [[nodiscard]] std::int64_t divided() const { return divided_; }
  /// Whether the groups alone cut more than their zones would choose to.
  [[nodiscard]] bool worthwhile() const { return worthwhile_; }

 private:
  /// So much that sums over a row stay exact in doubles, those over all groups in 64 bits.
  [[nodiscard]] std::int64_t most_exact() const;

  std::vector<double> refund_;  ///< by vertices, of none to all of a group
  double touch_ = 0;
  std::int64_t groups_ = 0;
  std::int64_t divided_ = 0;
  bool worthwhile_ = false;
};

}  // namespace zonecut
