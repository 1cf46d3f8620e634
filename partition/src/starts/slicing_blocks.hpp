#pragma once
// Slicing trees for jobs whose rows cut little at few places only (double binary trees): zones are
// grouped so that their sizes add up to blocks that begin and end at such places, from the whole
// grid down. A block is divided across the stages, anywhere, or along a row, near a cheap place.
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "starts/line_model.hpp"
#include "zonecut/base/random.hpp"

namespace zonecut {

/// A slicing tree of one grid.
struct SlicingPlan {
  struct Node {
    std::int32_t left = -1;  ///< -1: a leaf
    std::int32_t right = -1;
    std::uint32_t part = 0;
    bool along = false;  ///< positions are divided, else lines
  };
  std::vector<Node> nodes;  ///< the root first
  double cost = 0;          ///< about what it cuts
};

/// The cheapest of those met, at most so many, best first, each with every part that has a share.
/// None where the model is not a single grid of like lines with trees, rows are longer than 1,024,
/// or there are fewer than 6 or more than 32 parts. Costs leave out what the estimate cannot see:
/// borders that are not straight. Stops soon after the budget is spent.
[[nodiscard]] std::vector<SlicingPlan> block_plans(const LineModel& model, const Shares& shares,
                                                   std::size_t wanted, Random random,
                                                   WorkBudget budget);

}  // namespace zonecut
