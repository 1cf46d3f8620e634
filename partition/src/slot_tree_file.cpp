#include <fmt/format.h>

#include <map>
#include <optional>

#include "integer_lines.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostSlots = 1 << 22;
constexpr std::size_t kZoneLevel = 1;

/// "1:10:100:1000" counts from the rack outwards; the tree wants it from the root inwards.
std::vector<std::int64_t> from_the_root(std::span<const std::int64_t> distances) {
  ProblemList problems;
  const auto where = [](std::size_t i) { return fmt::format("distances[{}]", i); };
  if (distances.size() != 4) {
    throw InputError("distances", fmt::format("{} numbers; expected 4: rack, zone, building, site",
                                              distances.size()));
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] < 0) problems.add(where(i), fmt::format("{} is negative", distances[i]));
    if (i > 0 && distances[i] < distances[i - 1]) {
      problems.add(where(i), fmt::format("{} is less than {} before it; distances grow outwards",
                                         distances[i], distances[i - 1]));
    }
  }
  problems.throw_if_any();
  return {distances.rbegin(), distances.rend()};
}

/// Collects racks; sees to it that buildings and zones are contiguous and zones have one building.
class TreeLines {
 public:
  TreeLines(const IntegerLines& lines, ProblemList& problems) : lines_(lines), problems_(problems) {
    tree_.parent.resize(3);
    tree_.cut_level = kZoneLevel;
  }

  void add(std::int64_t building, std::int64_t zone, std::int64_t free) {
    const bool new_building = building != last_building_;
    const bool new_zone = new_building || zone != last_zone_;
    if (new_building && !buildings_.emplace(building, lines_.line()).second) {
      problems_.add(lines_.where(0), again("building", building, buildings_.at(building)));
    } else if (new_zone && !zones_.emplace(zone, lines_.line()).second) {
      problems_.add(lines_.where(1), again("zone", zone, zones_.at(zone)));
    }
    last_building_ = building;
    last_zone_ = zone;
    if (new_building) tree_.parent[0].push_back(0);
    if (new_zone) tree_.parent[1].push_back(static_cast<std::uint32_t>(tree_.domains(0) - 1));
    tree_.parent[2].push_back(static_cast<std::uint32_t>(tree_.domains(1) - 1));
    slots_ += free;
    if (slots_ > kMostSlots) {
      problems_.add(lines_.where(2), fmt::format("more than {} free servers in all", kMostSlots));
      slots_ = 0;
    }
    tree_.free.push_back(static_cast<std::uint32_t>(free));
  }

  [[nodiscard]] SlotTree take(std::vector<std::int64_t> distance) {
    tree_.distance = std::move(distance);
    return std::move(tree_);
  }

 private:
  static std::string again(const char* kind, std::int64_t name, std::size_t line) {
    return fmt::format(
        "{} {} began in line {} and others came between; its racks must stand together", kind, name,
        line);
  }

  const IntegerLines& lines_;
  ProblemList& problems_;
  SlotTree tree_;
  std::map<std::int64_t, std::size_t> buildings_;  // line of the first rack
  std::map<std::int64_t, std::size_t> zones_;
  std::optional<std::int64_t> last_building_;
  std::optional<std::int64_t> last_zone_;
  std::int64_t slots_ = 0;
};

}  // namespace

SlotTree parse_slot_tree(std::string_view text, const std::string& source,
                         std::span<const std::int64_t> distances) {
  std::vector<std::int64_t> distance = from_the_root(distances);
  ProblemList problems;
  IntegerLines lines(text, source, '%', problems);
  TreeLines tree(lines, problems);
  std::vector<std::int64_t> numbers;
  while (lines.next(numbers, false)) {
    if (numbers.size() != 3) {
      problems.add(lines.where(std::min<std::size_t>(numbers.size(), 3)),
                   fmt::format("{} numbers; expected 3: building, zone, free servers of a rack",
                               numbers.size()));
    } else if (numbers[2] < 0 || numbers[2] > kMostSlots) {
      problems.add(lines.where(2),
                   fmt::format("{} free servers; expected 0 to {}", numbers[2], kMostSlots));
    } else {
      tree.add(numbers[0], numbers[1], numbers[2]);
    }
  }
  problems.throw_if_any();
  SlotTree result = tree.take(std::move(distance));
  if (result.leaves() == 0) {
    throw InputError(source + ":1:1", "the file has no rack; expected 'building zone free' a line");
  }
  return result;
}

}  // namespace zonecut
