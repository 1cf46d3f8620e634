#include "grid/grid_traffic.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace zonecut {
namespace {

/// Which axes apply, as bits.
unsigned pattern(const Coordinates& place) {
  unsigned bits = 0;
  for (std::size_t axis = 0; axis < 3; ++axis) bits |= place[axis] >= 0 ? 1u << axis : 0u;
  return bits;
}

/// Weight of the edge, 0 if there is none. Rows are sorted.
std::int64_t weight_between(const CommunicationGraph& graph, std::uint32_t u, std::uint32_t v) {
  const auto row = graph.neighbours(u);
  const auto found = std::ranges::lower_bound(row, v, {}, &CommunicationGraph::Neighbour::vertex);
  return found != row.end() && found->vertex == v ? found->weight : 0;
}

/// The least of the weights it was shown.
class Least {
 public:
  void see(std::int64_t weight) { value_ = std::min(value_, weight); }
  [[nodiscard]] std::int64_t value() const {
    return value_ == std::numeric_limits<std::int64_t>::max() ? 0 : value_;
  }

 private:
  std::int64_t value_ = std::numeric_limits<std::int64_t>::max();
};

class Grid {
 public:
  Grid(const CommunicationGraph& graph, std::span<const Coordinates> coordinates,
       std::span<const std::uint32_t> vertices)
      : graph_(graph) {
    for (std::size_t axis = 0; axis < 3; ++axis) {
      int most = 0;
      for (const std::uint32_t v : vertices) most = std::max(most, coordinates[v][axis]);
      size_[axis] = static_cast<std::size_t>(most) + 1;
    }
    // Sizes come from a file: compare without multiplying them first.
    full_ = size_[0] <= vertices.size() && size_[1] <= vertices.size() / size_[0] &&
            size_[2] <= vertices.size() / (size_[0] * size_[1]) &&
            size_[0] * size_[1] * size_[2] == vertices.size();
    if (!full_) return;
    at_.assign(vertices.size(), 0);
    std::vector<bool> taken(vertices.size(), false);
    for (const std::uint32_t v : vertices) {
      std::array<std::size_t, 3> place{};
      for (std::size_t axis = 0; axis < 3; ++axis) {
        place[axis] = static_cast<std::size_t>(std::max(0, coordinates[v][axis]));
      }
      const std::size_t i = index(place);
      if (taken[i]) full_ = false;
      taken[i] = true;
      at_[i] = v;
    }
  }

  [[nodiscard]] bool full() const { return full_; }

  [[nodiscard]] GridTraffic traffic() const {
    GridTraffic result;
    Least clique;
    Least chain;
    std::array<Least, 3> step;
    std::array<Least, 3> wrap;
    std::array<std::size_t, 3> p{};
    for (p[2] = 0; p[2] < size_[2]; ++p[2]) {
      for (p[1] = 0; p[1] < size_[1]; ++p[1]) {
        for (p[0] = 0; p[0] < size_[0]; ++p[0]) {
          for (std::size_t axis = 0; axis < 3; ++axis) see_along(p, axis, step[axis], wrap[axis]);
          if (p[0] + 1 == size_[0]) chain.see(to_next_group(p));
        }
        see_clique(p, clique);
      }
    }
    for (std::size_t axis = 0; axis < 3; ++axis) {
      result.size[axis] = static_cast<std::uint32_t>(size_[axis]);
      result.step[axis] = step[axis].value();
      result.wrap[axis] = wrap[axis].value();
    }
    result.clique = clique.value();
    result.chain = chain.value();
    result.lines = lines();
    result.at = at_;
    return result;
  }

 private:
  using Place = std::array<std::size_t, 3>;

  [[nodiscard]] std::size_t index(const Place& p) const {
    return p[0] + size_[0] * (p[1] + size_[1] * p[2]);
  }
  [[nodiscard]] std::int64_t weight(const Place& p, const Place& q) const {
    return weight_between(graph_, at_[index(p)], at_[index(q)]);
  }

  void see_along(const Place& p, std::size_t axis, Least& step, Least& wrap) const {
    Place q = p;
    if (p[axis] + 1 < size_[axis]) {
      ++q[axis];
      step.see(weight(p, q));
    } else if (size_[axis] > 2) {
      q[axis] = 0;
      wrap.see(weight(p, q));
    }
  }

  [[nodiscard]] std::int64_t to_next_group(const Place& p) const {
    if (size_[0] < 2 || size_[1] < 2) return 0;
    return weight(p, {0, (p[1] + 1) % size_[1], p[2]});
  }

  /// Edges beyond the ring of a group: only a clique has them. The ring itself is in step and wrap.
  void see_clique(Place p, Least& clique) const {
    if (size_[0] < 4) return;
    // Quadratic in the group, as are its edges; a group without them ends at the first.
    for (p[0] = 0; p[0] < size_[0]; ++p[0]) {
      Place q = p;
      for (q[0] = p[0] + 2; q[0] < size_[0]; ++q[0]) {
        if (p[0] == 0 && q[0] + 1 == size_[0]) continue;
        clique.see(weight(p, q));
        if (clique.value() == 0) return;
      }
    }
  }

  /// The edges of the first line, each with its least weight in any. None where they are but a
  /// ring or a path.
  [[nodiscard]] std::vector<LineEdge> lines() const {
    std::vector<LineEdge> edges;
    if (size_[1] < 4) return edges;
    std::vector<std::size_t> place(graph_.vertices(), size_[1]);
    for (std::size_t i = 0; i < size_[1]; ++i) place[at_[index({0, i, 0})]] = i;
    bool chords = false;
    for (std::size_t i = 0; i < size_[1]; ++i) {
      for (const auto& [v, weight] : graph_.neighbours(at_[index({0, i, 0})])) {
        const std::size_t j = place[v];
        if (j >= size_[1] || j <= i) continue;
        const std::int64_t least = least_on_lines(i, j);
        if (least == 0) continue;
        chords = chords || (j - i > 1 && j - i + 1 < size_[1]);
        edges.push_back({static_cast<std::uint32_t>(i), static_cast<std::uint32_t>(j), least});
      }
    }
    if (!chords) edges.clear();
    return edges;
  }

  [[nodiscard]] std::int64_t least_on_lines(std::size_t i, std::size_t j) const {
    Least least;
    for (std::size_t p0 = 0; p0 < size_[0]; ++p0) {
      for (std::size_t p2 = 0; p2 < size_[2]; ++p2) least.see(weight({p0, i, p2}, {p0, j, p2}));
    }
    return least.value();
  }

  const CommunicationGraph& graph_;
  std::array<std::size_t, 3> size_{};
  std::vector<std::uint32_t> at_;
  bool full_ = false;
};

}  // namespace

namespace {

/// Groups along a path, whose stages lie in a ring: the axes have changed places. Nothing else
/// tells which of two axes is the pipeline.
bool has_stages_first(const GridTraffic& grid) {
  return grid.size[0] > 1 && grid.size[1] > 2 && grid.size[2] > 2 && grid.wrap[1] == 0 &&
         grid.wrap[2] > 0 && grid.chain == 0 && grid.lines.empty();
}

GridTraffic with_stages_last(const GridTraffic& grid) {
  GridTraffic turned = grid;
  std::swap(turned.size[1], turned.size[2]);
  std::swap(turned.step[1], turned.step[2]);
  std::swap(turned.wrap[1], turned.wrap[2]);
  turned.at.clear();
  for (std::size_t stage = 0; stage < grid.size[1]; ++stage) {
    for (std::size_t replica = 0; replica < grid.size[2]; ++replica) {
      const std::size_t first = grid.size[0] * (stage + grid.size[1] * replica);
      const auto group = grid.at.begin() + static_cast<std::ptrdiff_t>(first);
      turned.at.insert(turned.at.end(), group, group + grid.size[0]);
    }
  }
  return turned;
}

}  // namespace

std::vector<GridTraffic> recover_grids(const CommunicationGraph& graph,
                                       std::span<const Coordinates> coordinates) {
  std::array<std::vector<std::uint32_t>, 8> by_pattern;
  for (std::uint32_t v = 0; v < coordinates.size(); ++v) {
    by_pattern[pattern(coordinates[v])].push_back(v);
  }
  std::vector<GridTraffic> grids;
  for (const std::vector<std::uint32_t>& vertices : by_pattern) {
    if (vertices.size() < 2) continue;
    const Grid grid(graph, coordinates, vertices);
    if (!grid.full()) continue;
    GridTraffic traffic = grid.traffic();
    grids.push_back(has_stages_first(traffic) ? with_stages_last(traffic) : std::move(traffic));
  }
  return grids;
}

std::vector<LineEdge> edges_among(const CommunicationGraph& graph,
                                  std::span<const std::uint32_t> vertices, WeightUnit unit) {
  constexpr std::int64_t kQuarter = 4;
  std::vector<std::optional<std::uint32_t>> place(graph.vertices());
  for (std::uint32_t i = 0; i < vertices.size(); ++i) place[vertices[i]] = i;
  std::vector<LineEdge> edges;
  for (std::uint32_t i = 0; i < vertices.size(); ++i) {
    for (const CommunicationGraph::Neighbour& to : graph.neighbours(vertices[i])) {
      const std::optional<std::uint32_t>& other = place[to.vertex];
      if (other && *other > i) edges.push_back({i, *other, kQuarter * unit.down(to.weight)});
    }
  }
  return edges;
}

GridTraffic in_units(GridTraffic grid, WeightUnit unit) {
  for (std::size_t axis = 0; axis < 3; ++axis) {
    grid.step[axis] = unit.down(grid.step[axis]);
    grid.wrap[axis] = unit.down(grid.wrap[axis]);
  }
  grid.clique = unit.down(grid.clique);
  grid.chain = unit.down(grid.chain);
  for (LineEdge& edge : grid.lines) edge.weight = unit.down(edge.weight);
  return grid;
}

}  // namespace zonecut
