#pragma once
// A grid of traffic seen as equal rows: what it costs a zone to hold some vertices of a row, and to
// end between rows. All bounds are computed on this. Weights count in quarters of a unit, so that
// halves of halves stay whole.
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "grid/grid_traffic.hpp"
#include "grid/row_cut.hpp"

namespace zonecut {

class Divisions;

/// A share of twice what rows cut by how pieces divide them.
struct SharedDivisions {
  Divisions* all = nullptr;
  double share = 1;
};

/// What a row that some pieces divide cuts more than the model says otherwise, at least: the sum of
/// `piece` over their sizes, and `row`. Of either sign; whatever other rows cost.
struct RowExcess {
  std::vector<double> piece;  ///< [x]
  double row = 0;
  std::size_t group = 0;  ///< vertices of a group, where how pieces make up groups counts
  double whole = 0;       ///< then so much less for each of the most parts into which the pieces
                          ///< fall that make up whole groups
  std::vector<SharedDivisions> divisions{};  ///< and half of these, where any are known
  /// Whether it is no sum over pieces.
  [[nodiscard]] bool is_of_all_pieces() const { return group > 0 || !divisions.empty(); }
};

struct RowModel {
  std::size_t rows = 0;              ///< in cyclic order
  std::size_t length = 0;            ///< vertices of a row
  std::vector<std::int64_t> inside;  ///< [x]: least weight that a set of x vertices of a row cuts,
                                     ///< less twice the refunds of its groups: of either sign
  std::vector<std::int64_t> across;  ///< [m]: half the weight at both ends of a run of rows in
                                     ///< which a zone's largest piece has exactly m vertices,
                                     ///< beside what that piece cuts; may fall
  std::vector<std::int64_t> around;  ///< [m]: what of that a zone in every row does not cut that
                                     ///< has at least m vertices of each; rises
  std::int64_t per_divided_row = 0;  ///< what the cut of a row that several zones share lacks
                                     ///< against a cycle
  std::int64_t deduction = 0;        ///< what the whole cut lacks against rows in cyclic order
  std::int64_t lacking_across = 0;   ///< of the deduction, for each place of a row
  std::int64_t lacking_inside = 0;   ///< of per_divided_row, where pieces may bear it instead
  std::int64_t lacking_border = 0;   ///< of an edge that would close a path of groups
  std::size_t group = 0;             ///< vertices of a group, where zones pay for dividing groups
  std::int64_t per_divider = 0;   ///< a zone that does not hold whole groups' worth, at least; only
                                  ///< where sizes are open
  std::vector<RowExcess> excess;  ///< any of them counts; those of all pieces come last
  std::string name;
};

/// The same with only this share of what a path lacks against a cycle taken off once; the rest is
/// taken off at every end of a piece or of a run of rows. Any share from 0 to 1 gives a bound.
[[nodiscard]] RowModel with_closing(RowModel model, double share);

enum class Rows {
  Stages,       ///< along the faster axis, one for each place of the slower
  Replicas,     ///< along the slower
  SharedLines,  ///< trees along axis 1, their edges shared out evenly (line_cut.hpp)
};

/// The grid seen as rows; either way gives a bound. `refund`, by the size of a piece of a group of
/// axis 0: what such a piece costs less than half of what it cuts (group_prices.hpp); empty: none.
/// `closing`: of rows that are paths of several groups, the vertices at either end have a price,
/// this share of half of what the closing edge lacks; all of a row have them, which is taken off
/// every divided row. None where the grid has no such rows.
[[nodiscard]] std::optional<RowModel> row_model(const GridTraffic& grid, Rows rows,
                                                std::span<const std::int64_t> refund = {},
                                                double closing = 1);

/// The rows that are one line along axis 1 each, with that line's own edges alone. None where the
/// grid has no lines, or rows hold more than one.
[[nodiscard]] std::optional<Rows> rows_of_lines(const GridTraffic& grid);

/// Whether there are rows by replica that are made up of groups of axis 0.
[[nodiscard]] bool has_group_replicas(const GridTraffic& grid);

/// A row model, and how many groups of a row have k vertices in the cheapest piece of x:
/// [x · (size of a group + 1) + k].
struct CountedRows {
  RowModel model;
  std::vector<std::uint32_t> groups;  ///< of a piece that cuts inside[x]
  std::vector<std::uint32_t> ended;   ///< of one that pays across[x] besides
};
/// Whether there are such rows: by replica, or by stage where groups are cliques or neighbouring
/// ones are joined place by place.
[[nodiscard]] bool has_counted_groups(const GridTraffic& grid, Rows rows);
/// Of a grid that has them. `closing`: the share of row_model for replicas, of with_closing for
/// stages.
[[nodiscard]] CountedRows counted_rows(const GridTraffic& grid, Rows rows,
                                       std::span<const std::int64_t> refund, double closing);
/// Steps of that.
[[nodiscard]] std::size_t counted_rows_steps(const GridTraffic& grid, Rows rows);

/// The groups of axis 0 in a row, one beside the other. None where what they cut is not known by
/// how many vertices of them are taken.
[[nodiscard]] std::optional<CellRing> cells_of_rows(const GridTraffic& grid, Rows rows,
                                                    std::span<const std::int64_t> refund = {});

/// Groups of axis 0 as rows that nothing joins. None without such groups.
[[nodiscard]] std::optional<RowModel> group_model(const GridTraffic& grid);

}  // namespace zonecut
