#include "starts/line_model.hpp"

#include <algorithm>
#include <experimental/simd>
#include <limits>
#include <numeric>

namespace zonecut {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

/// A line with more strides than that, or with one of few edges, is looked up in a table, if it is
/// no longer than kTableSide and the tables stay in the cache.
constexpr std::size_t kFewStrides = 4;
constexpr std::uint32_t kTableSide = 512;
constexpr std::size_t kMostTableEntries = 1 << 19;

/// Work to look something up, where a few lanes of a run are 1.
constexpr std::size_t kPerLook = 2;

/// Sums as long as the line pay only where many edges share them.
bool worth_sums(std::size_t edges, std::size_t length) { return 8 * edges >= length; }

/// Few edges for so long a line, and of several strides that are neither short nor all around it.
/// By stride.
template <class Edges>
bool are_trees(const Edges& within, std::size_t length) {
  constexpr std::size_t kLong = 64;
  constexpr std::size_t kFewEdges = 3;  // for each place
  constexpr std::size_t kSeveral = 3;
  if (length < kLong || within.size() > kFewEdges * length) return false;
  std::size_t far = 0;
  for (std::size_t i = 0; i < within.size(); ++i) {
    const std::size_t stride = within[i].kind;
    const bool is_new = i == 0 || within[i - 1].kind != stride;
    far += is_new && 8 * stride >= length && 8 * stride <= 7 * length;
  }
  return far >= kSeveral;
}

}  // namespace

LineModel::LineModel(const CommunicationGraph& graph, LineLayout layout)
    : layout_(std::move(layout)),
      ranges_(1),
      loose_of_(graph.vertices(), kNone),
      total_weight_(graph.total_weight()) {
  for (const LineLayout::Grid& grid : layout_.grids) {
    for (std::uint32_t i = 0; i < grid.lines; ++i) add_line(graph, grid, grid.first_line + i);
    end_grid(grid);
  }
  index_loose();
}

void LineModel::add_line(const CommunicationGraph& graph, const LineLayout::Grid& grid,
                         std::uint32_t line) {
  const LineLayout::Line& here = layout_.lines[line];
  std::vector<Occurrence> within;
  std::vector<Occurrence> between;
  std::vector<Occurrence> stretched;
  for (std::uint32_t p = here.begin; p < here.end; ++p) {
    const std::uint32_t u = layout_.vertex(here, p);
    for (const auto& [v, weight] : graph.neighbours(u)) {
      const auto [other, q] = layout_.place[v];
      if (other == line && q > p) within.push_back({q - p, p, u, v, weight});
      const bool inside = other >= grid.first_line && other < grid.first_line + grid.lines;
      const std::uint32_t stretch = layout_.lines[other].stretch;
      if (inside && stretch != here.stretch) {
        if (stretch < here.stretch) stretched.push_back({other, p, u, v, weight});
        continue;
      }
      if (other <= line) continue;
      if (q == p && inside) {
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
  std::ranges::stable_sort(within, {}, &Occurrence::kind);
  has_trees_ = has_trees_ || are_trees(within, here.length());
  const std::uint32_t table = add_table(here, within);
  if (table != kNoTable) within.clear();
  sum_up(within, [&](std::span<const Occurrence> group) {
    const std::uint32_t stride = group.front().kind;
    const RunKind kind{.stride = stride, .weight = group.front().weight};
    if (add_to_run(group, here.length() - stride, kind, line - grid.first_line)) return true;
    if (!worth_sums(group.size(), here.length() - stride)) return false;
    strides_.push_back({stride, add_sums(group, here.begin, here.end - stride), here.begin});
    return true;
  });
  sum_up(between, [&](std::span<const Occurrence> group) {
    const LineLayout::Line& there = layout_.lines[grid.first_line + group.front().kind];
    const std::uint32_t begin = std::max(here.begin, there.begin);
    const std::uint32_t end = std::min(here.end, there.end);
    const std::uint32_t at = line - grid.first_line;
    const RunKind kind{.other = group.front().kind - at, .weight = group.front().weight};
    if (add_to_run(group, end - begin, kind, at)) return true;
    if (!worth_sums(group.size(), end - begin)) return false;
    links_.push_back({group.front().kind, add_sums(group, begin, end), begin});
    return true;
  });
  add_stretched(grid, line, stretched);
  ranges_.push_back({static_cast<std::uint32_t>(strides_.size()),
                     static_cast<std::uint32_t>(links_.size()), table});
}

/// Links to lines that are stretched less; `kind` of an edge: the other line.
void LineModel::add_stretched(const LineLayout::Grid& grid, std::uint32_t line,
                              std::span<const Occurrence> edges) {
  const LineLayout::Line& here = layout_.lines[line];
  std::map<RunKind, std::vector<Occurrence>> groups;
  for (const Occurrence& edge : edges) {
    const std::uint32_t factor = here.stretch / layout_.lines[edge.kind].stretch;
    const auto offset = static_cast<std::int32_t>(layout_.place[edge.neighbour].position) -
                        static_cast<std::int32_t>(factor * edge.position);
    groups[{0, factor, edge.kind - grid.first_line, offset, edge.weight}].push_back(edge);
  }
  for (const auto& [kind, group] : groups) {
    if (kind.factor > 1 && add_to_run(group, here.length(), kind, line - grid.first_line)) continue;
    for (const Occurrence& edge : group) add_loose(edge);
  }
}

/// Edges of one kind, if they weigh the same at every one of the places where there could be one.
bool LineModel::add_to_run(std::span<const Occurrence> edges, std::size_t places, RunKind kind,
                           std::uint32_t line) {
  const auto differs = [&](const Occurrence& edge) { return edge.weight != kind.weight; };
  if (edges.size() != places || std::ranges::any_of(edges, differs)) return false;
  runs_[kind].push_back(line);
  return true;
}

void LineModel::end_grid(const LineLayout::Grid& grid) {
  GridSums& sums = grid_sums_.emplace_back();
  for (const auto& [kind, lines] : runs_) {
    Run run{kind, std::vector<std::int16_t>(padded(grid.lines), 0), 0, 0};
    for (const std::uint32_t line : lines) run.lanes[line] = -1;
    run.begin = lines.front() / kLanes * kLanes;
    run.end = padded(lines.back() + 1);
    sums.runs.push_back(std::move(run));
  }
  runs_.clear();
  const Ranges& from = ranges_[grid.first_line];
  const Ranges& to = ranges_[grid.first_line + grid.lines];
  sums.looked_up = from.strides_end < to.strides_end || from.links_end < to.links_end;
  for (std::uint32_t i = 1; i <= grid.lines; ++i) {
    sums.looked_up |= ranges_[grid.first_line + i].table != kNoTable;
  }
  sums.terms = 8;
  for (const Run& run : sums.runs) sums.terms += (run.end - run.begin) / kLanes + 1;
  if (sums.looked_up) {
    sums.terms += kPerLook * (grid.lines + (to.strides_end - from.strides_end) +
                              (to.links_end - from.links_end));
  }
}

/// Weight between any two positions of a line, where sums by stride are many or do not pay. Lines
/// that are alike share one. O(length²).
std::uint32_t LineModel::add_table(const LineLayout::Line& line,
                                   std::span<const Occurrence> within) {
  const std::size_t side = line.length() + 1;
  if (line.length() > kTableSide || within.empty()) return kNoTable;
  std::vector<std::size_t> edges_of(line.length(), 0);  // by stride
  for (const Occurrence& edge : within) ++edges_of[edge.kind];
  std::size_t strides = 0;
  bool all_pay = true;
  for (std::size_t stride = 1; stride < edges_of.size(); ++stride) {
    if (edges_of[stride] == 0) continue;
    ++strides;
    all_pay = all_pay && worth_sums(edges_of[stride], line.length() - stride);
  }
  if (strides <= kFewStrides && all_pay) return kNoTable;
  const auto alike = [](const Occurrence& a, const Occurrence& b) {
    return a.kind == b.kind && a.position == b.position && a.weight == b.weight;
  };
  if (last_table_ != kNoTable && last_line_.begin == line.begin && last_line_.end == line.end &&
      std::ranges::equal(within, last_within_, alike)) {
    return last_table_;
  }
  if (tables_.size() + side * side > kMostTableEntries) return kNoTable;
  last_table_ = static_cast<std::uint32_t>(tables_.size());
  last_line_ = line;
  last_within_.assign(within.begin(), within.end());
  tables_.resize(tables_.size() + side * side, 0);
  const auto entry = [&](std::size_t lo, std::size_t hi) -> std::int64_t& {
    return tables_[last_table_ + lo * side + hi];
  };
  for (const Occurrence& edge : within) {
    const std::size_t lo = edge.position - line.begin;
    entry(lo, lo + edge.kind + 1) += edge.weight;
  }
  for (std::size_t lo = line.length(); lo-- > 0;) {
    for (std::size_t hi = lo + 1; hi < side; ++hi) {
      entry(lo, hi) += entry(lo, hi - 1) + entry(lo + 1, hi);
      if (hi > lo + 1) entry(lo, hi) -= entry(lo + 1, hi - 1);
    }
  }
  return last_table_;
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

/// Places by line and position, edges by place. O(places log places + edges).
void LineModel::index_loose() {
  std::vector<std::uint32_t> order(loose_at_.size());
  std::iota(order.begin(), order.end(), 0u);
  std::ranges::sort(order, {}, [&](std::uint32_t i) {
    return std::pair(loose_at_[i].line, loose_at_[i].position);
  });
  std::vector<std::uint32_t> index(order.size());
  std::vector<LineLayout::Place> sorted;
  for (std::uint32_t i = 0; i < order.size(); ++i) {
    index[order[i]] = i;
    sorted.push_back(loose_at_[order[i]]);
  }
  loose_at_ = std::move(sorted);
  loose_in_line_.assign(layout_.lines.size() + 1, 0);
  for (const LineLayout::Place& place : loose_at_) ++loose_in_line_[place.line + 1];
  std::partial_sum(loose_in_line_.begin(), loose_in_line_.end(), loose_in_line_.begin());
  for (LooseEdge& edge : loose_) {
    edge.u = index[edge.u];
    edge.v = index[edge.v];
  }
  const std::size_t edges = loose_.size();
  loose_.reserve(2 * edges);
  for (std::size_t i = 0; i < edges; ++i) {
    loose_.push_back({loose_[i].v, loose_[i].u, loose_[i].weight});
  }
  std::ranges::stable_sort(loose_, {}, &LooseEdge::u);
  loose_begin_.assign(loose_at_.size() + 1, 0);
  for (const LooseEdge& edge : loose_) ++loose_begin_[edge.u + 1];
  std::partial_sum(loose_begin_.begin(), loose_begin_.end(), loose_begin_.begin());
}

std::uint32_t LineModel::loose_index(std::uint32_t vertex) {
  if (loose_of_[vertex] == kNone) {
    loose_of_[vertex] = static_cast<std::uint32_t>(loose_at_.size());
    loose_at_.push_back(layout_.place[vertex]);
  }
  return loose_of_[vertex];
}

template <class Position>
std::int64_t LineModel::weight_within(const LineLayout::Grid& grid, const Position* lo,
                                      const Position* hi) const {
  namespace simd = std::experimental;
  using Lanes = simd::fixed_size_simd<Position, kLanes>;
  const auto load = [](const Position* from) { return Lanes(from, simd::element_aligned); };
  const auto shrink = [](int position, std::uint32_t factor) {
    const auto whole = static_cast<std::uint32_t>(std::max(position, 0));
    return static_cast<Position>((whole + factor - 1) / factor);
  };
  std::int64_t sum = 0;
  for (const Run& run : sums_of(grid).runs) {
    const RunKind& kind = run.kind;
    Position first = 0;  // of a stretched link: what of the other line counts, in positions of this
    Position last = 0;
    if (kind.factor > 1) {
      first = shrink(lo[kind.other] - kind.offset, kind.factor);
      last = shrink(hi[kind.other] - kind.offset, kind.factor);
      if (first >= last) continue;
    }
    Lanes edges = Position{0};
    for (std::size_t i = run.begin; i < run.end; i += kLanes) {
      Lanes low = load(lo + i);
      Lanes high = load(hi + i);
      if (kind.stride > 0) {
        high -= static_cast<Position>(kind.stride);
      } else if (kind.factor > 1) {
        low = max(low, Lanes(first));
        high = min(high, Lanes(last));
      } else {
        low = max(low, load(lo + i + kind.other));
        high = min(high, load(hi + i + kind.other));
      }
      const simd::fixed_size_simd<std::int16_t, kLanes> lanes(&run.lanes[i], simd::element_aligned);
      edges += max(Lanes(high - low), Lanes(Position{0})) & simd::static_simd_cast<Lanes>(lanes);
    }
    sum += kind.weight * reduce(edges);
  }
  if (!sums_of(grid).looked_up) return sum;
  for (std::uint32_t i = 0; i < grid.lines; ++i) {
    if (lo[i] >= hi[i]) continue;
    const auto begin = static_cast<std::uint32_t>(lo[i]);
    const auto end = static_cast<std::uint32_t>(hi[i]);
    const Ranges& from = ranges_[grid.first_line + i];
    const Ranges& to = ranges_[grid.first_line + i + 1];
    if (to.table != kNoTable) {
      const LineLayout::Line& line = layout_.lines[grid.first_line + i];
      const std::size_t row = (begin - line.begin) * std::size_t{line.length() + 1};
      sum += tables_[to.table + row + end - line.begin];
    }
    for (std::uint32_t k = from.strides_end; k < to.strides_end; ++k) {
      const Stride& s = strides_[k];
      if (s.stride >= end - begin) break;  // strides rise
      const std::int64_t* sums = &sums_[s.sums];
      sum += sums[end - s.stride - s.begin] - sums[begin - s.begin];
    }
    for (std::uint32_t k = from.links_end; k < to.links_end; ++k) {
      const Link& link = links_[k];
      const auto first = static_cast<std::uint32_t>(std::max(lo[i], lo[link.other]));
      const auto last = static_cast<std::uint32_t>(std::min(hi[i], hi[link.other]));
      if (first >= last) continue;
      const std::int64_t* sums = &sums_[link.sums];
      sum += sums[last - link.begin] - sums[first - link.begin];
    }
  }
  return sum;
}

template std::int64_t LineModel::weight_within(const LineLayout::Grid&, const std::int16_t*,
                                               const std::int16_t*) const;
template std::int64_t LineModel::weight_within(const LineLayout::Grid&, const std::int32_t*,
                                               const std::int32_t*) const;

}  // namespace zonecut
