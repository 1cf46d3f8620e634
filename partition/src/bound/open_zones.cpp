#include "bound/open_zones.hpp"

#include <cmath>
#include <map>

namespace zonecut {

std::vector<double> costs_of_sizes(const RowModel& model, ZoneShapes& shapes, std::size_t largest,
                                   double per_full_row, double touch) {
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

std::vector<ZoneShapes::Zones> zones_of_sizes(std::span<const std::size_t> sizes) {
  std::map<std::size_t, double> counts;
  for (const std::size_t size : sizes) ++counts[size];
  std::vector<ZoneShapes::Zones> zones;
  for (const auto& [size, count] : counts) {
    if (size > 0) zones.push_back({size, count, {}});
  }
  return zones;
}

}  // namespace zonecut
