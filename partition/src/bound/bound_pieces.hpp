#pragma once
// A stronger bound than the separable one, for zones whose sizes are known: zones are no longer
// free to each take the shape it likes best. Two facts tie them together, and each gets a
// multiplier:
//   - a row that several zones divide is filled exactly: pieces of x vertices that zones hold are
//     pieces of x in the patterns of rows (multiplier of x);
//   - zones and the rows they touch form a graph of few components, hence of many edges
//     (multiplier `touch`).
// Any multipliers give a valid bound (Lagrangian relaxation); a subgradient method looks for good
// ones.
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "bound/filling.hpp"
#include "bound/multipliers.hpp"
#include "grid/row_model.hpp"
#include "partition_problem.hpp"

namespace zonecut {

/// With all multipliers 0: every zone takes the shape it likes best. In quarters, the model's
/// deductions taken off. O(length · largest size).
[[nodiscard]] std::int64_t separable_bound(const RowModel& model,
                                           std::span<const std::uint32_t> sizes,
                                           Filling filling = Filling::Full);

struct PiecesBound {
  std::int64_t quarters = 0;  ///< may be below 0 where groups of a row have prices
  PieceMultipliers multipliers;
};
/// The same units. `sizes` add up to the model's vertices; zones of size 0 do not count.
/// `incidence` is that of these sizes and rows (incidence.hpp). The search ends at `enough`, with
/// the budget or after so many steps. `start`: multipliers to begin with, of a model of as long
/// rows; empty: none. O(length · largest size) a step, 1 step at least; none where that is more
/// than the budget.
[[nodiscard]] std::optional<PiecesBound> pieces_bound(const RowModel& model,
                                                      std::span<const std::uint32_t> sizes,
                                                      const Incidence& incidence,
                                                      WorkBudget& budget, std::int64_t enough,
                                                      const PieceMultipliers& start = {},
                                                      int most_steps = 400);

/// The same for zones that may stay empty in part: a bound for every choice of shares.
[[nodiscard]] std::optional<PiecesBound> open_pieces_bound(const RowModel& model,
                                                           std::span<const std::uint32_t> capacity,
                                                           WorkBudget& budget, std::int64_t enough);

}  // namespace zonecut
