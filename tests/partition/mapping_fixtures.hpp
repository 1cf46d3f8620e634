#pragma once
// Small jobs and clusters drawn at random, and the optimum found the long way, independent of the
// code under test.
#include <optional>
#include <span>
#include <vector>

#include "zonecut/base/random.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut::fixture {

struct Instance {
  CommunicationGraph graph;
  std::vector<Coordinates> coordinates;
  SlotTree tree;
};

/// A full grid of at most `most` vertices with the edges of a training job (rings, cliques, chain,
/// pipeline), each kind present or not and of random weight, and now and then an edge of no kind.
[[nodiscard]] Instance draw_grid(Random& random, std::size_t most);
/// Any graph on `vertices`, with isolated vertices and weights of 0 among them; no coordinates.
[[nodiscard]] CommunicationGraph draw_graph(Random& random, std::size_t vertices);
/// One to six levels, empty leaves, at least `vertices` slots.
[[nodiscard]] SlotTree draw_tree(Random& random, std::size_t vertices, std::size_t most_levels);
/// One level of zones that hold the vertices exactly, or with some slots more.
[[nodiscard]] SlotTree draw_zones(Random& random, std::size_t vertices, std::size_t slack);

/// Least cut over all assignments to zones, by plain enumeration. For at most about 12 vertices.
[[nodiscard]] std::int64_t brute_force_cut(const CommunicationGraph& graph, const SlotTree& tree);

/// What the structure of the traffic proves, without branch and bound, which would hide it in small
/// jobs.
[[nodiscard]] std::optional<CutBound> bound_by_structure(const CommunicationGraph& graph,
                                                         const SlotTree& tree,
                                                         std::span<const Coordinates> coordinates);

/// Whether every vertex has a slot of its own that exists.
[[nodiscard]] bool respects_capacities(const Mapping& mapping, const SlotTree& tree);

}  // namespace zonecut::fixture
