#pragma once
// Rows that are known better than by what pieces cut one by one. How much of what a path lacks is
// taken off once (row_model.hpp) is one choice for a whole model, but what a row cuts is bounded at
// any: a row of two pieces by the half that either cuts alone, a row of many by what they cut where
// none lies at an end. So for each row of few pieces the choice that says most of it counts.
//
// Where a row is made up of groups, what any pieces cut that divide it is known of all of them
// together (row_divisions.hpp), or else how many groups they touch. Pieces and the groups they
// touch are a graph of at most as many components as there are parts of the pieces that make up
// whole groups, so they touch at least pieces + groups − parts of them. A piece with little room to
// spare, 7 of a group of 16, touches few by itself; whether the others of its row leave it that
// room is known of a row alone.
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "grid/divisions.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

/// What rows of few pieces cut more as they are in another model of the same rows than in `base`.
/// Where pieces cost less across rows there, that is taken off. O(length).
[[nodiscard]] RowExcess excess_in(const RowModel& other, const RowModel& base);
/// The same where a piece of `other` costs `touch` less for each group it touches, of rows of any
/// pieces. O(length).
[[nodiscard]] RowExcess excess_of_touches(const RowModel& other, const RowModel& base,
                                          std::size_t group, std::int64_t touch);
/// What rows of any pieces cut more than in `base`. Borrows the divisions, which have the prices of
/// groups that `base` has. O(length).
[[nodiscard]] RowExcess excess_of_divisions(Divisions& divisions, const RowModel& base);
/// Those that are sums over pieces.
[[nodiscard]] std::span<const RowExcess> sums_over_pieces(std::span<const RowExcess> all);
/// Steps of divisions since this was asked last.
[[nodiscard]] std::size_t take_work(std::span<const RowExcess> all);

/// The most that any of them adds, and which one; 0 and none where all add less.
struct MostExcess {
  double value = 0;
  std::optional<std::size_t> which;
};
/// Looks no further where it is `enough`.
[[nodiscard]] MostExcess most_excess(std::span<const RowExcess> all,
                                     std::span<const std::uint32_t> pieces,
                                     double enough = std::numeric_limits<double>::infinity());
/// What this one adds. O(pieces), with groups 64 times that at most, and what divisions take.
[[nodiscard]] double sum_of(const RowExcess& excess, std::span<const std::uint32_t> pieces);
/// No term of such a sum is larger.
[[nodiscard]] double largest_term(std::span<const RowExcess> all);

}  // namespace zonecut
