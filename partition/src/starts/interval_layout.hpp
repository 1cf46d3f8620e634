#pragma once
// Places for what parts hold of rows that are rings or paths (interval_packing.hpp): in which order
// they lie in each row, and where the first of them begins, so that neighbouring rows differ in few
// places. Row by row, from many ways to lay the rows before to many ways to lay these (beam search,
// Lowerre 1976).
#include <cstdint>

#include "partition_problem.hpp"
#include "starts/interval_packing.hpp"
#include "starts/laid_rows.hpp"

namespace zonecut {

struct IntervalLayout {
  LaidRows rows;
  std::int64_t cut = 0;
};

/// Rows of kLongestRow places at most. O(rows · ways · ways to lay a row), a few hundred for few
/// parts, the square of its parts for many; ends early, with more cut, where the budget is spent.
[[nodiscard]] IntervalLayout lay_intervals(const IntervalRows& rows, const HeldRows& held,
                                           WorkBudget& budget);

}  // namespace zonecut
