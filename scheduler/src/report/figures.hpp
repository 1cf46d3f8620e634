#pragma once
// One placement in figures, with everything named: what JSON writes and what pictures and tables
// show. Plain values without ids, so a writer needs neither cluster nor fabric.
#include <optional>
#include <string>
#include <vector>

#include "zonecut/scheduler/engine.hpp"

namespace zonecut::report {

/// A bundle of links by name.
struct NamedLoad {
  Bundle bundle;
  std::string name;  ///< "zone-b uplinks to ATSW (18 x 36 x 400 Gbps), outward"
  int level = 0;     ///< of the domain below it; one more than the racks' for a server
  Bytes bytes;
  BytesPerSecond capacity;
  Seconds time;
};

struct PhaseFigures {
  std::string name;
  Bytes bytes;
  Seconds latency, transfer, transfer_low, transfer_high, admission, exposed;
  std::optional<NamedLoad> binding;  ///< none: it waits for NVLink
};

/// Bytes whose ends share a domain of this level and of none further in.
struct LevelBytes {
  std::string level;  ///< "cluster", "zone", "rack", "server"
  std::string label;  ///< "between zones, over ATSW"
  Bytes bytes;
  Bytes scale_up;  ///< of these, from server to server over NVLink
};

struct PlacementFigures {
  Seconds communication;
  Seconds undisturbed;
  std::string routing;  ///< "E-ECMP, 4 queue pairs a connection"
  Bytes cross_zone;
  std::optional<Bytes> lower_bound;
  std::string bound_method;
  std::optional<double> gap;
  std::int64_t cost = 0;
  std::string method;
  std::optional<NamedLoad>
      binding;  ///< of the slowest phase that waits for links, unless it waits longer for receivers
  std::string binding_phase;  ///< that phase; empty when none waits for links
  std::vector<PhaseFigures> phases;
  std::vector<LevelBytes> by_level;               ///< outermost first
  std::vector<std::vector<Bytes>> zone_matrix;    ///< all zones, in the order of the cluster
  std::vector<NamedLoad> loads;                   ///< the largest of each level, largest time first
  std::size_t servers = 0, racks = 0, zones = 0;  ///< different ones in use
  Leftover leftover;
};

/// What a phase waits for: links by name, NVLink or receivers.
[[nodiscard]] std::string binds(const PhaseFigures& phase);

/// Names of all zones: the shortest that tells them apart, the path where names repeat.
[[nodiscard]] std::vector<std::string> zone_names(const Cluster& cluster);

/// `fabric` is what the placement was predicted on. Linear in the placement, the zones squared and
/// the loads.
[[nodiscard]] PlacementFigures figures_of(const Fabric& fabric, const Placement& placement);

}  // namespace zonecut::report
