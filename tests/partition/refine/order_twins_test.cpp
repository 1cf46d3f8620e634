// Vertices that a graph does not tell apart, put in order.
#include "refine/order_twins.hpp"

#include <algorithm>
#include <numeric>
#include <vector>
#include "support/catch.hpp"

#include "partition/mapping_fixtures.hpp"

namespace zonecut {
namespace {

struct Blown {
  CommunicationGraph graph;
  std::vector<std::vector<std::uint32_t>> twins;  ///< by vertex of the graph it was made from
};

/// A graph of which every vertex stands for one to three, joined among themselves or not, all of
/// them named at random.
Blown blow_up(Random& random, const CommunicationGraph& seed) {
  Blown blown;
  std::uint32_t count = 0;
  for (std::size_t v = 0; v < seed.vertices(); ++v) {
    auto& twins = blown.twins.emplace_back(1 + random.below(3));
    for (std::uint32_t& twin : twins) twin = count++;
  }
  std::vector<std::uint32_t> name(count);
  std::iota(name.begin(), name.end(), 0u);
  random.shuffle(std::span(name));
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < seed.vertices(); ++u) {
    for (std::uint32_t& twin : blown.twins[u]) twin = name[twin];
    std::ranges::sort(blown.twins[u]);
    const auto among = static_cast<std::int64_t>(random.below(2) * (1 + random.below(3)));
    for (const std::uint32_t a : blown.twins[u]) {
      for (const std::uint32_t b : blown.twins[u]) {
        if (a < b && among > 0) edges.push_back({a, b, among});
      }
    }
  }
  for (std::uint32_t u = 0; u < seed.vertices(); ++u) {
    for (const auto& [v, weight] : seed.neighbours(u)) {
      for (const std::uint32_t a : blown.twins[u]) {
        for (const std::uint32_t b : blown.twins[v]) {
          if (u < v) edges.push_back({a, b, weight});
        }
      }
    }
  }
  blown.graph = CommunicationGraph::from_edges(count, std::move(edges));
  return blown;
}

std::vector<std::uint32_t> any_leaves(Random& random, const SlotTree& tree, std::size_t vertices) {
  std::vector<std::uint32_t> slots(tree.slots());
  std::iota(slots.begin(), slots.end(), 0u);
  random.shuffle(std::span(slots));
  slots.resize(vertices);
  return slots;
}

TEST_CASE("twins come in order at no cost", "[partition]") {
  Random random(20);
  std::size_t moved = 0;
  for (int i = 0; i < 500; ++i) {
    const Blown blown = blow_up(random, fixture::draw_graph(random, 1 + random.below(8)));
    const SlotTree tree = fixture::draw_tree(random, blown.graph.vertices(), 3);
    // As many leaves as slots, so that a slot is a leaf of its own.
    const auto before = any_leaves(random, tree, blown.graph.vertices());
    auto after = before;
    order_twins(blown.graph, after);
    CHECK(measure(blown.graph, tree, after) == measure(blown.graph, tree, before));
    CHECK(std::ranges::is_permutation(after, before));
    for (const auto& twins : blown.twins) {
      CHECK(std::ranges::is_sorted(twins, {}, [&](std::uint32_t v) { return after[v]; }));
    }
    if (after != before) ++moved;
  }
  CHECK(moved > 250);
}

TEST_CASE("who has other edges stays where it is", "[partition]") {
  // A path of unlike weights: the two ends of the middle edge differ by their other edges alone.
  const auto graph = CommunicationGraph::from_edges(4, {{0, 1, 1}, {1, 2, 5}, {2, 3, 2}});
  std::vector<std::uint32_t> leaf{3, 2, 1, 0};
  order_twins(graph, leaf);
  CHECK(leaf == std::vector<std::uint32_t>{3, 2, 1, 0});
}

TEST_CASE("members of one exchange stand in the order of their ranks", "[partition]") {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < 12; ++u) {
    for (std::uint32_t v = 0; v < u; ++v) edges.push_back({u, v, 7});
  }
  const auto graph = CommunicationGraph::from_edges(12, edges);
  Random random(3);
  for (int i = 0; i < 50; ++i) {
    const SlotTree tree = fixture::draw_tree(random, 12, 3);
    CHECK(std::ranges::is_sorted(map_vertices(graph, tree, {}, {}).slot));
  }
}

}  // namespace
}  // namespace zonecut
