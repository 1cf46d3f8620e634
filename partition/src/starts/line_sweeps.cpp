#include "starts/line_sweeps.hpp"

#include <algorithm>
#include <numeric>

namespace zonecut {
namespace {

constexpr std::size_t kAlong = 2;  ///< stands for positions among the axes of `row`

class SweepBuilder {
 public:
  explicit SweepBuilder(std::span<const LineKey> lines) : lines_(lines) {}

  /// `order`: outermost first, of 0 and 1 (entries of `row`) and kAlong.
  [[nodiscard]] LineSweep build(std::span<const std::size_t> order, bool downwards,
                                std::uint32_t block) const {
    LineSweep sweep;
    sweep.block = block;
    sweep.downwards = downwards && order.front() != kAlong;
    sweep.line.resize(lines_.size());
    std::iota(sweep.line.begin(), sweep.line.end(), 0u);
    std::ranges::sort(sweep.line, [&](std::uint32_t a, std::uint32_t b) {
      for (std::size_t i = 0; i < order.size(); ++i) {
        if (order[i] == kAlong) continue;
        const std::uint32_t x = lines_[a].row[order[i]];
        const std::uint32_t y = lines_[b].row[order[i]];
        if (x != y) return (x < y) != (downwards && i > 0);
      }
      return (a < b) != sweep.downwards;
    });
    const auto along = std::ranges::find(order, kAlong);
    for (std::uint32_t i = 1; i <= sweep.line.size(); ++i) {
      const auto differs = [&](std::size_t axis) {
        return lines_[sweep.line[i - 1]].row[axis] != lines_[sweep.line[i]].row[axis];
      };
      if (i == sweep.line.size() || along + 1 == order.end() ||
          std::any_of(order.begin(), along, differs)) {
        sweep.plane_end.push_back(i);
      }
    }
    return sweep;
  }

 private:
  std::span<const LineKey> lines_;
};

}  // namespace

std::vector<LineSweep> line_sweeps(std::span<const LineKey> lines, const LineCourse& course) {
  std::vector<std::size_t> order;
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const auto differs = [&](const LineKey& key) { return key.row[axis] != lines[0].row[axis]; };
    if (std::ranges::any_of(lines, differs)) order.push_back(axis);
  }
  order.push_back(kAlong);
  const SweepBuilder builder(lines);
  std::vector<LineSweep> sweeps;
  do {
    for (const bool downwards : {false, true}) {
      sweeps.push_back(builder.build(order, downwards, 1));
      if (course.merged && order.back() != kAlong) {
        sweeps.push_back(builder.build(order, downwards, course.block));
      }
      if (order.size() == 1) break;
    }
  } while (std::ranges::next_permutation(order).found);
  return sweeps;
}

}  // namespace zonecut
