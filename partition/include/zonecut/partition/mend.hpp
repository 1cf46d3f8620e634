#pragma once
// A mapping that exists, kept: when servers fail or leave, only what must move does. For hot swap,
// where every moved rank is a process restarted and a state copied.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/mapping.hpp"

namespace zonecut {

struct MendedMapping {
  std::vector<std::uint32_t> slot;  ///< by vertex
  MappingCost cost;                 ///< measured
  std::vector<std::uint32_t>
      moved;             ///< ascending: those that had no place, and those that made way
  bool optimal = false;  ///< no other choice for the vertices without a place, all
                         ///< others staying, costs less: shown by exhaustion
};

/// Vertices without a place in `previous` get one of the slots left, so that the cut, then J, is
/// least; all others stay, but for at most `most_moves` more that move where that lowers the cut
/// further. Exhaustive where the choices are few (a million steps), else the best of a greedy
/// start and exchanges. Deterministic. O(lost · (leaves + edges)) a round otherwise. Throws
/// InputError when fewer slots are left than vertices have no place.
[[nodiscard]] MendedMapping mend_mapping(const CommunicationGraph& graph, const SlotTree& tree,
                                         std::span<const std::optional<std::uint32_t>> previous,
                                         std::size_t most_moves);

}  // namespace zonecut
