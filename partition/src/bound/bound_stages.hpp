#pragma once
// The bounds of bound_pieces.hpp for rows that are no cycle, with prices for every row
// (stage_relaxation.hpp).
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "bound/stage_relaxation.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// The same rows at a share of prices of groups, or of places.
struct PricedStages {
  StageRows rows;
  std::int64_t added = 0;  ///< to the bound, in quarters; may be less than nothing
};

/// First with many vertices taken as one, then with fewer and fewer.
class StageBound {
 public:
  /// Any of the shares bounds the cut, the most likely first. Borrows `sizes`, which add up to all
  /// vertices. Ends at `enough`.
  StageBound(std::vector<PricedStages> shares, std::span<const std::uint32_t> sizes,
             std::int64_t enough);

  /// With first prices, at the most likely share. The bound stays 0 where the budget is too small.
  void begin(WorkBudget& budget);
  /// Goes on from there, as often as one likes; as long as it promises more than is `known`.
  void climb(WorkBudget& budget, std::int64_t known = 0);
  /// In quarters.
  [[nodiscard]] std::int64_t best() const { return best_; }

 private:
  [[nodiscard]] const PricedStages& share() const { return shares_[share_]; }
  [[nodiscard]] std::size_t narrower() const;
  void descend(std::size_t most_looks, WorkBudget& budget);
  void look(std::size_t width, int most_steps, WorkBudget& budget);
  [[nodiscard]] StageRelaxation relaxation() const;
  [[nodiscard]] PieceMultipliers prices_for(const StageRelaxation& relaxation,
                                            std::size_t width) const;
  void choose_share(WorkBudget& budget);
  void take(double bound);

  std::vector<PricedStages> shares_;
  std::span<const std::uint32_t> sizes_;
  std::int64_t enough_;
  std::size_t share_ = 0;
  std::size_t width_ = 0;    // vertices taken as one when prices were found last; none yet
  std::size_t looks_ = 0;    // there were
  PieceMultipliers prices_;  // found last
  std::int64_t best_ = 0;
};

}  // namespace zonecut
