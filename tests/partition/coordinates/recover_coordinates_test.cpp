#include "coordinates/recover_coordinates.hpp"

#include <algorithm>
#include <set>

#include "coordinates/linear_order.hpp"
#include "coordinates/near_places.hpp"
#include "coordinates/product_factors.hpp"
#include "support/catch.hpp"
#include "traffic/binary_tree.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

using Edge = CommunicationGraph::Edge;

/// Edges along one axis of a grid whose vertices are numbered with axis 0 fastest.
struct GridSketch {
  std::array<std::uint32_t, 3> size;
  std::vector<Edge> edges;
  std::uint32_t first = 0;  ///< number of the first vertex

  [[nodiscard]] std::uint32_t vertices() const { return size[0] * size[1] * size[2]; }
  [[nodiscard]] std::uint32_t at(std::uint32_t x, std::uint32_t y, std::uint32_t z) const {
    return first + x + size[0] * (y + size[1] * z);
  }
  GridSketch& along(std::size_t axis, std::int64_t weight, std::int64_t wrap) {
    for (std::uint32_t v = 0; v < vertices(); ++v) {
      std::array<std::uint32_t, 3> p{v % size[0], v / size[0] % size[1], v / size[0] / size[1]};
      const bool last = ++p[axis] == size[axis];
      if (last) p[axis] = 0;
      if (!last || (wrap > 0 && size[axis] > 2)) {
        edges.push_back({first + v, at(p[0], p[1], p[2]), last ? wrap : weight});
      }
    }
    return *this;
  }
  /// The last of a group of axis 0 to the first of the next.
  GridSketch& chain(std::int64_t weight) {
    for (std::uint32_t z = 0; z < size[2]; ++z) {
      for (std::uint32_t y = 0; y < size[1]; ++y) {
        edges.push_back({at(size[0] - 1, y, z), at(0, (y + 1) % size[1], z), weight});
      }
    }
    return *this;
  }
};

CommunicationGraph shuffled(std::vector<Edge> edges, std::uint32_t vertices,
                            std::uint64_t seed = 7) {
  std::vector<std::uint32_t> name(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) name[v] = v;
  Random random(seed);
  random.shuffle(std::span(name));
  for (Edge& edge : edges) edge = {name[edge.u], name[edge.v], edge.weight};
  return CommunicationGraph::from_edges(vertices, std::move(edges));
}

/// How far each axis goes; all places differ.
std::array<int, 3> extents(std::span<const Coordinates> coordinates) {
  std::array<int, 3> size{};
  std::set<Coordinates> places;
  for (const Coordinates& c : coordinates) {
    places.insert(c);
    for (std::size_t axis = 0; axis < 3; ++axis) size[axis] = std::max(size[axis], c[axis] + 1);
  }
  CHECK(places.size() == coordinates.size());
  return size;
}

/// Do all edges of this weight join places that differ by one step of one axis?
bool steps(const CommunicationGraph& graph, std::span<const Coordinates> at, std::int64_t weight) {
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, w] : graph.neighbours(u)) {
      int apart = 0;
      for (std::size_t axis = 0; axis < 3; ++axis) apart += std::abs(at[u][axis] - at[v][axis]);
      if (w == weight && apart != 1) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("ring times pipeline is recovered from the graph alone", "[partition]") {
  GridSketch sketch{{1, 12, 5}, {}};
  sketch.along(1, 90, 90).along(2, 7, 0);
  const auto graph = shuffled(sketch.edges, sketch.vertices());
  const auto found = recover_coordinates(graph);
  REQUIRE(found.size() == 60);
  CHECK(extents(found) == std::array{1, 12, 5});
  CHECK(steps(graph, found, 7));
}

TEST_CASE("groups along a ring get an axis of their own", "[partition]") {
  GridSketch sketch{{4, 6, 3}, {}};
  sketch.along(0, 90, 50).chain(40).along(2, 7, 5);
  const auto graph = shuffled(sketch.edges, sketch.vertices());
  const auto found = recover_coordinates(graph);
  REQUIRE(found.size() == 72);
  CHECK(extents(found) == std::array{4, 6, 3});
  CHECK(steps(graph, found, 90));
  CHECK(steps(graph, found, 7));
}

namespace {

/// An encoder of four replicas with three shards each, every shard of which feeds one of twelve
/// decoders. `stage`: between stages of the decoder.
void finds_encoder_and_decoder(std::int64_t feed, std::int64_t stage) {
  GridSketch decoder{{1, 12, 4}, {}};
  decoder.along(1, 60, 60).along(2, stage, 0);
  GridSketch encoder{{3, 4, 1}, {}, 48};
  encoder.along(0, 80, 80).along(1, 20, 20);
  std::vector<Edge> edges = decoder.edges;
  edges.insert(edges.end(), encoder.edges.begin(), encoder.edges.end());
  for (std::uint32_t i = 0; i < 12; ++i) edges.push_back({48 + i, decoder.at(0, i, 0), feed});
  const auto graph = shuffled(std::move(edges), 60);
  const auto found = recover_coordinates(graph);
  REQUIRE(found.size() == 60);
  std::size_t fed = 0;
  for (std::uint32_t u = 0; u < 60; ++u) {
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (found[u][2] >= 0 || found[v][2] < 0) continue;
      ++fed;
      CHECK(weight == feed);
      CHECK(found[v][2] == 0);
      CHECK(found[v][1] / 3 == found[u][1]);
    }
  }
  CHECK(fed == 12);
}

}  // namespace

TEST_CASE("encoder and decoder get a grid each and face each other", "[partition]") {
  finds_encoder_and_decoder(5, 9);
}

TEST_CASE("what feeds the decoder may weigh what the encoder's replicas exchange", "[partition]") {
  finds_encoder_and_decoder(20, 9);
}

TEST_CASE("what feeds the decoder may weigh what its stages exchange as well", "[partition]") {
  finds_encoder_and_decoder(9, 9);
  finds_encoder_and_decoder(20, 20);
}

TEST_CASE("axes are told apart where their edges weigh the same", "[partition]") {
  // Replicas and stages; stages and the closing edge of the replicas' ring of groups.
  GridSketch plain{{1, 6, 5}, {}};
  plain.along(1, 30, 30).along(2, 30, 0);
  GridSketch chained{{4, 6, 3}, {}};
  chained.along(0, 90, 50).chain(40).along(2, 7, 40);
  for (const GridSketch& sketch : {plain, chained}) {
    const auto graph = shuffled(sketch.edges, sketch.vertices());
    const auto found = recover_coordinates(graph);
    REQUIRE(found.size() == sketch.vertices());
    CHECK(extents(found) == std::array{static_cast<int>(sketch.size[0]),
                                       static_cast<int>(sketch.size[1]),
                                       static_cast<int>(sketch.size[2])});
  }
}

std::vector<Edge> double_tree(std::uint32_t ranks, std::int64_t weight) {
  std::vector<Edge> tree;
  for (std::uint32_t rank = 0; rank < ranks; ++rank) {
    for (const auto parent : {tree_parent(rank, ranks), second_tree_parent(rank, ranks)}) {
      if (parent) tree.push_back({rank, static_cast<std::uint32_t>(*parent), weight});
    }
  }
  return tree;
}

std::vector<Edge> double_trees(std::uint32_t ranks, std::uint32_t stages, std::int64_t weight,
                               std::int64_t stage_weight) {
  std::vector<Edge> edges;
  for (std::uint32_t stage = 0; stage < stages; ++stage) {
    const std::uint32_t first = stage * ranks;
    for (const Edge& edge : double_tree(ranks, weight)) {
      edges.push_back({first + edge.u, first + edge.v, edge.weight});
    }
    for (std::uint32_t rank = 0; rank < ranks && stage > 0; ++rank) {
      edges.push_back({first + rank, first - ranks + rank, stage_weight});
    }
  }
  return edges;
}

/// The edges of the first stage between ranks as they were found are those of a double tree.
void check_rank_order(const CommunicationGraph& graph, std::span<const Coordinates> found,
                      std::uint32_t ranks, std::int64_t weight) {
  REQUIRE(found.size() == graph.vertices());
  // Ranks read from either end exchange the same.
  std::vector<Edge> along;
  for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
    for (const auto& [v, w] : graph.neighbours(u)) {
      if (u > v || found[u][2] != 0 || found[v][2] != 0) continue;
      along.push_back(
          {static_cast<std::uint32_t>(found[u][1]), static_cast<std::uint32_t>(found[v][1]), w});
    }
  }
  const auto row = CommunicationGraph::from_edges(ranks, std::move(along));
  CHECK(row == CommunicationGraph::from_edges(ranks, double_tree(ranks, weight)));
}

TEST_CASE("the ranks of double binary trees are recovered in their order", "[partition]") {
  // Of 126 and more, some have many vertices that may change places.
  for (const std::uint32_t ranks :
       {8u, 13u, 16u, 48u, 96u, 126u, 134u, 140u, 150u, 206u, 255u, 508u, 1022u}) {
    CAPTURE(ranks);
    const auto graph = shuffled(double_trees(ranks, 4, 70, 9), ranks * 4);
    check_rank_order(graph, recover_coordinates(graph), ranks, 70);
  }
}

TEST_CASE("the ranks of trees whose stages exchange as much are recovered too", "[partition]") {
  for (const std::uint32_t ranks : {8u, 13u, 48u, 96u}) {
    for (std::uint64_t seed = 1; seed <= 8; ++seed) {
      CAPTURE(ranks, seed);
      const auto graph = shuffled(double_trees(ranks, 4, 70, 70), ranks * 4, seed);
      check_rank_order(graph, recover_coordinates(graph), ranks, 70);
    }
  }
}

TEST_CASE("an edge more or less, or one between any two, leaves coordinates as they are",
          "[partition]") {
  GridSketch grid{{1, 64, 16}, {}};
  grid.along(1, 90, 90).along(2, 30, 0);
  auto heavier = grid.edges;
  heavier[100].weight += 1;
  auto missing = grid.edges;
  missing.erase(missing.begin() + 100);
  auto in_a_mesh = grid.edges;
  for (std::uint32_t u = 0; u < grid.vertices(); ++u) {
    for (std::uint32_t v = 0; v < u; ++v) in_a_mesh.push_back({u, v, 3});
  }
  auto weightless = grid.edges;
  weightless.push_back({0, 700, 0});
  for (const auto& edges : {heavier, missing, in_a_mesh, weightless}) {
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
      CHECK(extents(recover_coordinates(shuffled(edges, grid.vertices(), seed))) ==
            std::array{1, 64, 16});
    }
  }
}

TEST_CASE("a third grid leaves the second where it lies along the first", "[partition]") {
  GridSketch decoder{{1, 12, 4}, {}};
  decoder.along(1, 50, 50).along(2, 9, 0);
  GridSketch encoder{{1, 12, 1}, {}, decoder.vertices()};
  encoder.along(1, 40, 40);
  std::vector<Edge> edges = decoder.edges;
  edges.insert(edges.end(), encoder.edges.begin(), encoder.edges.end());
  for (std::uint32_t i = 0; i < 12; ++i)
    edges.push_back({decoder.at(0, i, 0), encoder.at(0, i, 0), 5});
  const std::uint32_t last = decoder.vertices() + 12;
  edges.push_back({last, last + 1, 30});
  edges.push_back({decoder.at(0, 7, 0), last, 5});
  edges.push_back({decoder.at(0, 8, 0), last + 1, 5});
  for (std::uint64_t seed = 1; seed <= 8; ++seed) {
    const auto graph = shuffled(edges, last + 2, seed);
    const auto found = recover_coordinates(graph);
    REQUIRE(found.size() == graph.vertices());
    for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
      for (const auto& [v, weight] : graph.neighbours(u)) {
        const bool in_encoder = found[u][2] < 0 && found[u][0] == 0;
        if (weight == 5 && in_encoder && found[v][2] >= 0) CHECK(found[u][1] == found[v][1]);
      }
    }
  }
}

TEST_CASE("places that are left out may be any", "[partition]") {
  const std::vector<Coordinates> far{{0, 5, 32'768}, {0, -1, 2'000'000'000}, {0, 5, 7}};
  CHECK(near_places(far) == std::vector<Coordinates>{{0, 0, 1}, {0, -1, 2}, {0, 0, 0}});
  const std::vector<Coordinates> near{{0, 2, 0}, {0, 0, -1}, {0, 0, 2}};
  CHECK(near_places(near) == near);
}

TEST_CASE("a ring, a path and a double binary tree by themselves lie along one axis",
          "[partition]") {
  for (const std::int64_t closing : {0, 4, 9}) {
    GridSketch line{{1, 30, 1}, {}};
    line.along(1, 9, closing);
    const auto graph = shuffled(line.edges, 30);
    const auto found = recover_coordinates(graph);
    CHECK(extents(found) == std::array{1, 30, 1});
    // Every edge but one joins neighbours.
    int apart = 0;
    for (std::uint32_t u = 0; u < 30; ++u) {
      for (const auto& edge : graph.neighbours(u))
        apart += std::abs(found[u][1] - found[edge.vertex][1]) > 1;
    }
    CHECK(apart == (closing > 0 ? 2 : 0));
  }
  const auto tree = shuffled(double_trees(48, 1, 70, 9), 48);
  check_rank_order(tree, recover_coordinates(tree), 48, 70);
}

TEST_CASE("what is no product has no coordinates", "[partition]") {
  Random random(3);
  std::vector<Edge> edges;
  for (std::uint32_t i = 0; i < 120; ++i) {
    edges.push_back({static_cast<std::uint32_t>(random.below(40)),
                     static_cast<std::uint32_t>(random.below(40)), 3});
  }
  CHECK(recover_coordinates(CommunicationGraph::from_edges(40, std::move(edges))).empty());
  CHECK(recover_coordinates(CommunicationGraph::from_edges(9, {})).empty());
}

TEST_CASE("a linear order keeps neighbours together", "[partition]") {
  GridSketch ring{{1, 20, 1}, {}};
  ring.along(1, 3, 3);
  const auto graph = shuffled(ring.edges, 20);
  const auto order = linear_order(graph);
  REQUIRE(order.size() == 20);
  for (std::size_t i = 1; i < order.size(); ++i) {
    CHECK(std::ranges::any_of(graph.neighbours(order[i]),
                              [&](const auto& n) { return n.vertex == order[i - 1]; }));
  }
  // A star is no path: all that is asked is a permutation.
  std::vector<Edge> rays;
  for (std::uint32_t v = 1; v < 9; ++v) rays.push_back({0, v, 1});
  auto star = linear_order(CommunicationGraph::from_edges(9, std::move(rays)));
  std::ranges::sort(star);
  for (std::uint32_t v = 0; v < 9; ++v) CHECK(star[v] == v);
}
