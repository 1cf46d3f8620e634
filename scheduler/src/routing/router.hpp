#pragma once
// Flows on their way through the fabric, cable by cable. Paths are the shortest up-down ones that
// failures leave (valley-free): up to the lowest tier that joins the two leaves, then down.
#include <cstdint>
#include <span>
#include <vector>

#include "routing/cables.hpp"
#include "routing/nic_flows.hpp"
#include "zonecut/scheduler/routing.hpp"

namespace zonecut {

struct RoutedLoads {
  std::vector<double> bytes;  ///< by Cables::load_index
  std::size_t parted = 0;     ///< flows whose ends no working path joins
  std::int64_t rules = 0;     ///< switch entries a controller must install: one for each switch a
                              ///< flow passes
};

/// Every flow on the path its scheme gives it; Ideal and Ecmp are hashed once a pair, EnhancedEcmp
/// once a queue pair, with `seed` for the switches' hash functions. Planes are taken in turn.
/// Engineered: largest flows first, each on the path whose busiest cable is then least busy
/// (constrained shortest path first, with min-max utilisation as in the SIGCOMM 2024 description of
/// Meta's controller). Deterministic. O(flows · (links between two leaves)) for Engineered, else
/// O(flows · hops · ports).
[[nodiscard]] RoutedLoads route(const Cluster& cluster, const Cables& cables,
                                std::span<const NicFlow> flows, const Routing& routing,
                                std::uint64_t seed);

/// The load index whose load takes longest, and that time; {0, 0} where nothing is loaded.
struct BusiestCable {
  std::size_t load_index = 0;
  Seconds time;
};
[[nodiscard]] BusiestCable busiest(const Cables& cables, const RoutedLoads& loads);

}  // namespace zonecut
