#pragma once
// Rows of two pieces or three, which are known better than others. How much of what a path lacks is
// taken off once (row_model.hpp) is one choice for a whole model, but what a row cuts is bounded at
// any: a row of two pieces by the half that either cuts alone, a row of many by what they cut where
// none lies at an end. So for each row of few pieces the choice that says most of it counts.
//
// Where a row is made up of groups, pieces and the groups they touch are a graph of at most as many
// components as there are parts of the pieces that make up whole groups, so they touch at least
// pieces + groups − parts of them. A piece with little room to spare, 7 of a group of 16, touches
// few by itself; whether the others of its row leave it that room is known of a row alone.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "grid/row_model.hpp"

namespace zonecut {

/// What rows of few pieces cut more as they are in another model of the same rows than in `base`.
/// Where pieces cost less across rows there, that is taken off. O(length).
[[nodiscard]] RowExcess excess_in(const RowModel& other, const RowModel& base);
/// The same where a piece of `other` costs `touch` less for each group it touches. O(length).
[[nodiscard]] RowExcess excess_of_touches(const RowModel& other, const RowModel& base,
                                          std::size_t group, std::int64_t touch);
/// Those for which groups do not count.
[[nodiscard]] std::span<const RowExcess> without_groups(std::span<const RowExcess> all);

/// The most that any of them adds, and which one; 0 and none where all add less.
struct MostExcess {
  double value = 0;
  std::optional<std::size_t> which;
};
[[nodiscard]] MostExcess most_excess(std::span<const RowExcess> all,
                                     std::span<const std::uint32_t> pieces);
/// What this one adds. O(pieces), with groups 64 times that at most.
[[nodiscard]] double sum_of(const RowExcess& excess, std::span<const std::uint32_t> pieces);
/// No term of such a sum is larger.
[[nodiscard]] double largest_term(std::span<const RowExcess> all);

}  // namespace zonecut
