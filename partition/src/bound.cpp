#include <algorithm>

#include "zonecut/partition/mapping.hpp"

namespace zonecut {

std::optional<CutBound> cut_lower_bound(const CommunicationGraph& graph, const SlotTree& tree,
                                        std::span<const Coordinates>) {
  const std::vector<std::uint64_t> capacity = tree.capacity(tree.cut_level);
  if (graph.total_weight() == 0) return CutBound{0, "no traffic"};
  if (*std::ranges::max_element(capacity) >= graph.vertices()) {
    return CutBound{0, "fits in one zone"};
  }
  return std::nullopt;
}

}  // namespace zonecut
