#pragma once
// A bound of the cut where vertices are parts of servers.
#include <cstddef>
#include <optional>
#include <span>

#include "zonecut/partition/mapping.hpp"

namespace zonecut {

/// As cut_lower_bound(), over the mappings that keep every unit in one zone. A unit is `unit`
/// consecutive vertices: the equal parts of one server. `unit` divides the number of vertices and
/// the slots of every zone, which count vertices too.
///
/// Higher than cut_lower_bound() where `unit` does not divide the stages of a grid whose vertices
/// are numbered stage by stage: a zone of whole servers then holds different ranges of two
/// neighbouring stages, which exchange little.
[[nodiscard]] std::optional<CutBound> cut_lower_bound_of_units(
    const CommunicationGraph& graph, std::size_t unit, const SlotTree& tree,
    std::span<const Coordinates> coordinates, Effort effort = Effort::Balanced);

}  // namespace zonecut
