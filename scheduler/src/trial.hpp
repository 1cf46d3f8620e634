#pragma once
// One way to place a job under one domain, found by the mapper: the orders the engine chooses
// between.
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "room.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

struct Trial {
  std::string name;
  std::string method;
  std::vector<ServerId> servers;
};

/// Vertices to servers under `domain` within this room, slices kept together. The domain must have
/// sliced room for all of them. `first_level`: a level above the zones, between whose domains the
/// cut is least; then it is least between what is in each.
[[nodiscard]] Trial map_under(const PlacementProblem& problem, const Room& room, DomainId domain,
                              std::span<const VertexSlice> slices, const MappingOptions& options,
                              std::optional<int> first_level = std::nullopt);

}  // namespace zonecut
