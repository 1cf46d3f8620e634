#pragma once
// Above the zones: which zone's vertices stand in which zone. The cut between zones does not depend
// on it, the cut between buildings does.
#include <span>
#include <vector>

#include "zonecut/partition/communication_graph.hpp"
#include "zonecut/partition/slot_tree.hpp"

namespace zonecut {

/// Whether it matters which zone is where: several domains above, fewer than zones, and at most
/// 1,024 of these.
[[nodiscard]] bool has_tiers_above(const SlotTree& tree);

/// Exchanges the whole contents of two zones, where both fit, as long as J falls, and again after a
/// few exchanges at random where zones are few. Changes `zone` (by vertex) in place. Does nothing
/// without tiers above.
void exchange_zones(const CommunicationGraph& graph, const SlotTree& tree,
                    std::vector<std::uint32_t>& zone);

/// J of what runs between zones as they stand. Floating point, since traffic times distance may
/// pass 63 bits. O(edges + zones² · levels). 0 without tiers above.
[[nodiscard]] double cost_between_zones(const CommunicationGraph& graph, const SlotTree& tree,
                                        std::span<const std::uint32_t> zone);

}  // namespace zonecut
