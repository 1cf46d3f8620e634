#include "bound/row_units.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "bound/wide_units.hpp"

namespace zonecut {
namespace {

constexpr std::int64_t kQuarter = 4;

}  // namespace

std::vector<std::uint32_t> RowUnits::widths() const {
  std::vector<std::uint32_t> result;
  for (std::size_t u = 0; u < count(); ++u) {
    result.push_back((first[u + 1] - first[u]) / static_cast<std::uint32_t>(scale));
  }
  return result;
}

RowUnits PlainRows::by(std::vector<std::uint32_t> first, std::size_t scale) const {
  const auto times = static_cast<std::int64_t>(scale);
  RowUnits units{scale,
                 std::move(first),
                 {line.rows, line.length / scale, times * line.step, times * line.wrap},
                 {},
                 {},
                 in_wide_units(sizes, scale)};
  std::vector<std::uint32_t> unit(line.length);
  for (std::uint32_t u = 0; u < units.count(); ++u) {
    std::fill(unit.begin() + units.first[u], unit.begin() + units.first[u + 1], u);
  }
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::int64_t> weight;
  for (const LineEdge& edge : edges) {
    const auto ends = std::minmax(unit[edge.low], unit[edge.high]);
    if (ends.first != ends.second) weight[ends] += kQuarter * edge.weight;
  }
  for (const auto& [ends, each] : weight) units.edges.push_back({ends.first, ends.second, each});
  for (std::size_t x = 0; x <= line.length; x += scale) units.inside.push_back(inside[x]);
  return units;
}

std::vector<std::uint32_t> even_units(std::size_t length, std::size_t width) {
  std::vector<std::uint32_t> first;
  for (std::size_t v = 0; v <= length; v += width) first.push_back(static_cast<std::uint32_t>(v));
  return first;
}

std::vector<std::uint32_t> natural_units(std::size_t length, std::span<const LineEdge> edges,
                                         std::size_t about) {
  std::vector<std::int64_t> crossing(length, 0);
  for (const LineEdge& edge : edges) {
    for (std::size_t v = edge.low + 1; v <= edge.high; ++v) crossing[v] += edge.weight;
  }
  std::vector<std::int64_t> sorted(crossing.begin() + 1, crossing.end());
  std::ranges::sort(sorted);
  // All that are alike, or none.
  const std::int64_t most = sorted[std::min(about - about / 4, sorted.size()) - 1];
  std::vector<std::uint32_t> first{0};
  for (std::size_t v = 1; v < length; ++v) {
    if (crossing[v] <= most) first.push_back(static_cast<std::uint32_t>(v));
  }
  first.push_back(static_cast<std::uint32_t>(length));
  return first;
}

}  // namespace zonecut
