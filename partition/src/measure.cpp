#include <limits>

#include "leaf_distance.hpp"
#include "zonecut/base/error.hpp"
#include "zonecut/base/int128.hpp"
#include "zonecut/partition/mapping.hpp"

namespace zonecut {

MappingCost measure(const CommunicationGraph& graph, const SlotTree& tree,
                    std::span<const std::uint32_t> slot) {
  check(tree);
  ZONECUT_ENSURES(slot.size() == graph.vertices());
  const std::vector<std::uint32_t> leaf_of_slot = tree.leaf_of_slot();
  std::vector<bool> used(leaf_of_slot.size(), false);
  for (const std::uint32_t s : slot) {
    ZONECUT_ENSURES(s < used.size() && !used[s]);
    used[s] = true;
  }

  const LeafDistance distance(tree);
  MappingCost cost;
  Int128 sum = 0;
  for (std::uint32_t u = 0; u < slot.size(); ++u) {
    const std::uint32_t here = leaf_of_slot[slot[u]];
    for (const auto& [v, weight] : graph.neighbours(u)) {
      if (v < u) continue;
      const std::size_t shared = distance.shared_levels(here, leaf_of_slot[slot[v]]);
      if (shared <= tree.cut_level) cost.zone_cut += weight;
      sum += static_cast<Int128>(weight) * tree.distance[shared];
    }
  }
  if (sum > std::numeric_limits<std::int64_t>::max()) {
    throw InputError("traffic", "the sum of weight times distance does not fit 63 bits",
                     "give the weights in a larger unit, or smaller distances");
  }
  cost.cost = static_cast<std::int64_t>(sum);
  return cost;
}

std::optional<double> relative_gap(std::int64_t cut, std::int64_t bound) {
  if (cut == bound) return 0.0;
  if (bound == 0) return std::nullopt;
  return static_cast<double>(cut - bound) / static_cast<double>(bound);
}

}  // namespace zonecut
