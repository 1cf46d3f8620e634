#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "files/integer_lines.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kMostSlots = 1 << 22;
constexpr std::size_t kZoneLevel = 1;

/// "1:10:100:1000" counts from the rack outwards; the tree wants it from the root inwards.
std::vector<std::int64_t> from_the_root(std::span<const std::int64_t> distances,
                                        bool one_building) {
  ProblemList problems;
  const auto where = [](std::size_t i) { return fmt::format("distances[{}]", i); };
  if (distances.size() != 4 && (distances.size() != 3 || !one_building)) {
    throw InputError("distances", fmt::format("{} numbers; expected {}: rack, zone, building{}",
                                              distances.size(), one_building ? "3 or 4" : "4",
                                              one_building ? "; site" : ", site"));
  }
  for (std::size_t i = 0; i < distances.size(); ++i) {
    if (distances[i] < 0) problems.add(where(i), fmt::format("{} is negative", distances[i]));
    if (i > 0 && distances[i] < distances[i - 1]) {
      problems.add(where(i), fmt::format("{} is less than {} before it; distances grow outwards",
                                         distances[i], distances[i - 1]));
    }
  }
  problems.throw_if_any();
  std::vector<std::int64_t> inwards(distances.rbegin(), distances.rend());
  if (inwards.size() == 3) inwards.insert(inwards.begin(), inwards.front());
  return inwards;
}

struct Rack {
  std::size_t building;  ///< by order of first appearance
  std::size_t zone;      ///< likewise
  std::uint32_t free;
  std::uint32_t first_slot;  ///< in the numbering of the file
};

/// Collects racks in any order; sees to it that a zone has one building.
class RackLines {
 public:
  RackLines(const IntegerLines& lines, ProblemList& problems)
      : lines_(lines), problems_(problems) {}

  void add(std::int64_t building, std::int64_t zone, std::int64_t free) {
    const std::size_t b = buildings_.try_emplace(building, buildings_.size()).first->second;
    const auto [entry, is_new] = zones_.try_emplace(zone, Zone{zones_.size(), b, lines_.line()});
    if (!is_new && entry->second.building != b) {
      problems_.add(lines_.where(1), fmt::format("zone {} stands in another building in line {}; "
                                                 "a zone has one building",
                                                 zone, entry->second.line));
    }
    if (slots_ + free > kMostSlots) {
      problems_.add(lines_.where(2), fmt::format("more than {} free servers in all", kMostSlots));
      slots_ = 0;
    }
    racks_.push_back({b, entry->second.index, static_cast<std::uint32_t>(free),
                      static_cast<std::uint32_t>(slots_)});
    slots_ += free;
  }

  [[nodiscard]] bool one_building() const { return buildings_.size() == 1; }

  /// Racks sorted into buildings and zones, each in the order of its first line.
  [[nodiscard]] SlotTreeFile take(std::vector<std::int64_t> distance) {
    std::stable_sort(racks_.begin(), racks_.end(), [](const Rack& a, const Rack& b) {
      return std::tie(a.building, a.zone) < std::tie(b.building, b.zone);
    });
    SlotTreeFile file;
    SlotTree& tree = file.tree;
    tree.parent.resize(3);
    tree.cut_level = kZoneLevel;
    tree.distance = std::move(distance);
    const Rack* last = nullptr;
    for (const Rack& rack : racks_) {
      if (last == nullptr || last->building != rack.building) tree.parent[0].push_back(0);
      if (last == nullptr || last->zone != rack.zone) {
        tree.parent[1].push_back(static_cast<std::uint32_t>(tree.domains(0) - 1));
      }
      tree.parent[2].push_back(static_cast<std::uint32_t>(tree.domains(1) - 1));
      tree.free.push_back(rack.free);
      for (std::uint32_t i = 0; i < rack.free; ++i) {
        file.number_in_file.push_back(rack.first_slot + i);
      }
      last = &rack;
    }
    return file;
  }

 private:
  struct Zone {
    std::size_t index;
    std::size_t building;
    std::size_t line;  ///< of its first rack
  };
  const IntegerLines& lines_;
  ProblemList& problems_;
  std::vector<Rack> racks_;
  std::map<std::int64_t, std::size_t> buildings_;
  std::map<std::int64_t, Zone> zones_;
  std::int64_t slots_ = 0;
};

}  // namespace

SlotTreeFile parse_slot_tree(std::string_view text, const std::string& source,
                             std::span<const std::int64_t> distances) {
  ProblemList problems;
  IntegerLines lines(text, source, '%', problems);
  RackLines racks(lines, problems);
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
      racks.add(numbers[0], numbers[1], numbers[2]);
    }
  }
  problems.throw_if_any();
  SlotTreeFile file = racks.take(from_the_root(distances, racks.one_building()));
  if (file.tree.leaves() == 0) {
    throw InputError(source + ":1:1", "the file has no rack; expected 'building zone free' a line");
  }
  return file;
}

}  // namespace zonecut
