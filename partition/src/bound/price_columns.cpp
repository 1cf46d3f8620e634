#include "bound/price_columns.hpp"

#include <algorithm>

namespace zonecut {

MultiplierRange range_without_runs(MultiplierIndex index, std::size_t multiplier) {
  if (multiplier < index.touch()) return {};
  return {0, multiplier == index.touch() ? MultiplierRange{}.high : 0};
}

void count(const Part& part, PieceViolation& violation) {
  const MultiplierIndex index{violation.piece.size()};
  for (const auto& [multiplier, each] : part.columns.front().slope) {
    double& violated = multiplier < index.touch()    ? violation.piece[multiplier]
                       : multiplier == index.touch() ? violation.touch
                                                     : violation.run;
    violated += part.count * each;
  }
}

void append(Slope& slope, std::size_t multiplier, double each) {
  if (each != 0) slope.emplace_back(static_cast<std::uint32_t>(multiplier), each);
}

/// Of the same multiplier all in one.
void sort(Slope& slope) {
  std::ranges::sort(slope);
  std::size_t last = 0;
  for (std::size_t i = 1; i < slope.size(); ++i) {
    if (slope[i].first == slope[last].first) {
      slope[last].second += slope[i].second;
    } else {
      slope[++last] = slope[i];
    }
  }
  if (!slope.empty()) slope.resize(last + 1);
}

double slope_at(const Slope& slope, std::uint32_t multiplier) {
  const auto at = std::ranges::lower_bound(slope, multiplier, {}, &Slope::value_type::first);
  return at != slope.end() && at->first == multiplier ? at->second : 0;
}

Slope difference(const Slope& x, const Slope& y) {
  Slope result;
  result.reserve(x.size() + y.size());
  auto a = x.begin();
  auto b = y.begin();
  while (a != x.end() || b != y.end()) {
    const bool first = b == y.end() || (a != x.end() && a->first <= b->first);
    const bool second = a == x.end() || (b != y.end() && b->first <= a->first);
    const std::uint32_t multiplier = first ? a->first : b->first;
    const double slope = (first ? a->second : 0) - (second ? b->second : 0);
    if (slope != 0) result.emplace_back(multiplier, slope);
    if (first) ++a;
    if (second) ++b;
  }
  return result;
}

}  // namespace zonecut
