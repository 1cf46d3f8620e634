#pragma once
// What zones of open sizes add to the constraints of the relaxations by pieces. A component of
// zones and rows has two zones at least, unless a single one adds up to whole rows; likewise of
// zones and groups.
#include <cstddef>
#include <span>
#include <vector>

#include "bound/multipliers.hpp"
#include "bound/zone_shapes.hpp"
#include "grid/relaxation_sums.hpp"
#include "grid/row_model.hpp"

namespace zonecut {

/// Zones and rows as far as they are known whatever sizes are chosen.
[[nodiscard]] inline Incidence open_incidence(const RowModel& model) { return {model.rows, 0}; }

/// Whether zones of this size cannot hold whole groups alone.
[[nodiscard]] inline bool divides_groups(const RowModel& model, std::size_t size) {
  return model.group > 0 && size % model.group != 0;
}

/// What a zone of this size pays besides its shape.
[[nodiscard]] inline double price_of_size(const RowModel& model, std::size_t size, double touch,
                                          double run) {
  const double dividing = divides_groups(model, size) ? in_quarters(model.per_divider) : 0;
  return (size % model.length == 0 ? -2 * run : touch / 2 - run) + dividing;
}

/// So many zones of this size.
inline void count_size(const RowModel& model, std::size_t size, double count,
                       PieceViolation& violation) {
  const bool whole = size % model.length == 0;
  violation.touch += whole ? 0 : count / 2;
  violation.run -= count * (whole ? 2 : 1);
}

/// What every size up to the largest costs, what rounding may add taken off. The shapes have
/// prices.
[[nodiscard]] std::vector<double> costs_of_sizes(const RowModel& model, ZoneShapes& shapes,
                                                 std::size_t largest, double per_full_row,
                                                 double touch);

/// The sizes as zones, how many of each; none of size 0.
[[nodiscard]] std::vector<ZoneShapes::Zones> zones_of_sizes(std::span<const std::size_t> sizes);

/// Work for sizes that add up: so many times that of one choice of shapes.
inline constexpr std::size_t kChoicesPerSharing = 4;

}  // namespace zonecut
