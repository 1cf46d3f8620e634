#pragma once
// The ranks of NCCL's double binary tree (traffic/binary_tree.hpp), in their order.
#include <cstdint>
#include <optional>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// [i]: the vertex that is rank i. None where the graph is no such tree of 8 to 8192 vertices, with
/// edges of one weight, or of twice as much where both trees have them. An isomorphism is found by
/// colours that are refined after one vertex has been told from those like it (McKay, 1981). Gives
/// up after 16 such vertices. O(vertices · log vertices) a round of colours, 64 rounds each.
[[nodiscard]] std::optional<std::vector<std::uint32_t>> tree_order(const CommunicationGraph& graph);

}  // namespace zonecut
