#pragma once
// Repairs a mapping that exists: when servers fail or leave, only the vertices that must move do.
// For jobs that run, where every moved rank is a process restarted and a state copied.
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "zonecut/partition/mapping.hpp"

namespace zonecut {

struct MendedMapping {
  std::vector<std::uint32_t> slot;  ///< by vertex
  MappingCost cost;                 ///< measured
  /// Ascending: the vertices that had no place, and the further ones that moved.
  std::vector<std::uint32_t> moved;
  /// With all other vertices staying, no other slots for those without a place cost less: all were
  /// tried.
  bool optimal = false;
};

/// Gives each vertex without a slot in `previous` one of the slots left, so that the cut, then J,
/// is least. All others stay, except for at most `most_moves` that move where that lowers the cut
/// again. Where there are at most a million ways for the vertices without a slot, all are tried;
/// else they are placed greedily, then moved and exchanged while it helps, 100 rounds at most. Two
/// that stay may exchange their slots, which are two moves; of large graphs those that send most
/// across are compared with all, and moves end after the first such exchange with a thousand
/// million looks at ties, which take some seconds. Deterministic. Per round O(lost · (leaves +
/// lost) · neighbours); per further move O(vertices · (leaves with room + moved) · neighbours + 10
/// million). Throws InputError when fewer slots are left than vertices without one.
[[nodiscard]] MendedMapping mend_mapping(const CommunicationGraph& graph, const SlotTree& tree,
                                         std::span<const std::optional<std::uint32_t>> previous,
                                         std::size_t most_moves);

}  // namespace zonecut
