#pragma once
// Ways for flows of a fabric that is regular, by edge colouring from the topmost tier down. The
// switch a flow turns at is a colour of an edge between the domains it joins; below, within each of
// these, its switch is a colour of an edge between a child (or leaf) and the switch above. Flows
// that meet at a leaf or switch get different colours, so they spread evenly over its links, and of
// a link's cables each flow takes the one that is least busy: a three-stage Clos network is
// rearranged so (Beneš 1965; Hwang 1983), tier after tier. Where more flows meet than there are
// colours, a leaf or switch becomes several vertices, the largest flows together in the first: then
// no cable carries more than its even share and one flow (the rounding of Shmoys and Tardos 1993).
#include <vector>

#include "routing/busy_cables.hpp"
#include "routing/engineered_flows.hpp"

namespace zonecut {

/// Fills `ways` for the flows that turn at `highest` or below it and pass only regular parts, puts
/// them on `busy`, and says which they are. Regular: all leaves of a domain that take part have the
/// same cables, none down, and above them every switch of a domain has equally many cables to each
/// switch of the next tier. `flows` by falling
/// size, each turning where it would without failures. O(flows · levels), alternating paths of the
/// colouring aside.
[[nodiscard]] std::vector<bool> colour_ways(const Cables& cables, std::span<const LeafFlow> flows,
                                            int highest, BusyCables& busy, ChosenWays& ways);

}  // namespace zonecut
