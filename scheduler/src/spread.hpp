#pragma once
// Spread: at most so many servers of any one domain. Which of them keep their room is decided here,
// so that everything behind it sees room alone.
#include <cstdint>

#include "room.hpp"
#include "zonecut/scheduler/engine.hpp"

namespace zonecut {

/// Which servers keep their room where a spread leaves a choice.
enum class Kept : std::uint8_t {
  Roomiest,  ///< those with the most room; of equal ones those where most room is around them
  Together,  ///< those where most room is around them, whatever they have themselves
};

/// Leaves room on at most as many servers of each domain as the spread allows, for a job that
/// stands in one domain of `level`: further in than the spread's own, or than the required one, it
/// is that domain which is capped. With slices inside the capped level those that together take the
/// most vertices keep it, whatever `kept`. Does nothing without a spread. O(servers log servers ·
/// levels), with such slices O(servers · cap).
void cap_spread(const Cluster& cluster, const Constraints& constraints,
                std::size_t ranks_per_server, std::size_t vertices, int level, Kept kept,
                Room& room);

/// As much as each zone may take at most of a job that has this room: which zones give up servers
/// to a spread over larger domains is open.
[[nodiscard]] Room room_of_zones(const PlacementProblem& problem, const Constraints& constraints,
                                 Room room);

}  // namespace zonecut
