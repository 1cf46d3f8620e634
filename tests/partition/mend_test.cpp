// Mappings that lose some of their slots, against every way to mend them.
#include "zonecut/partition/mend.hpp"

#include <algorithm>

#include "support/catch.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/random.hpp"

using namespace zonecut;

namespace {

using Places = std::vector<std::optional<std::uint32_t>>;

/// Three zones of two racks of two slots each.
SlotTree twelve_slots() {
  SlotTree tree;
  tree.parent = {{0, 0, 0}, {0, 0, 1, 1, 2, 2}};
  tree.free = {2, 2, 2, 2, 2, 2};
  tree.cut_level = 0;
  tree.distance = {100, 10, 1};
  return tree;
}

CommunicationGraph drawn_graph(std::uint32_t vertices, Random& random) {
  std::vector<CommunicationGraph::Edge> edges;
  for (std::uint32_t u = 0; u < vertices; ++u) {
    for (std::uint32_t v = u + 1; v < vertices; ++v) {
      if (random.below(2) == 0) edges.push_back({u, v, static_cast<std::int64_t>(random.below(9))});
    }
  }
  return CommunicationGraph::from_edges(vertices, std::move(edges));
}

/// Vertices on slots drawn without repetition; the first `lost` of them have none any more, and
/// their slots are not to be had.
struct Drawn {
  SlotTree tree = twelve_slots();
  Places places;
};

Drawn drawn_places(std::uint32_t vertices, std::size_t lost, Random& random) {
  Drawn drawn;
  std::vector<std::uint32_t> slots(12);
  for (std::uint32_t s = 0; s < 12; ++s) slots[s] = s;
  random.shuffle(std::span(slots));
  for (std::uint32_t v = 0; v < vertices; ++v) drawn.places.emplace_back(slots[v]);
  for (std::size_t v = 0; v < lost; ++v) drawn.places[v].reset();
  return drawn;
}

MappingCost least_cost(const CommunicationGraph& graph, const SlotTree& tree,
                       const Places& places) {
  std::vector<std::uint32_t> free;
  std::vector<std::uint32_t> slot;
  std::vector<std::size_t> lost;
  for (std::uint32_t s = 0; s < 12; ++s) {
    if (std::find(places.begin(), places.end(), std::optional(s)) == places.end())
      free.push_back(s);
  }
  for (std::size_t v = 0; v < places.size(); ++v) {
    slot.push_back(places[v].value_or(0));
    if (!places[v]) lost.push_back(v);
  }
  std::optional<MappingCost> least;
  do {
    for (std::size_t i = 0; i < lost.size(); ++i) slot[lost[i]] = free[i];
    const MappingCost cost = measure(graph, tree, slot);
    if (!least || cost < *least) least = cost;
  } while (std::next_permutation(free.begin(), free.end()));
  return *least;
}

}  // namespace

TEST_CASE("lost vertices get the best places left, and nobody else moves", "[mend]") {
  Random random(11);
  for (int i = 0; i < 200; ++i) {
    const auto vertices = static_cast<std::uint32_t>(7 + random.below(4));
    const std::size_t lost = 1 + random.below(3);
    const CommunicationGraph graph = drawn_graph(vertices, random);
    const auto [tree, places] = drawn_places(vertices, lost, random);
    const MendedMapping mended = mend_mapping(graph, tree, places, 0);
    CHECK(mended.optimal);
    CHECK(mended.moved.size() == lost);
    CHECK(mended.cost == least_cost(graph, tree, places));
    for (std::size_t v = lost; v < vertices; ++v) CHECK(mended.slot[v] == *places[v]);
  }
}

TEST_CASE("each further move lowers the cut, and there are no more than allowed", "[mend]") {
  Random random(12);
  for (int i = 0; i < 100; ++i) {
    const CommunicationGraph graph = drawn_graph(10, random);
    const auto [tree, places] = drawn_places(10, 2, random);
    MappingCost before = mend_mapping(graph, tree, places, 0).cost;
    std::size_t moved = 2;
    for (std::size_t moves = 1; moves < 6; ++moves) {
      const MendedMapping mended = mend_mapping(graph, tree, places, moves);
      CHECK(mended.cost <= before);
      if (mended.moved.size() > moved) CHECK(mended.cost.zone_cut < before.zone_cut);
      moved = mended.moved.size();
      CHECK(mended.moved.size() <= 2 + moves);
      std::size_t elsewhere = 0;
      for (std::size_t v = 0; v < 10; ++v) elsewhere += places[v] != std::optional(mended.slot[v]);
      CHECK(elsewhere <= 2 + moves);
      before = mended.cost;
    }
  }
}

TEST_CASE("where all slots are taken the best two exchange theirs", "[mend]") {
  Random random(16);
  std::size_t exchanged = 0;
  for (int i = 0; i < 100; ++i) {
    const CommunicationGraph graph = drawn_graph(12, random);
    const auto [tree, places] = drawn_places(12, 0, random);
    std::vector<std::uint32_t> slot;
    for (const auto& place : places) slot.push_back(*place);
    const MappingCost before = measure(graph, tree, slot);
    MappingCost least = before;
    for (std::size_t u = 0; u < 12; ++u) {
      for (std::size_t v = 0; v < u; ++v) {
        std::swap(slot[u], slot[v]);
        const MappingCost cost = measure(graph, tree, slot);
        if (cost.zone_cut < before.zone_cut) least = std::min(least, cost);
        std::swap(slot[u], slot[v]);
      }
    }
    CHECK(mend_mapping(graph, tree, places, 1).moved.empty());
    const MendedMapping mended = mend_mapping(graph, tree, places, 2);
    CHECK(mended.cost == least);
    CHECK(mended.moved.size() == (least < before ? 2 : 0));
    exchanged += mended.moved.size();
  }
  CHECK(exchanged > 100);
}

TEST_CASE("many lost vertices are placed without trying every way", "[mend]") {
  Random random(13);
  for (int i = 0; i < 50; ++i) {
    const CommunicationGraph graph = drawn_graph(12, random);
    const auto [tree, places] = drawn_places(12, 12, random);
    const MendedMapping mended = mend_mapping(graph, tree, places, 0);
    std::vector<std::uint32_t> slots = mended.slot;
    std::sort(slots.begin(), slots.end());
    CHECK(std::unique(slots.begin(), slots.end()) == slots.end());
    CHECK(mended.cost == measure(graph, tree, mended.slot));
  }
}

TEST_CASE("nothing lost, nothing moved", "[mend]") {
  Random random(14);
  const CommunicationGraph graph = drawn_graph(10, random);
  const auto [tree, places] = drawn_places(10, 0, random);
  const MendedMapping mended = mend_mapping(graph, tree, places, 0);
  CHECK(mended.moved.empty());
  for (std::size_t v = 0; v < 10; ++v) CHECK(mended.slot[v] == *places[v]);
}

TEST_CASE("a mapping cannot be mended without slots", "[mend]") {
  Random random(15);
  const CommunicationGraph graph = drawn_graph(13, random);
  CHECK_THROWS_AS(mend_mapping(graph, twelve_slots(), Places(13), 0), InputError);
}
