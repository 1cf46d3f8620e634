#include <fmt/format.h>

#include <limits>

#include "files/integer_lines.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

std::vector<Coordinates> parse_coordinates(std::string_view text, const std::string& source,
                                           std::size_t vertices) {
  ProblemList problems;
  IntegerLines lines(text, source, '%', problems);
  std::vector<Coordinates> coordinates;
  std::vector<std::int64_t> numbers;
  while (lines.next(numbers, false)) {
    if (numbers.size() != 3) {
      problems.add(lines.where(std::min<std::size_t>(numbers.size(), 3)),
                   fmt::format("{} numbers; expected 3, the place on each axis", numbers.size()));
      numbers.resize(3, 0);
    }
    Coordinates place{};
    for (std::size_t axis = 0; axis < 3; ++axis) {
      if (numbers[axis] < -1 || numbers[axis] > std::numeric_limits<int>::max() - 1) {
        problems.add(lines.where(axis),
                     fmt::format("{}; expected a place from 0, or -1 where the axis does not apply",
                                 numbers[axis]));
        numbers[axis] = 0;
      }
      place[axis] = static_cast<int>(numbers[axis]);
    }
    if (coordinates.size() < vertices)
      coordinates.push_back(place);
    else if (coordinates.size() == vertices) {
      problems.add(lines.where(0), fmt::format("a line after the last of {} vertices", vertices));
      break;
    }
  }
  if (coordinates.size() < vertices) {
    problems.add(lines.where(0), fmt::format("the file ends after {} of {} vertices",
                                             coordinates.size(), vertices));
  }
  problems.throw_if_any();
  return coordinates;
}

}  // namespace zonecut
