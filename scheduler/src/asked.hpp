#pragma once
// What the engine was asked, and what follows from it wherever it looks for an order.
#include <span>
#include <vector>

#include "room.hpp"
#include "trial.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// But for where it looks. Borrows all.
struct Asked {
  const PlacementProblem& problem;
  const Constraints& constraints;
  std::span<const VertexSlice> slices;
};

/// For what is tried beside the main question: together they must not double its time.
[[nodiscard]] MappingOptions lighter(MappingOptions options);

/// The room for a job inside one domain of a level: more than one where a spread leaves a choice.
[[nodiscard]] std::vector<Room> rooms_at(const Asked& asked, const Reach& reach, int level);

/// The innermost level at which all these servers share a domain.
[[nodiscard]] int common_level_of(const Cluster& cluster, std::span<const ServerId> servers);

/// Whether each slice lies within a domain of its level.
[[nodiscard]] bool keeps_slices(const Asked& asked, std::span<const ServerId> servers);

}  // namespace zonecut
