#pragma once
// Vertices that a graph does not tell apart: members of an all-to-all that have no other traffic,
// clients of one server. Any of them could stand where another one does, but steps of a pairwise
// exchange pass a border least where neighbours in rank stand together, and people read names in
// order.
#include <cstdint>
#include <span>

#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Among vertices with equal edges to all others (and one weight among themselves), the first takes
/// the first of their leaves, and so on: no cost at any level changes. O(edges · log(edges)).
void order_twins(const CommunicationGraph& graph, std::span<std::uint32_t> leaf);

}  // namespace zonecut
