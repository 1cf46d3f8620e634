#pragma once
// Edges of two kinds may have the same weight by chance. These functions tell the kinds apart by
// where the edges lie. They return the same graph with the number of its kind as the weight of each
// edge, for algorithms that look for groups by weight. Edges of different weights are of different
// kinds. All weights must be positive.
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Two edges at a vertex that belong to different factors of a Cartesian product close to exactly
/// one square, whose opposite edges belong together (Feder's product relation, 1992). Edges of
/// different factors are of different kinds. None where that finds one factor only, or more than a
/// few, or would take long: O(vertices · degree³).
[[nodiscard]] std::optional<CommunicationGraph> split_by_squares(const CommunicationGraph& graph);

/// Two kinds for each weight: edges whose ends have equal colours (colours.hpp, by vertex) and
/// others. So edges from an encoder to its decoder differ from those within them. None where that
/// splits no kind: the ends of all edges look alike, or of none.
[[nodiscard]] std::optional<CommunicationGraph> split_by_colours(
    const CommunicationGraph& graph, std::span<const std::uint64_t> colour);

struct PartedGraph {
  CommunicationGraph graph;
  std::int64_t between = 0;  ///< the kind of the edges without which it falls apart
};

/// For every weight and pair of colours such that the graph falls apart without the edges of this
/// weight between these colours, as those from an encoder to its decoder: calls `take` with a graph
/// in which these edges are a kind of their own. Does nothing where there are more than a few
/// weights and colours. O(edges) for each.
void split_where_it_parts(const CommunicationGraph& graph, std::span<const std::uint64_t> colour,
                          const std::function<void(PartedGraph)>& take);

}  // namespace zonecut
