#pragma once
// Edges of two kinds may weigh the same by chance. These tell them apart by where they lie, so that
// what looks for groups by weight finds them.
#include <cstdint>
#include <functional>
#include <optional>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Two edges at a vertex that belong to different factors of a Cartesian product close to exactly
/// one square, whose opposite edges belong together (Feder's product relation, 1992). Edges of one
/// weight and different factors get different weights, in the order of the old ones. None where
/// that finds one factor only, or more than a few, or would take long: O(vertices · degree³).
[[nodiscard]] std::optional<CommunicationGraph> split_by_squares(const CommunicationGraph& graph);

/// Edges of one weight get different weights depending on whether their ends look alike: colours
/// refined by the weights and colours of neighbours until nothing changes (1-dimensional Weisfeiler
/// and Leman). What leads from an encoder to its decoder is told from what runs within them. None
/// where all ends look alike, or none do. O(edges) a round, 64 rounds at most.
[[nodiscard]] std::optional<CommunicationGraph> split_by_colours(const CommunicationGraph& graph);

struct PartedGraph {
  CommunicationGraph graph;
  std::int64_t between = 0;  ///< weight of the edges without which it falls apart
};

/// Without what leads from an encoder to its decoder the graph falls apart. One graph for every
/// weight and two colours as above of which that is so: edges of this weight between the two get a
/// weight of their own. None where there are more than a few kinds of edges. O(edges) a kind.
void split_where_it_parts(const CommunicationGraph& graph,
                          const std::function<void(PartedGraph)>& take);

}  // namespace zonecut
