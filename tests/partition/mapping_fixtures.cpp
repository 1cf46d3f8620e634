#include "partition/mapping_fixtures.hpp"

#include <algorithm>
#include <limits>

#include "bound/bound.hpp"
#include "shares.hpp"

namespace zonecut::fixture {
namespace {

using Edge = CommunicationGraph::Edge;

std::int64_t weight_or_none(Random& random) {
  return random.below(4) == 0 ? 0 : static_cast<std::int64_t>(1 + random.below(20));
}

class GridEdges {
 public:
  GridEdges(Random& random, std::array<std::size_t, 3> size) : random_(random), size_(size) {}

  std::vector<Edge> draw() {
    for (std::size_t axis = 0; axis < 3; ++axis) draw_axis(axis);
    if (size_[0] > 1 && random_.below(2) == 0) draw_groups();
    if (random_.below(3) == 0 && edges_.size() > 1) {
      // One edge of no kind, and one that is missing.
      edges_.push_back({edges_.front().u, edges_.back().v, 3});
      edges_.erase(edges_.begin() + static_cast<std::ptrdiff_t>(random_.below(edges_.size())));
    }
    return std::move(edges_);
  }

 private:
  using Place = std::array<std::size_t, 3>;

  [[nodiscard]] std::uint32_t at(const Place& p) const {
    return static_cast<std::uint32_t>(p[0] + size_[0] * (p[1] + size_[1] * p[2]));
  }
  template <class Visit>
  void each(Visit visit) const {
    Place p{};
    for (p[2] = 0; p[2] < size_[2]; ++p[2])
      for (p[1] = 0; p[1] < size_[1]; ++p[1])
        for (p[0] = 0; p[0] < size_[0]; ++p[0]) visit(p);
  }

  void draw_axis(std::size_t axis) {
    const std::int64_t step = weight_or_none(random_);
    const std::int64_t wrap = random_.below(2) == 0 ? step : weight_or_none(random_);
    each([&](const Place& p) {
      Place q = p;
      const bool last = p[axis] + 1 == size_[axis];
      q[axis] = last ? 0 : p[axis] + 1;
      if (!last || size_[axis] > 2) edges_.push_back({at(p), at(q), last ? wrap : step});
    });
  }

  void draw_groups() {
    const std::int64_t clique = weight_or_none(random_);
    const std::int64_t chain = weight_or_none(random_);
    each([&](const Place& p) {
      Place q = p;
      for (q[0] = p[0] + 1; q[0] < size_[0]; ++q[0]) edges_.push_back({at(p), at(q), clique});
      q = p[0] + 1 < size_[0] ? Place{p[0] + 1, p[1], p[2]} : Place{0, (p[1] + 1) % size_[1], p[2]};
      edges_.push_back({at(p), at(q), chain});
    });
  }

  Random& random_;
  std::array<std::size_t, 3> size_;
  std::vector<Edge> edges_;
};

}  // namespace

Instance draw_grid(Random& random, std::size_t most) {
  std::array<std::size_t, 3> size{};
  do {
    for (std::size_t& extent : size) extent = 1 + random.below(6);
  } while (size[0] * size[1] * size[2] > most || size[0] * size[1] * size[2] < 2);
  Instance instance;
  const std::size_t vertices = size[0] * size[1] * size[2];
  std::vector<Edge> edges = GridEdges(random, size).draw();

  // Vertices in random order, so that nothing can rely on theirs.
  std::vector<std::uint32_t> name(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) name[v] = v;
  random.shuffle(std::span(name));
  for (Edge& edge : edges) edge = {name[edge.u], name[edge.v], edge.weight};
  instance.graph = CommunicationGraph::from_edges(vertices, std::move(edges));
  instance.coordinates.resize(vertices);
  for (std::size_t i = 0; i < vertices; ++i) {
    instance.coordinates[name[i]] = {static_cast<int>(i % size[0]),
                                     static_cast<int>(i / size[0] % size[1]),
                                     static_cast<int>(i / size[0] / size[1])};
  }
  instance.tree = draw_zones(random, vertices, random.below(2) == 0 ? 0 : random.below(5));
  return instance;
}

CommunicationGraph draw_graph(Random& random, std::size_t vertices) {
  std::vector<Edge> edges;
  const std::size_t count = vertices < 2 ? 0 : random.below(3 * vertices);
  for (std::size_t i = 0; i < count; ++i) {
    edges.push_back({static_cast<std::uint32_t>(random.below(vertices)),
                     static_cast<std::uint32_t>(random.below(vertices)),
                     static_cast<std::int64_t>(random.below(50))});
  }
  return CommunicationGraph::from_edges(vertices, std::move(edges));
}

SlotTree draw_tree(Random& random, std::size_t vertices, std::size_t most_levels) {
  SlotTree tree;
  const std::size_t levels = 1 + random.below(most_levels);
  std::size_t above = 1;
  for (std::size_t level = 0; level < levels; ++level) {
    tree.parent.emplace_back();
    for (std::uint32_t d = 0; d < above; ++d) {
      tree.parent.back().insert(tree.parent.back().end(), 1 + random.below(3), d);
    }
    above = tree.parent.back().size();
  }
  tree.free.assign(above, 0);
  for (std::size_t i = 0; i < vertices + random.below(1 + vertices); ++i) {
    ++tree.free[random.below(above)];
  }
  tree.cut_level = random.below(levels);
  for (std::size_t k = 0; k <= levels; ++k) {
    tree.distance.push_back(static_cast<std::int64_t>(10 * (levels - k) + 1));
  }
  while (tree.slots() < vertices) ++tree.free[random.below(above)];
  return tree;
}

SlotTree draw_zones(Random& random, std::size_t vertices, std::size_t slack) {
  SlotTree tree;
  const std::size_t zones = 2 + random.below(3);
  tree.parent = {std::vector<std::uint32_t>(zones, 0)};
  tree.free.assign(zones, 0);
  for (std::size_t i = 0; i < vertices + slack; ++i) ++tree.free[random.below(zones)];
  tree.distance = {10, 1};
  return tree;
}

namespace {

/// Tries every zone for one vertex after the other; gives up where the cut is no better.
void enumerate(const CommunicationGraph& graph, std::vector<std::uint64_t>& room,
               std::vector<std::size_t>& zone, std::int64_t cut, std::int64_t& best) {
  const std::size_t v = zone.size();
  if (cut >= best) return;
  if (v == graph.vertices()) {
    best = cut;
    return;
  }
  for (std::size_t z = 0; z < room.size(); ++z) {
    if (room[z] == 0) continue;
    std::int64_t added = 0;
    for (const auto& [u, weight] : graph.neighbours(v)) {
      if (u < v && zone[u] != z) added += weight;
    }
    --room[z];
    zone.push_back(z);
    enumerate(graph, room, zone, cut + added, best);
    zone.pop_back();
    ++room[z];
  }
}

}  // namespace

std::int64_t brute_force_cut(const CommunicationGraph& graph, const SlotTree& tree) {
  std::vector<std::uint64_t> room = tree.capacity(tree.cut_level);
  std::vector<std::size_t> zone;
  std::int64_t best = std::numeric_limits<std::int64_t>::max();
  enumerate(graph, room, zone, 0, best);
  return best;
}

std::optional<CutBound> bound_by_structure(const CommunicationGraph& graph, const SlotTree& tree,
                                           std::span<const Coordinates> coordinates) {
  const PartitionProblem problem{graph, room_of_zones(tree, graph.vertices()), coordinates};
  constexpr std::int64_t kSteps = 30'000'000;
  const auto bound = bound_of(problem, kSteps);
  return bound ? std::optional(bound->cut) : std::nullopt;
}

bool respects_capacities(const Mapping& mapping, const SlotTree& tree) {
  std::vector<std::uint32_t> sorted = mapping.slot;
  std::ranges::sort(sorted);
  return std::ranges::adjacent_find(sorted) == sorted.end() &&
         (sorted.empty() || sorted.back() < tree.slots());
}

}  // namespace zonecut::fixture
