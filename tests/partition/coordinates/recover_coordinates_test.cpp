#include "coordinates/recover_coordinates.hpp"

#include <algorithm>
#include <set>

#include "coordinates/linear_order.hpp"
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

CommunicationGraph shuffled(std::vector<Edge> edges, std::uint32_t vertices) {
  std::vector<std::uint32_t> name(vertices);
  for (std::uint32_t v = 0; v < vertices; ++v) name[v] = v;
  Random random(7);
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

TEST_CASE("the ranks of double binary trees are recovered in their order", "[partition]") {
  for (const std::uint32_t ranks : {8u, 13u, 16u, 48u, 96u, 255u}) {
    CAPTURE(ranks);
    constexpr std::uint32_t kStages = 4;
    std::vector<Edge> tree;
    for (std::uint32_t rank = 0; rank < ranks; ++rank) {
      for (const auto parent : {tree_parent(rank, ranks), second_tree_parent(rank, ranks)}) {
        if (parent) tree.push_back({rank, static_cast<std::uint32_t>(*parent), 70});
      }
    }
    std::vector<Edge> edges;
    for (std::uint32_t stage = 0; stage < kStages; ++stage) {
      const std::uint32_t first = stage * ranks;
      for (const Edge& edge : tree) edges.push_back({first + edge.u, first + edge.v, edge.weight});
      for (std::uint32_t rank = 0; rank < ranks && stage > 0; ++rank) {
        edges.push_back({first + rank, first - ranks + rank, 9});
      }
    }
    const auto graph = shuffled(std::move(edges), ranks * kStages);
    const auto found = recover_coordinates(graph);
    REQUIRE(found.size() == ranks * kStages);
    // Ranks read from either end exchange the same.
    std::vector<Edge> along;
    for (std::uint32_t u = 0; u < graph.vertices(); ++u) {
      for (const auto& [v, weight] : graph.neighbours(u)) {
        if (u > v || found[u][2] != 0 || found[v][2] != 0) continue;
        along.push_back({static_cast<std::uint32_t>(found[u][1]),
                         static_cast<std::uint32_t>(found[v][1]), weight});
      }
    }
    const auto row = CommunicationGraph::from_edges(ranks, std::move(along));
    CHECK(row == CommunicationGraph::from_edges(ranks, std::move(tree)));
  }
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
