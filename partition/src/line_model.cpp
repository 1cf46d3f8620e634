#include "line_model.hpp"

#include <algorithm>
#include <limits>

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

constexpr std::size_t kFewStrides = 4;
constexpr std::uint32_t kTableSide = 512;
constexpr std::size_t kMostTableEntries = 1 << 20;

/// Sums as long as the line pay only where many edges share them.
bool worth_sums(std::size_t edges, std::size_t length) { return 8 * edges >= length; }

}  // namespace

LineModel::LineModel(const CommunicationGraph& graph, LineLayout layout)
    : layout_(std::move(layout)),
      ranges_(1),
      loose_of_(graph.vertices(), kNone),
      total_weight_(graph.total_weight()) {
  for (const LineLayout::Grid& grid : layout_.grids) {
    for (std::uint32_t i = 0; i < grid.lines; ++i) add_line(graph, grid, grid.first_line + i);
  }
}

void LineModel::add_line(const CommunicationGraph& graph, const LineLayout::Grid& grid,
                         std::uint32_t line) {
  const LineLayout::Line& here = layout_.lines[line];
  std::vector<Occurrence> within;
  std::vector<Occurrence> between;
  for (std::uint32_t p = here.begin; p < here.end; ++p) {
    const std::uint32_t u = layout_.vertex(here, p);
    for (const auto& [v, weight] : graph.neighbours(u)) {
      const auto [other, q] = layout_.place[v];
      if (other == line && q > p) within.push_back({q - p, p, u, v, weight});
      if (other <= line) continue;
      if (q == p && other < grid.first_line + grid.lines) {
        between.push_back({other - grid.first_line, p, u, v, weight});
      } else {
        add_loose({0, p, u, v, weight});
      }
    }
  }
  const auto sum_up = [&](std::vector<Occurrence>& edges, const auto& add) {
    std::ranges::stable_sort(edges, {}, &Occurrence::kind);
    for (std::size_t first = 0, last = 0; first < edges.size(); first = last) {
      while (last < edges.size() && edges[last].kind == edges[first].kind) ++last;
      const auto group = std::span(edges).subspan(first, last - first);
      if (!add(group)) std::ranges::for_each(group, [&](const auto& e) { add_loose(e); });
    }
  };
  sum_up(within, [&](std::span<const Occurrence> group) {
    const std::uint32_t stride = group.front().kind;
    if (!worth_sums(group.size(), here.length() - stride)) return false;
    strides_.push_back({stride, add_sums(group, here.begin, here.end - stride), here.begin});
    return true;
  });
  sum_up(between, [&](std::span<const Occurrence> group) {
    const LineLayout::Line& there = layout_.lines[grid.first_line + group.front().kind];
    const std::uint32_t begin = std::max(here.begin, there.begin);
    const std::uint32_t end = std::min(here.end, there.end);
    if (!worth_sums(group.size(), end - begin)) return false;
    links_.push_back({group.front().kind, add_sums(group, begin, end), begin});
    return true;
  });
  ranges_.push_back(
      {static_cast<std::uint32_t>(strides_.size()), static_cast<std::uint32_t>(links_.size())});
}

/// Lines that are alike share their sums, so that these stay in the cache.
std::uint32_t LineModel::add_sums(std::span<const Occurrence> edges, std::uint32_t begin,
                                  std::uint32_t end) {
  std::vector<std::int64_t> sums(end - begin + 1, 0);
  for (const Occurrence& edge : edges) sums[edge.position - begin + 1] += edge.weight;
  for (std::size_t i = 1; i < sums.size(); ++i) sums[i] += sums[i - 1];
  const auto same = [&](std::uint32_t at) {
    return at + sums.size() <= sums_.size() &&
           std::equal(sums.begin(), sums.end(), sums_.begin() + at);
  };
  const std::size_t recent = strides_.size() < 24 ? 0 : strides_.size() - 24;
  for (std::size_t i = strides_.size(); i > recent; --i) {
    if (same(strides_[i - 1].sums)) return strides_[i - 1].sums;
  }
  const std::size_t recent_links = links_.size() < 8 ? 0 : links_.size() - 8;
  for (std::size_t i = links_.size(); i > recent_links; --i) {
    if (same(links_[i - 1].sums)) return links_[i - 1].sums;
  }
  const auto at = static_cast<std::uint32_t>(sums_.size());
  sums_.insert(sums_.end(), sums.begin(), sums.end());
  return at;
}

void LineModel::add_loose(const Occurrence& edge) {
  loose_.push_back({loose_index(edge.vertex), loose_index(edge.neighbour), edge.weight});
}

std::uint32_t LineModel::loose_index(std::uint32_t vertex) {
  if (loose_of_[vertex] == kNone) {
    loose_of_[vertex] = static_cast<std::uint32_t>(loose_at_.size());
    loose_at_.push_back(layout_.place[vertex]);
  }
  return loose_of_[vertex];
}

std::int64_t LineModel::weight_within(const LineLayout::Grid& grid, const std::uint32_t* lo,
                                      const std::uint32_t* hi) const {
  std::int64_t sum = 0;
  for (std::uint32_t i = 0; i < grid.lines; ++i) {
    if (lo[i] >= hi[i]) continue;
    const Ranges& from = ranges_[grid.first_line + i];
    const Ranges& to = ranges_[grid.first_line + i + 1];
    const std::uint32_t length = hi[i] - lo[i];
    const LineLayout::Line& line = layout_.lines[grid.first_line + i];
    if (to.table != kNoTable) {
      const std::size_t row = (lo[i] - line.begin) * std::size_t{line.length() + 1};
      sum += tables_[to.table + row + hi[i] - line.begin];
    }
    for (std::uint32_t k = from.strides_end; k < to.strides_end && to.table == kNoTable; ++k) {
      const Stride& s = strides_[k];
      if (s.stride >= length) break;  // strides rise
      const std::int64_t* sums = &sums_[s.sums];
      sum += sums[hi[i] - s.stride - s.begin] - sums[lo[i] - s.begin];
    }
    for (std::uint32_t k = from.links_end; k < to.links_end; ++k) {
      const Link& link = links_[k];
      const std::uint32_t first = std::max(lo[i], lo[link.other]);
      const std::uint32_t last = std::min(hi[i], hi[link.other]);
      if (first >= last) continue;
      const std::int64_t* sums = &sums_[link.sums];
      sum += sums[last - link.begin] - sums[first - link.begin];
    }
  }
  return sum;
}

std::size_t LineModel::terms(const LineLayout::Grid& grid) const {
  const Ranges& from = ranges_[grid.first_line];
  const Ranges& to = ranges_[grid.first_line + grid.lines];
  const std::size_t strides = to.table == kNoTable ? to.strides_end - from.strides_end : 0;
  return 2 * grid.lines + strides + to.links_end - from.links_end;
}

}  // namespace zonecut
