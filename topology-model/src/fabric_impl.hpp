#pragma once
// What stands behind a Fabric, open to the sources that build and search it.
#include "fabric_graph.hpp"
#include "fabric_switches.hpp"

namespace zonecut {

struct FabricParts {
  FabricParts(const Cluster& described, const FabricSpec& specification);
  /// Throws InputError with every failure that names what is not there.
  void apply_failures(const Health& health);
  /// Adds up the links above every domain and server.
  void sum_capacities();

  const Cluster* cluster;
  FabricSpec spec;
  SwitchNumbering numbering;
  std::vector<Switch> switches;
  std::vector<Link> links;
  FabricGraph graph;
  IdMap<DomainId, BytesPerSecond> uplinks;
  IdMap<DomainId, BytesPerSecond> nominal_uplinks;
  IdMap<ServerId, BytesPerSecond> injection;
};

struct Fabric::Impl : FabricParts {
  using FabricParts::FabricParts;
};

}  // namespace zonecut
