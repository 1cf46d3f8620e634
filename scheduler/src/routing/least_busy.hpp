#pragma once
// How busy the busiest cable must be at least, whatever way each flow takes.
#include <span>

#include "routing/engineered_flows.hpp"

namespace zonecut {

/// Seconds of the busiest cable between switches. Above a leaf, and above a domain in one plane,
/// some cable of M carries ⌈j/M⌉ of the j largest flows that pass there, for every j (pigeonhole).
/// `flows` by falling size. O(flows · levels + links).
[[nodiscard]] double least_busy(const Cables& cables, std::span<const LeafFlow> flows);

}  // namespace zonecut
