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
  bool by_rule = false;  ///< as a rule of others has it (baseline.hpp)
};

/// What the links above each domain can carry, in the direction in which that is less.
using Uplinks = IdMap<DomainId, BytesPerSecond>;

/// What is divided first, and with what aim. Between the domains below, the cut is least then.
struct FirstDivision {
  int level;  ///< the zones', or one above them
  Objective objective;
  Uplinks uplinks;  ///< for Objective::Bottleneck
};

/// Vertices to servers under `domain` within this room, slices kept together. The domain must have
/// sliced room for all of them. Without `first` the cut between zones is least.
[[nodiscard]] Trial map_under(const PlacementProblem& problem, const Room& room, DomainId domain,
                              std::span<const VertexSlice> slices, const MappingOptions& options,
                              const std::optional<FirstDivision>& first = std::nullopt);

/// Each zone holds the vertices that it has in `servers`, for which it must have room, where J is
/// least within it. Slices are not looked at.
[[nodiscard]] Trial map_within_zones(const PlacementProblem& problem, const Room& room,
                                     std::span<const ServerId> servers,
                                     const MappingOptions& options);

}  // namespace zonecut
