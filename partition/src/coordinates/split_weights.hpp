#pragma once
// Edges of two kinds may weigh the same by chance. These tell them apart by where they lie: the
// same graph, its edges weighing numbers of their kinds, so that what looks for groups by weight
// finds them. Edges of different weights are of different kinds. All edges weigh something.
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

/// By whether their ends look alike (colours.hpp, by vertex). What leads from an encoder to its
/// decoder is told from what runs within them. None where all ends look alike, or none do.
[[nodiscard]] std::optional<CommunicationGraph> split_by_colours(
    const CommunicationGraph& graph, std::span<const std::uint64_t> colour);

struct PartedGraph {
  CommunicationGraph graph;
  std::int64_t between = 0;  ///< the kind of the edges without which it falls apart
};

/// Without what leads from an encoder to its decoder the graph falls apart. One graph for every
/// weight and two colours as above of which that is so: edges of this weight between the two are of
/// a kind of their own. None where there are more than a few weights and colours. O(edges) each.
void split_where_it_parts(const CommunicationGraph& graph, std::span<const std::uint64_t> colour,
                          const std::function<void(PartedGraph)>& take);

}  // namespace zonecut
