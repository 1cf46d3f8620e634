#pragma once
// Above the zones: which zone's vertices stand in which zone. The cut between zones does not depend
// on it, the cut between buildings does.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Exchanges the whole contents of two zones, where both fit, as long as J falls. Changes `zone`
/// (by vertex) in place. Does nothing where zones are the outermost level, or there are more than
/// 1,024.
void exchange_zones(const CommunicationGraph& graph, const SlotTree& tree,
                    std::vector<std::uint32_t>& zone);

}  // namespace zonecut
