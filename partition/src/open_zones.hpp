#pragma once
// What zones of open sizes add to the constraints of the relaxations by pieces. A component of
// zones and rows has two zones at least, unless a single one adds up to whole rows; likewise of
// zones and groups.
#include <cmath>
#include <cstddef>
#include <map>
#include <span>
#include <vector>

#include "multipliers.hpp"
#include "relaxation_sums.hpp"
#include "row_model.hpp"
#include "zone_shapes.hpp"

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

/// What every size up to the largest costs, what rounding may add taken off.
inline std::vector<double> costs_of_sizes(const RowModel& model, ZoneShapes& shapes,
                                          std::size_t largest, double per_full_row, double touch) {
  std::vector<ZoneShapes::Zones> all;
  for (std::size_t size = 1; size <= largest; ++size) all.push_back({size, 0, {}});
  shapes.choose(all, per_full_row);
  std::vector<double> costs(largest + 1, kNotReached);
  costs.front() = 0;
  for (const ZoneShapes::Zones& zones : all) {
    const double cost = zones.shape.cost;
    if (cost == kNotReached) continue;
    costs[zones.size] = cost + price_of_size(model, zones.size, touch, shapes.run()) -
                        kRounding * (std::abs(cost) + shapes.magnitude(zones.size));
  }
  return costs;
}

/// The sizes as zones, how many of each; none of size 0.
inline std::vector<ZoneShapes::Zones> zones_of_sizes(std::span<const std::size_t> sizes) {
  std::map<std::size_t, double> counts;
  for (const std::size_t size : sizes) ++counts[size];
  std::vector<ZoneShapes::Zones> zones;
  for (const auto& [size, count] : counts) {
    if (size > 0) zones.push_back({size, count, {}});
  }
  return zones;
}

/// Work for sizes that add up, in times that of one choice.
inline constexpr std::size_t kSharing = 4;

}  // namespace zonecut
