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
#include <span>
#include <string>

#include "partition_problem.hpp"
#include "row_model.hpp"

namespace zonecut {

/// With all multipliers 0: every zone takes the shape it likes best. In quarters, the model's
/// deductions taken off. O(length · largest size).
[[nodiscard]] std::int64_t separable_bound(const RowModel& model,
                                           std::span<const std::uint32_t> sizes);

/// In quarters, the model's deductions taken off. `sizes` add up to the model's vertices; zones of
/// size 0 do not count. O(rows · length · largest size) a step; does one step at least, and returns
/// the separable bound where the table would be too large.
[[nodiscard]] std::int64_t pieces_bound(const RowModel& model, std::span<const std::uint32_t> sizes,
                                        WorkBudget& budget);

/// The most groups into which the sizes can be divided so that each adds up to a multiple of
/// `length`: exact up to 16 sizes that are no multiples themselves, above it otherwise.
[[nodiscard]] std::size_t most_whole_groups(std::span<const std::uint32_t> sizes,
                                            std::size_t length);

}  // namespace zonecut
