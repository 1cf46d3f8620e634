#pragma once
// An order of the vertices of any graph in which few lie open at a time (frontier_sweep.hpp): seen
// already, with edges to some not seen yet. The fewest is what is called its vertex separation.
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "partition_problem.hpp"
#include "zonecut/partition/communication_graph.hpp"

namespace zonecut {

/// Along the axes of the coordinates, if there are any, in one order of them or another; or
/// greedily from one of so many vertices: next comes the one after which fewest lie open, of those
/// with a neighbour that was seen. That of the least `states`, sets of open vertices after each of
/// them, all added up. None where these are `most_states` or more, or none is found within the
/// budget. O((axes' orders + starts) · vertices · open vertices · degree²) steps of it.
[[nodiscard]] std::vector<std::uint32_t> narrow_order(const CommunicationGraph& graph,
                                                      std::span<const Coordinates> coordinates,
                                                      std::size_t starts, std::size_t most_states,
                                                      WorkBudget& budget);

}  // namespace zonecut
