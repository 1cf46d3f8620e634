#pragma once
// Spread: at most so many servers of any one domain. Which of them keep their room is decided here,
// so that everything behind it sees room alone.
#include "room.hpp"

namespace zonecut {

/// Leaves room on at most as many servers of each domain as the spread allows: those that together
/// take the most vertices, in slices where there are some. A job that must stand in one domain of a
/// level further in is capped there. Does nothing without a spread. O(servers log servers), with
/// slices inside the capped level O(servers · cap).
void cap_spread(const Cluster& cluster, const Constraints& constraints,
                std::size_t ranks_per_server, std::size_t vertices, Room& room);

}  // namespace zonecut
