#pragma once
// Rows of two pieces or three, which are known better than others. How much of what a path lacks is
// taken off once (row_model.hpp) is one choice for a whole model, but what a row cuts is bounded at
// any: a row of two pieces by the half that either cuts alone, a row of many by what they cut where
// none lies at an end. So for each row of few pieces the choice that says most of it counts.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grid/row_model.hpp"

namespace zonecut {

/// What rows of few pieces cut more as they are in another model of the same rows than in `base`.
/// Where pieces cost less across rows there, that is taken off. O(length).
[[nodiscard]] RowExcess excess_in(const RowModel& other, const RowModel& base);

/// The most that any of them adds, and which one; 0 and none where all add less.
struct MostExcess {
  double value = 0;
  std::optional<std::size_t> which;
};
[[nodiscard]] MostExcess most_excess(std::span<const RowExcess> all,
                                     std::span<const std::uint32_t> pieces);
/// What this one adds.
[[nodiscard]] double sum_of(const RowExcess& excess, std::span<const std::uint32_t> pieces);
/// No term of such a sum is larger.
[[nodiscard]] double largest_term(std::span<const RowExcess> all);

}  // namespace zonecut
