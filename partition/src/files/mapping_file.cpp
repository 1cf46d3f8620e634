#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "files/integer_lines.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {
namespace {

constexpr std::size_t kNoLine = 0;

}  // namespace

std::vector<std::uint32_t> parse_mapping(std::string_view text, const std::string& source,
                                         const SlotTreeFile& tree, std::size_t vertices) {
  std::vector<std::uint32_t> slot_of_number(tree.number_in_file.size());
  for (std::uint32_t slot = 0; slot < slot_of_number.size(); ++slot)
    slot_of_number[tree.number_in_file[slot]] = slot;
  ProblemList problems;
  IntegerLines lines(text, source, '%', problems);
  std::vector<std::size_t> line_of_number(slot_of_number.size(), kNoLine);
  std::vector<std::uint32_t> slots;
  std::vector<std::int64_t> numbers;
  std::size_t read = 0;
  while (lines.next(numbers, false)) {
    if (++read > vertices) {
      problems.add(lines.where(0), fmt::format("a line after the last of {} vertices", vertices));
      break;
    }
    if (numbers.size() != 1) {
      problems.add(
          lines.where(std::min<std::size_t>(numbers.size(), 1)),
          fmt::format("{} numbers; expected 1, the slot of vertex {}", numbers.size(), read));
    } else if (numbers[0] < 0 || std::cmp_greater_equal(numbers[0], slot_of_number.size())) {
      problems.add(lines.where(0), fmt::format("no slot {}; expected 0 to {}", numbers[0],
                                               slot_of_number.size() - 1));
    } else {
      const auto number = static_cast<std::size_t>(numbers[0]);
      if (line_of_number[number] != kNoLine) {
        problems.add(lines.where(0), fmt::format("slot {} is taken already, in line {}", number,
                                                 line_of_number[number]));
      }
      line_of_number[number] = lines.line();
      slots.push_back(slot_of_number[number]);
    }
  }
  if (read < vertices) {
    problems.add(lines.where(0),
                 fmt::format("the file ends after {} of {} vertices", read, vertices));
  }
  problems.throw_if_any();
  return slots;
}

}  // namespace zonecut
