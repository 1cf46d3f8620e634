#pragma once
// A bound of the cut where vertices are parts of servers.
#include <cstddef>
#include <optional>
#include <span>

#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// cut_lower_bound of divisions that take no unit apart: a unit is so many consecutive vertices, a
/// server whose equal parts they are. `unit` divides the vertices, and the slots of every zone,
/// which count vertices.
/// Knows more than cut_lower_bound where units do not go into the stages of a grid whose vertices
/// are numbered stage by stage: what a zone takes of two stages then hardly meets.
[[nodiscard]] std::optional<CutBound> cut_lower_bound_of_units(
    const CommunicationGraph& graph, std::size_t unit, const SlotTree& tree,
    std::span<const Coordinates> coordinates, Effort effort = Effort::Balanced);

}  // namespace zonecut
