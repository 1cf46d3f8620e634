#pragma once
// Placements in clusters that tests draw.
#include <set>
#include <string>

#include "support/catch.hpp"
#include "support/sketch.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

inline PlacementResult place_in(const Sketch& sketch, const Job& job,
                                const Constraints& constraints = {}) {
  const PlacementProblem problem = pose(*sketch.view, *sketch.fabric, job, constraints);
  return place(problem, constraints, {});
}

inline Placement placed(const PlacementResult& result) {
  if (const auto* none = std::get_if<NoFit>(&result))
    FAIL(none->blockers.front().constraint << ": " << none->blockers.front().what);
  return std::get<Placement>(result);
}

inline std::set<std::string> zones_of(const Sketch& sketch, const Placement& placement) {
  std::set<std::string> zones;
  for (const ServerId server : placement.servers) {
    zones.insert(
        sketch.cluster->path(sketch.cluster->domain_of(server, sketch.cluster->zone_level())));
  }
  return zones;
}

}  // namespace zonecut
