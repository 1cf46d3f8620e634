#pragma once
// The least half-border of one zone, whatever the others do: minimised over the shapes a zone can
// have on the rows of a model. Their sum, less the model's deduction, is a lower bound of the cut.
#include <cstdint>
#include <span>
#include <vector>

#include "grid/row_model.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// [s] for s = 0 … most vertices of the model in one zone, in quarters.
/// O(most · length · min(rows, most)); where that is more than 2·10⁷ the number of pieces is
/// relaxed, in O(most · length).
[[nodiscard]] std::vector<std::int64_t> zone_half_borders(const RowModel& model, std::size_t most);

struct SharedBound {
  std::int64_t quarters = 0;  ///< without the model's deduction
  Shares shares;              ///< that reach it, as far as the model goes
};

/// The least sum over all ways to spread `vertices` over zones of these capacities. With wide
/// tables shares count in steps of several vertices, which only lowers the bound.
[[nodiscard]] SharedBound cheapest_shares(std::span<const std::int64_t> half_border,
                                          std::span<const std::uint32_t> capacity,
                                          std::size_t vertices);

}  // namespace zonecut
