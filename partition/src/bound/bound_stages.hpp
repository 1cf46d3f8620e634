#pragma once
// The bounds of bound_pieces.hpp for rows that are no cycle, with prices for every row
// (stage_relaxation.hpp). In quarters.
#include <cstdint>
#include <optional>
#include <span>

#include "bound/stage_relaxation.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// Without prices: every zone takes the shape and the place it likes best. 0 where that is more
/// than the budget. O(rows · length · largest size).
[[nodiscard]] std::int64_t separable_stages_bound(const StageRows& rows,
                                                  std::span<const std::uint32_t> sizes,
                                                  WorkBudget& budget);

/// With prices. Where several vertices divide a row, prices are first sought with that many taken
/// as one. Gives up where it does not begin about at `known`, another bound, and is not near it
/// with the first prices; ends at `enough`. None where one step is more than the budget.
[[nodiscard]] std::optional<std::int64_t> stages_bound(const StageRows& rows,
                                                       std::span<const std::uint32_t> sizes,
                                                       WorkBudget& budget, std::int64_t known,
                                                       std::int64_t enough);

}  // namespace zonecut
