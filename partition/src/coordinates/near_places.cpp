#include "coordinates/near_places.hpp"

#include <algorithm>
#include <cstddef>

namespace zonecut {

std::vector<Coordinates> near_places(std::span<const Coordinates> coordinates) {
  std::vector<Coordinates> result(coordinates.begin(), coordinates.end());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    std::vector<int> places;
    for (const Coordinates& each : coordinates) {
      if (each[axis] >= 0) places.push_back(each[axis]);
    }
    std::ranges::sort(places);
    places.erase(std::ranges::unique(places).begin(), places.end());
    if (places.empty() || static_cast<std::size_t>(places.back()) < coordinates.size()) continue;
    for (Coordinates& each : result) {
      if (each[axis] < 0) continue;
      each[axis] = static_cast<int>(std::ranges::lower_bound(places, each[axis]) - places.begin());
    }
  }
  return result;
}

}  // namespace zonecut
