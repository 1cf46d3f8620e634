#pragma once
// What a job alone on the fabric sends over each bundle while a phase of it lasts.
#include <cstdint>
#include <span>
#include <vector>

#include "zonecut/partition/traffic.hpp"
#include "zonecut/scheduler/routing.hpp"
#include "zonecut/topology/fabric.hpp"

namespace zonecut {

struct BundleStream {
  std::uint32_t bundle = 0;  ///< BundleIndex
  Seconds alone;             ///< bytes over capacity: how long the bundle is busy in the phase
  double flows = 0;          ///< under way at a time: as many equal ones as collide alike (Kish)
};

struct PhaseStreams {
  Seconds time;  ///< latency and transfer, hidden or not
  std::vector<BundleStream> streams;
};

/// The time of predict(). Throws what it throws.
[[nodiscard]] std::vector<PhaseStreams> streams_of(const Fabric& fabric, const Traffic& traffic,
                                                   std::span<const ServerId> servers,
                                                   const Routing& routing);

}  // namespace zonecut
